import { attacker, issuer, type Jws, nameOf, type Party, sha256 } from './parties.ts';

interface Open {
  [member: string]: unknown;
}

export interface SampleRecord extends Open {
  id: string;
  version: string;
  sequence: number;
  canonical: string;
  size: number;
  digest: { 'sha-256': string };
  title: string;
  tags: string[];
  issued: string;
  issuer: { id: string; name: string };
  previous?: { version: string; recordDigest: string };
  derivedFrom: Open[];
}

export interface SampleEntry extends Open {
  record: SampleRecord;
  recordDigest: string;
  signatures: Jws[];
}

export interface SampleHead extends Open {
  id: string;
  issuer: { id: string; name: string };
  status: string;
  head: string;
  version: string;
  count: number;
  issued: string;
  validUntil?: string;
}

export interface SampleLineage extends Open {
  id: string;
  versions: SampleEntry[];
  head: { statement: SampleHead; signatures: Jws[] };
}

export const NOW = '2026-11-22T00:00:00Z';
/** Until when signed heads and manifests of the samples are valid. */
export const VALID_UNTIL = '2026-12-21T00:00:00Z';
export const PUBLISHER = { id: 'did:web:signpost.example', name: 'Signpost' };
export const JWKS = JSON.stringify({ keys: [{ ...issuer.jwk, kid: issuer.kid, alg: 'Ed25519', use: 'sig' }] });
export const JWKS_OF_ATTACKER = JSON.stringify({ keys: [attacker.jwk] });

/** DID document of an identity with one key. */
export function didDocument({ kid, jwk }: Party, id: string): string {
  const method = { id: `${id}#${kid}`, type: 'JsonWebKey', controller: id, publicKeyJwk: jwk };
  return JSON.stringify({
    '@context': ['https://www.w3.org/ns/did/v1'],
    id,
    verificationMethod: [method],
    authentication: [method.id],
    assertionMethod: [method.id],
  });
}

const ISSUED = ['2026-11-19T00:00:00Z', '2026-11-20T00:00:00Z', '2026-11-21T00:00:00Z'];

/** Exact text of a version of a sample; it has characters of one, two, three and four bytes. */
export const textOf = (id: string, sequence: number): string =>
  `# About ${id}\n\nVersion ${sequence + 1}. Élan vital costs 3 € 😀🚀 and no more.\n\nA closing line.\n`;

const addressOf = (id: string, version: string): string => `/capsules/${id}/${version}.md`;

export const textsOf = ({ id, versions }: SampleLineage): Record<string, string> =>
  Object.fromEntries(versions.map(({ record }, at) => [record.canonical, textOf(id, at)]));

function makeRecord(id: string, sequence: number, before: SampleEntry | undefined): SampleRecord {
  const text = textOf(id, sequence);
  const version = `1.${sequence}.0`;
  return {
    $schema: '/schemas/capsule-version/1.json',
    type: 'CapsuleVersion',
    id,
    version,
    sequence,
    uri: `/capsules/${id}`,
    canonical: addressOf(id, version),
    mediaType: 'text/markdown; charset=utf-8',
    size: Buffer.byteLength(text),
    digest: { 'sha-256': sha256(text) },
    title: `What ${id} is – “briefly”`,
    summary: 'A sentence about it.',
    kind: 'concept',
    tags: ['caching', 'http'],
    language: 'en',
    evidence: 'specified',
    issued: ISSUED[sequence] ?? NOW,
    issuer: PUBLISHER,
    license: 'https://spdx.org/licenses/CC-BY-4.0',
    ...(before ? { previous: { version: before.record.version, recordDigest: before.recordDigest } } : {}),
    derivedFrom: [
      { relation: 'wasRevisionOf', uri: '/capsules/older-words' },
      { relation: 'wasDerivedFrom', uri: '/capsules/well-known-uris' },
      {
        relation: 'hadPrimarySource',
        uri: 'https://www.rfc-editor.org/rfc/rfc9111',
        key: 'rfc9111',
        title: 'RFC 9111: HTTP Caching',
        publisher: 'IETF',
        retrieved: '2026-11-18',
      },
      { relation: 'hadPrimarySource', uri: 'https://www.rfc-editor.org/rfc/rfc8785', key: 'rfc8785', title: 'RFC 8785', publisher: 'IETF' },
    ],
    cites: ['/capsules/did-web'],
    activity: { type: 'editorial', agent: { type: 'Organization', name: 'Signpost' } },
  };
}

/** What is changed in a document: members that are set (removed where they are `undefined`), or a function that changes it. */
export type Change<T> = Readonly<Record<string, unknown>> | ((copy: T) => unknown);

function applyChange<T extends object>(document: T, change: Change<T>): void {
  if (typeof change === 'function') change(document);
  else Object.assign(document, change);
}

export interface LineageFacts {
  readonly id?: string;
  readonly count?: number;
  readonly by?: Party;
  readonly change?: Change<SampleRecord>;
  readonly changeHead?: Change<SampleHead>;
}

/** A lineage that holds, unless one of the changes breaks it. */
export async function makeLineage(facts: LineageFacts = {}): Promise<SampleLineage> {
  const { id = 'http-freshness', count = 1, by, change, changeHead } = facts;
  const versions: SampleEntry[] = [];
  for (let sequence = 0; sequence < count; sequence += 1) {
    const record = makeRecord(id, sequence, versions.at(-1));
    if (change) applyChange(record, change);
    versions.push({ record, recordDigest: nameOf(record), signatures: by ? [await by.sign('capsule-version', record)] : [] });
  }
  const newest = versions.at(-1);
  const statement: SampleHead = {
    $schema: '/schemas/lineage-head/1.json',
    type: 'LineageHead',
    id,
    issuer: PUBLISHER,
    status: 'current',
    head: newest?.recordDigest ?? '',
    version: newest?.record.version ?? '',
    count,
    issued: newest?.record.issued ?? NOW,
    ...(by ? { validUntil: VALID_UNTIL } : {}),
  };
  if (changeHead) applyChange(statement, changeHead);
  const graph = { nodes: [{ capsule_id: id, distance: 0, weight: 0.5 }], edges: [], truncated: false };
  return {
    $schema: '/schemas/lineage/1.json',
    id,
    versions,
    head: { statement, signatures: by ? [await by.sign('lineage-head', statement)] : [] },
    graph,
  };
}

/** Item of a list. @throws {RangeError} If it is absent. */
export function at<T>(list: readonly T[], index: number): T {
  const item = list.at(index);
  if (item === undefined) throw new RangeError(`no item ${index}`);
  return item;
}
