import type { Note } from './findings.ts';
import type { Form } from './forms.ts';
import type { Source } from './json-text.ts';
import type { IsSigned } from './trusted-keys.ts';

/** What every check needs besides the document it looks at. */
export interface Context {
  readonly note: Note;
  /** Reads a document and notes `json` and `form`; gives nothing if one of them fails. */
  readonly open: <T>(source: Source, form: Form, what: string) => T | undefined;
  /** Time of the check. */
  readonly now: string;
  /** Left out if no trust was given, or none that can be used. */
  readonly isSigned: IsSigned | undefined;
  /** Exact texts by address. */
  readonly texts: ReadonlyMap<unknown, Source>;
}
