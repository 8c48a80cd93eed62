import { type HexDigest, sha256Hex } from './bytes-and-sha256.ts';
import { canonicalDigest } from './canonical-json.ts';

export type ProvRelation = 'wasDerivedFrom' | 'wasRevisionOf' | 'wasQuotedFrom' | 'hadPrimarySource';

/** A source of a version. Without `digest` its bytes were not stored, without `retrieved` it was not opened. */
export interface Derivation {
  readonly relation: ProvRelation;
  readonly uri: string;
  readonly key?: string | undefined;
  readonly title?: string | undefined;
  readonly publisher?: string | undefined;
  readonly retrieved?: string | undefined;
  readonly digest?: { readonly 'sha-256': string } | undefined;
}

export interface Activity {
  readonly type: 'editorial';
  readonly agent: { readonly type: 'Person' | 'Organization' | 'SoftwareAgent'; readonly name: string };
}

export interface NamedIssuer {
  readonly id: string;
  readonly name: string;
}

/** Flattened JWS with detached payload (RFC 7515 appendix F). */
export interface DetachedSignature {
  readonly protected: string;
  readonly signature: string;
}

export interface VersionRecord {
  readonly $schema: string;
  readonly type: 'CapsuleVersion';
  readonly id: string;
  readonly version: string;
  readonly sequence: number;
  readonly uri: string;
  readonly canonical: string;
  readonly mediaType: string;
  readonly size: number;
  readonly digest: { readonly 'sha-256': string };
  readonly title: string;
  readonly summary: string;
  readonly kind: string;
  readonly tags: readonly string[];
  readonly language: string;
  readonly evidence: string;
  readonly issued: string;
  /** Without a name, which may change: a record never does. */
  readonly issuer: Pick<NamedIssuer, 'id'>;
  readonly license: string;
  readonly previous?: { readonly version: string; readonly recordDigest: string } | undefined;
  readonly derivedFrom: readonly Derivation[];
  readonly cites: readonly string[];
  readonly activity: Activity;
}

export interface ChainLink {
  readonly record: VersionRecord;
  readonly recordDigest: string;
  readonly signatures: readonly DetachedSignature[];
}

export interface VersionInput extends Omit<VersionRecord, 'type' | 'sequence' | 'size' | 'digest' | 'previous' | 'mediaType'> {
  readonly markdown: string;
}

/** Media type of the hashed text (RFC 7763). */
const MARKDOWN_MEDIA_TYPE = 'text/markdown; charset=utf-8';

/** Chain of records of versions, oldest first: each names the digest of its predecessor. */
export async function chainVersions(versions: readonly VersionInput[], hexDigest: HexDigest = sha256Hex): Promise<ChainLink[]> {
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
      digest: { 'sha-256': await hexDigest(markdown) },
      ...(before ? { previous: { version: before.record.version, recordDigest: before.recordDigest } } : {}),
    };
    chain.push({ record, recordDigest: await canonicalDigest(record, hexDigest), signatures: [] });
  }
  return chain;
}

export interface LineageState {
  readonly status: 'current' | 'superseded' | 'retracted';
  readonly statusReason?: string | undefined;
  readonly supersededBy?: string | undefined;
}

/** Statement about the newest version and the status of a capsule, which reveals an omitted version or a changed status. */
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

/** @throws {TypeError} If the chain is empty. */
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

export interface DigestedLineage {
  readonly versions: readonly { readonly recordDigest: string }[];
  readonly head: { readonly statement: Pick<LineageHead, 'id' | 'status' | 'statusReason' | 'supersededBy'> };
}

/** Digest of a corpus, `sha256:…`, from its lineages by ascending id: records and status of each. It proves that none is missing. */
export function corpusDigest(lineages: readonly DigestedLineage[]): Promise<string> {
  return canonicalDigest(
    lineages.map(({ versions, head: { statement } }) => ({
      id: statement.id,
      status: statement.status,
      statusReason: statement.statusReason,
      supersededBy: statement.supersededBy,
      versions: versions.map(({ recordDigest }) => recordDigest),
    })),
  );
}
