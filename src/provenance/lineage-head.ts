import type { ChainLink, Issuer } from './version-record.ts';

/** State of a capsule as a whole. */
export interface LineageState {
  readonly status: 'current' | 'superseded' | 'retracted';
  readonly statusReason?: string | undefined;
  readonly supersededBy?: string | undefined;
}

/** Statement about what is newest of a capsule: a version that was left out, or a state that was changed, is noticed by it. */
export interface LineageHead extends LineageState {
  readonly $schema: string;
  readonly type: 'LineageHead';
  readonly id: string;
  readonly issuer: Issuer;
  readonly head: string;
  readonly version: string;
  readonly count: number;
  readonly issued: string;
  readonly validUntil?: string | undefined;
}

/**
 * Head of a chain of versions.
 *
 * @throws {TypeError} If the chain is empty.
 */
export function headOf(chain: readonly ChainLink[], facts: LineageState & Pick<LineageHead, '$schema' | 'issuer'>): LineageHead {
  const newest = chain.at(-1);
  if (newest === undefined) throw new TypeError('a capsule has at least one version');
  const { $schema, issuer, ...state } = facts;
  return {
    $schema,
    type: 'LineageHead',
    id: newest.record.id,
    issuer,
    ...state,
    head: newest.recordDigest,
    version: newest.record.version,
    count: chain.length,
    issued: newest.record.issued,
  };
}
