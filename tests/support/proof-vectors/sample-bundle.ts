import { type Jws, nameOf, type Party, sha256 } from './parties.ts';
import { at, makeLineage, PUBLISHER, type SampleLineage, textOf, VALID_UNTIL } from './sample.ts';

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

const lineOf = ({ id, versions, head }: SampleLineage): string =>
  `${JSON.stringify({ lineage: { id, versions, head }, texts: versions.map(({ record }, sequence) => ({ version: record.version, markdown: textOf(id, sequence) })) })}\n`;

/** Manifest of lineages, the first two of which stand in the first part. */
export async function makeBundle(lineages: readonly SampleLineage[], by?: Party): Promise<SampleBundle> {
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

const entryOf = (part: string, index: number) => ({
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

type Members = Record<string, unknown>;

function summaryOf({ versions, head }: SampleLineage, sequence: number): Members {
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

interface SampleCapsule extends Members {
  markdown: string;
  tags: string[];
  sources: Members[];
  derived_from: string[];
  cites: string[];
  supersedes: Members[];
  versions: Members[];
}

export function capsuleOf(lineage: SampleLineage, sequence = lineage.versions.length - 1): SampleCapsule {
  return {
    ...summaryOf(lineage, sequence),
    tags: at(lineage.versions, sequence).record.tags,
    sources: [
      {
        key: 'rfc9111',
        title: 'RFC 9111: HTTP Caching',
        url: 'https://www.rfc-editor.org/rfc/rfc9111',
        publisher: 'IETF',
        kind: 'standard',
        retrieved: '2026-11-18',
      },
      { key: 'rfc8785', title: 'RFC 8785', url: 'https://www.rfc-editor.org/rfc/rfc8785', publisher: 'IETF', kind: 'standard' },
    ],
    derived_from: ['well-known-uris'],
    cites: ['did-web'],
    supersedes: [{ capsule_id: 'older-words', reason: 'It was too long.' }],
    versions: lineage.versions.map(({ record, recordDigest }) => ({
      version: record.version,
      issued: record.issued.slice(0, 10),
      content_sha256: record.digest['sha-256'],
      record_digest: recordDigest,
    })),
    markdown: textOf(lineage.id, sequence),
    content_role: 'data',
  };
}
