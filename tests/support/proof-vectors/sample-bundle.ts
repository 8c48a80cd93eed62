import { type Jws, nameOf, type Party, sha256 } from './parties.ts';
import { applyChange, type Change, JWKS, makeLineage, PUBLISHER, type SampleLineage, textOf, VALID_UNTIL } from './sample.ts';
import { at, type Given } from './vector.ts';

export interface SampleManifest {
  statement: {
    [member: string]: unknown;
    issuer: { id: string; name: string };
    corpusDigest: string;
    capsules: number;
    versions: number;
    bundle: { mediaType: string; parts: { uri: string; size: number; lines: number; digest: { 'sha-256': string } }[] };
    changes: { count: number; digest: string | null };
    issued: string;
    validUntil?: string;
  };
  signatures: Jws[];
}

export interface SampleBundle {
  readonly manifest: SampleManifest;
  readonly parts: readonly string[];
}

export const lineOf = ({ id, versions, head }: SampleLineage): string =>
  `${JSON.stringify({ lineage: { id, versions, head }, texts: versions.map(({ record }, sequence) => ({ version: record.version, markdown: textOf(id, sequence) })) })}\n`;

/** Manifest of lineages, the first two of which stand in the first part. */
export async function makeBundle(
  lineages: readonly SampleLineage[],
  by?: Party,
  change?: Change<SampleManifest['statement']>,
): Promise<SampleBundle> {
  const lines = lineages.map(lineOf);
  const parts = [lines.slice(0, 2).join(''), lines.slice(2).join('')];
  const statement: SampleManifest['statement'] = {
    $schema: '/schemas/corpus-manifest/1.json',
    type: 'CorpusManifest',
    issuer: PUBLISHER,
    corpusDigest: corpusDigestOf(lineages),
    capsules: lineages.length,
    versions: lineages.reduce((sum, { versions }) => sum + versions.length, 0),
    bundle: { mediaType: 'application/x-ndjson', parts: parts.map((part, index) => entryOf(part, index)) },
    changes: { count: 4, digest: `sha256:${sha256('log')}` },
    issued: '2026-11-21T00:00:00Z',
    ...(by ? { validUntil: VALID_UNTIL } : {}),
  };
  if (change) applyChange(statement, change);
  return { manifest: { statement, signatures: by ? [await by.sign('corpus-manifest', statement)] : [] }, parts };
}

const corpusDigestOf = (lineages: readonly SampleLineage[]): string =>
  nameOf(
    lineages.map(({ id, versions, head: { statement } }) => ({
      id,
      status: statement.status,
      ...(statement['statusReason'] === undefined ? {} : { statusReason: statement['statusReason'] }),
      ...(statement['supersededBy'] === undefined ? {} : { supersededBy: statement['supersededBy'] }),
      versions: versions.map(({ recordDigest }) => recordDigest),
    })),
  );

export const entryOf = (part: string, index: number) => ({
  uri: `/mirror/corpus-${index}.ndjson`,
  size: Buffer.byteLength(part),
  lines: part.split('\n').length - 1,
  digest: { 'sha-256': sha256(part) },
});

export async function sampleLineages(by?: Party): Promise<SampleLineage[]> {
  return [
    await makeLineage({ ...(by ? { by } : {}), id: 'a-first', count: 2 }),
    await makeLineage({
      ...(by ? { by } : {}),
      id: 'b-second',
      changeHead: { status: 'superseded', statusReason: 'Newer words.', supersededBy: 'c-third' },
    }),
    await makeLineage({ ...(by ? { by } : {}), id: 'c-third' }),
  ];
}

export const bundleGiven = ({ manifest, parts }: SampleBundle, more: Partial<Given> = {}): Given => ({
  document: JSON.stringify(manifest),
  parts,
  trust: JWKS,
  ...more,
});

export type Members = Record<string, unknown>;

export function summaryOf({ versions, head }: SampleLineage, sequence: number): Members {
  const { record } = at(versions, sequence);
  return {
    capsule_id: record.id,
    version: record.version,
    title: record.title,
    summary: record['summary'],
    type: record['kind'],
    tags: record.tags,
    language: record['language'],
    license: 'CC-BY-4.0',
    evidence: record['evidence'],
    status: head.statement.status,
    ...(head.statement['statusReason'] === undefined ? {} : { status_reason: head.statement['statusReason'] }),
    ...(head.statement['supersededBy'] === undefined ? {} : { superseded_by: head.statement['supersededBy'] }),
    access: 'public',
    created: '2026-11-19',
    updated: record.issued.slice(0, 10),
    words: 12,
    tokens: 34,
    content_sha256: record.digest['sha-256'],
  };
}
