/** Kinds of documents that can be checked. */
export type Kind = 'lineage' | 'capsule' | 'answer' | 'manifest';

/** Name of a check. */
export type CheckName =
  | 'json'
  | 'form'
  | 'subject'
  | 'records'
  | 'chain'
  | 'head'
  | 'fresh'
  | 'known'
  | 'text'
  | 'fields'
  | 'quote'
  | 'parts'
  | 'corpus'
  | 'signature';

/** One check over everything that it looked at. */
export interface Check {
  readonly check: CheckName;
  readonly ok: boolean;
  /** What was seen: the first thing that fails, or the last that holds. */
  readonly detail: string;
}

/** Notes the outcome of a check on one thing, of which the detail says what it is; gives `ok` back. */
export type Note = (check: CheckName, ok: unknown, detail: string) => unknown;
