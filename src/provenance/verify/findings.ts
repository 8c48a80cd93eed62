/** Kinds of documents that can be checked. */
export type Kind = 'lineage' | 'capsule' | 'answer' | 'manifest';

/** Names of the checks, in the order in which they are told. */
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
  /** `true` if it holds, `false` if it fails, `null` if it was not made. */
  readonly ok: boolean | null;
  /** What was seen, in plain words: how much was looked at, or the first thing that fails. */
  readonly detail: string;
}

/** Tells the outcome of a check on one thing, of which the detail says what it is; gives `ok` back. */
export type Note = (check: CheckName, ok: boolean, detail: string) => boolean;

/** Every check, with the kinds of documents that it is for if it is not for all. */
const KINDS: Readonly<Record<CheckName, string>> = {
  json: '',
  form: '',
  subject: '',
  records: '',
  chain: '',
  head: '',
  fresh: '',
  known: 'lineage manifest',
  text: '',
  fields: 'capsule answer',
  quote: 'answer',
  parts: 'manifest',
  corpus: 'manifest',
  signature: '',
};

/** Gathers notes to one outcome for each check: it fails if it fails on one thing. */
export class Findings {
  readonly #found: Partial<Record<CheckName, Check & { readonly count: number }>> = {};

  readonly note: Note = (check, ok, detail) => {
    const { count = 0, ...before } = this.#found[check] ?? {};
    if (before.ok !== false) this.#found[check] = { check, ok, detail: ok && count ? `${count + 1} checked` : detail, count: count + 1 };
    return ok;
  };

  /** All checks that are for documents of a kind. */
  of(kind: Kind): Check[] {
    return (Object.keys(KINDS) as CheckName[])
      .filter((check) => (KINDS[check] || kind).includes(kind))
      .map((check) => {
        const { ok = null, detail = 'not made' } = this.#found[check] ?? {};
        return { check, ok, detail };
      });
  }
}
