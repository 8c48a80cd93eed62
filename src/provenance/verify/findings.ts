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

/** All checks, in the order in which they are told. */
const CHECKS = 'json form subject records chain head fresh known text fields quote parts corpus signature'.split(' ') as CheckName[];

/** Kinds that a check is for, where it is not for all. */
const KINDS: Partial<Record<CheckName, string>> = {
  known: 'lineage manifest',
  fields: 'capsule answer',
  quote: 'answer',
  parts: 'manifest',
  corpus: 'manifest',
};

/** One check over everything that it looked at. */
export interface Check {
  readonly check: CheckName;
  /** `true` if it holds, `false` if it fails, `null` if it was not made. */
  readonly ok: boolean | null;
  /** What was seen: the one thing or how many, or the first that fails. */
  readonly detail: string;
}

/** Notes the outcome of a check on one thing, of which the detail says what it is; gives `ok` back. */
export type Note = (check: CheckName, ok: boolean, detail: string) => boolean;

/** Gathers notes to one outcome for each check, which fails if it fails on one thing. */
export function gatherFindings(): readonly [Note, (kind: Kind) => Check[]] {
  const found: Partial<Record<CheckName, Check>> = {};
  const counts: Partial<Record<CheckName, number>> = {};
  return [
    (check, ok, detail) => {
      const count = (counts[check] ?? 0) + 1;
      counts[check] = count;
      if (found[check]?.ok !== false) found[check] = { check, ok, detail: ok && count > 1 ? `${count} checked` : detail };
      return ok;
    },
    (kind) =>
      CHECKS.filter((check) => (KINDS[check] ?? kind).includes(kind)).map(
        (check) => found[check] ?? { check, ok: null, detail: 'not made' },
      ),
  ];
}
