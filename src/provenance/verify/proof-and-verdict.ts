import type { Source } from '../bytes.ts';

export type Kind = 'lineage' | 'capsule' | 'answer' | 'manifest';

const CHECK_NAMES = [
  'json',
  'form',
  'subject',
  'records',
  'chain',
  'head',
  'fresh',
  'known',
  'text',
  'fields',
  'quote',
  'parts',
  'corpus',
  'signature',
] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

export interface Check {
  readonly check: CheckName;
  readonly ok: boolean;
  /** The first subject that failed, or the last that passed. */
  readonly detail: string;
}

export interface Proof {
  /** A lineage, a capsule, an answer to a query, or a manifest. */
  readonly document: Source;
  /** Kind of the document; by default derived from its members. */
  readonly kind?: Kind;
  /** Lineages by capsule id, for a capsule or an answer. */
  readonly lineages?: Readonly<Record<string, Source>>;
  /** Exact texts, by the `canonical` address of their records. */
  readonly texts?: Readonly<Record<string, Source>>;
  /** Parts of the bundle, in order, for a manifest; a large bundle need not be in memory. */
  readonly parts?: (Iterable<Source> | AsyncIterable<Source>) & { readonly length: number };
  readonly id?: string;
  /** An older copy of the lineage or manifest. */
  readonly known?: Source | undefined;
  /** JWK Set or DID document. */
  readonly trust?: Source | undefined;
  /** Time of verification: `YYYY-MM-DDThh:mm:ssZ`. */
  readonly now: string;
}

export interface Verdict {
  readonly kind: Kind;
  /** Every check that was made, once each, in the order of first use. */
  readonly checks: readonly Check[];
  /** 1 if a check other than `signature` failed, else 2 if that failed, else 0. */
  readonly exit: 0 | 1 | 2;
}

const KINDS: Readonly<Partial<Record<CheckName, readonly Kind[]>>> = {
  known: ['lineage', 'manifest'],
  fields: ['capsule', 'answer'],
  quote: ['answer'],
  parts: ['manifest'],
  corpus: ['manifest'],
};

export const checksOf = (kind: Kind): CheckName[] => CHECK_NAMES.filter((check) => KINDS[check]?.includes(kind) ?? true);
