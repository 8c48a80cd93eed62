import { sha256Hex } from './bytes.ts';
import { canonicalDigest } from './digest.ts';

/** Relation of a version to a text it rests on, in the names of W3C PROV-O. */
export type ProvRelation = 'wasDerivedFrom' | 'wasRevisionOf' | 'wasQuotedFrom' | 'hadPrimarySource';

/** One text that a version rests on. `digest` is left out where the bytes were not kept, `retrieved` where it was not opened. */
export interface Derivation {
  readonly relation: ProvRelation;
  readonly uri: string;
  /** Name of the source inside the text. */
  readonly key?: string | undefined;
  readonly title?: string | undefined;
  readonly publisher?: string | undefined;
  readonly retrieved?: string | undefined;
  readonly digest?: { readonly 'sha-256': string } | undefined;
}

/** Who brought a version about. */
export interface Activity {
  readonly type: 'editorial';
  readonly agent: { readonly type: 'Person' | 'Organization' | 'SoftwareAgent'; readonly name: string };
}

/** Identity that stands behind a statement, with the name that it has now. */
export interface NamedIssuer {
  readonly id: string;
  readonly name: string;
}

/** Flattened JWS with detached payload (RFC 7515 appendix F). */
export interface DetachedSignature {
  readonly protected: string;
  readonly signature: string;
}

/** Statement about one version of a capsule; its digest names it. */
export interface VersionRecord {
  readonly $schema: string;
  readonly type: 'CapsuleVersion';
  readonly id: string;
  readonly version: string;
  /** Position in the chain of versions, from 0. */
  readonly sequence: number;
  readonly uri: string;
  readonly canonical: string;
  readonly mediaType: string;
  /** Size of the markdown, in bytes. */
  readonly size: number;
  readonly digest: { readonly 'sha-256': string };
  readonly title: string;
  readonly summary: string;
  readonly kind: string;
  readonly tags: readonly string[];
  readonly language: string;
  readonly evidence: string;
  readonly issued: string;
  /** Without a name: that may change, and a record never does. */
  readonly issuer: Pick<NamedIssuer, 'id'>;
  readonly license: string;
  readonly previous?: { readonly version: string; readonly recordDigest: string } | undefined;
  readonly derivedFrom: readonly Derivation[];
  readonly cites: readonly string[];
  readonly activity: Activity;
}

/** A record with its digest and the signatures on it. */
export interface ChainLink {
  readonly record: VersionRecord;
  readonly recordDigest: string;
  readonly signatures: readonly DetachedSignature[];
}

/** What is known of a version before its record is made. */
export interface VersionInput extends Omit<VersionRecord, 'type' | 'sequence' | 'size' | 'digest' | 'previous' | 'mediaType'> {
  readonly markdown: string;
}

/** Media type of the hashed text (RFC 7763). */
const MARKDOWN_MEDIA_TYPE = 'text/markdown; charset=utf-8';

/** Chain of records over versions, oldest first: each names the digest of the one before it. */
export async function chainVersions(versions: readonly VersionInput[]): Promise<ChainLink[]> {
  const chain: ChainLink[] = [];
  for (const [sequence, { markdown, $schema, ...facts }] of versions.entries()) {
    const before = chain[sequence - 1];
    const record: VersionRecord = {
      $schema,
      type: 'CapsuleVersion',
      ...facts,
      sequence,
      mediaType: MARKDOWN_MEDIA_TYPE,
      size: new TextEncoder().encode(markdown).length,
      digest: { 'sha-256': await sha256Hex(markdown) },
      ...(before ? { previous: { version: before.record.version, recordDigest: before.recordDigest } } : {}),
    };
    chain.push({ record, recordDigest: await canonicalDigest(record), signatures: [] });
  }
  return chain;
}

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
  readonly issuer: NamedIssuer;
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
