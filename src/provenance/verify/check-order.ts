import type { CheckName, Kind } from './findings.ts';

/** All checks, in the order in which they are told. */
const ORDER: readonly CheckName[] = [
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
];

/** Kinds that a check is for, where it is not for all. */
const KINDS: Readonly<Partial<Record<CheckName, readonly Kind[]>>> = {
  known: ['lineage', 'manifest'],
  fields: ['capsule', 'answer'],
  quote: ['answer'],
  parts: ['manifest'],
  corpus: ['manifest'],
};

/** Checks that there are for documents of a kind, in the order in which they are told. */
export const checksOf = (kind: Kind): CheckName[] => ORDER.filter((check) => KINDS[check]?.includes(kind) ?? true);
