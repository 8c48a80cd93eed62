import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sha256Hex } from '../../../src/provenance/bytes-and-sha256.ts';
import { canonicalDigest } from '../../../src/provenance/canonical-json.ts';
import { chainVersions, corpusDigest, type DigestedLineage, headOf, type VersionInput } from '../../../src/provenance/lineage-records.ts';
import type { AuthoredVersion } from '../../../src/publication/authored-content.ts';
import { lineageProof, recordChain, versionInput } from '../../../src/publication/publish/lineage-proof.ts';
import type { CapsuleMetadata } from '../../../src/schemas/knowledge/capsule.ts';
import { CapsuleType } from '../../../src/schemas/knowledge/capsule-fields.ts';
import { CapsuleFrontMatter } from '../../../src/schemas/knowledge/capsule-front-matter.ts';
import { EVIDENCE_LEVELS } from '../../../src/schemas/knowledge/kinds-and-levels.ts';
import { CapsuleVersionRecord } from '../../../src/schemas/knowledge/lineage.ts';
import type { Publisher } from '../../../src/schemas/publisher.ts';

const word = fc.stringMatching(/^[a-z]{1,12}$/);
const day = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }).map((date) => date.toISOString().slice(0, 10));
const number = fc.nat(99);
const facts: fc.Arbitrary<VersionInput> = fc.record({
  $schema: fc.constant('/schemas/capsule-version/1.json'),
  id: word,
  version: fc.tuple(number, number, number).map((parts) => parts.join('.')),
  uri: word.map((id) => `/capsules/${id}`),
  canonical: word.map((id) => `/capsules/${id}/1.0.0.md`),
  issued: day.map((date) => `${date}T00:00:00Z`),
  title: fc.string({ unit: 'grapheme', minLength: 1 }),
  summary: fc.string({ unit: 'grapheme', minLength: 1 }),
  kind: fc.constantFrom(...CapsuleType.options),
  tags: fc.uniqueArray(word, { maxLength: 3 }),
  language: fc.constantFrom('en', 'de', 'pt-BR'),
  evidence: fc.constantFrom(...EVIDENCE_LEVELS),
  issuer: fc.record({ id: word.map((host) => `did:web:${host}`) }),
  license: fc.constantFrom('https://spdx.org/licenses/CC-BY-4.0', 'https://spdx.org/licenses/MIT'),
  derivedFrom: fc.array(
    fc.record(
      {
        relation: fc.constantFrom('wasDerivedFrom', 'hadPrimarySource'),
        uri: word.map((path) => `https://${path}.example/`),
        key: word,
        title: fc.string({ unit: 'grapheme', minLength: 1 }),
        publisher: fc.string({ unit: 'grapheme', minLength: 1 }),
        retrieved: day,
      },
      { requiredKeys: ['relation', 'uri'] },
    ),
    { maxLength: 3 },
  ),
  cites: fc.array(
    word.map((id) => `/capsules/${id}`),
    { maxLength: 3 },
  ),
  activity: fc.record({
    type: fc.constant('editorial'),
    agent: fc.record({ type: fc.constantFrom('Person', 'Organization', 'SoftwareAgent'), name: word }),
  }),
  markdown: fc.string({ unit: 'grapheme' }).map((text) => `${text}\n`),
}) as fc.Arbitrary<VersionInput>;
/** The published schema, and nothing besides it: what a record has more would be digested without being described. */
const ExactRecord = z.strictObject(CapsuleVersionRecord.shape);
const histories = fc.array(facts, { minLength: 1, maxLength: 5 });

describe('chainVersions()', () => {
  test('makes records of the published form, each with the digest and size of its text, and the digest of the record before', async () => {
    await fc.assert(
      fc.asyncProperty(histories, async (versions) => {
        const chain = await chainVersions(versions);
        expect(chain).toHaveLength(versions.length);
        for (const [index, { record, recordDigest, signatures }] of chain.entries()) {
          const text = versions[index]?.markdown ?? '';
          expect(ExactRecord.parse(record)).toEqual(record);
          expect([record.sequence, record.size, record.digest['sha-256']]).toEqual([index, Buffer.byteLength(text), await sha256Hex(text)]);
          // RFC 7763: the type of markdown names its character encoding.
          expect(record.mediaType).toBe('text/markdown; charset=utf-8');
          expect(recordDigest).toBe(await canonicalDigest(record));
          expect(signatures).toEqual([]);
          const before = chain[index - 1];
          expect(record.previous).toEqual(before && { version: before.record.version, recordDigest: before.recordDigest });
          expect('previous' in record).toBe(index > 0);
          expect(JSON.stringify(record)).not.toContain('"markdown"');
        }
      }),
    );
  });

  test('gives another head after any change of any fact or text of any version', async () => {
    await fc.assert(
      fc.asyncProperty(histories, facts, fc.nat(), fc.nat(), async (versions, other, at, which) => {
        const position = at % versions.length;
        const fields = Object.keys(other) as (keyof VersionInput)[];
        const field = fields[which % fields.length] ?? 'markdown';
        const changed = versions.map((version, index) => (index === position ? { ...version, [field]: other[field] } : version));
        fc.pre(JSON.stringify(changed) !== JSON.stringify(versions));
        const [before, after] = [await chainVersions(versions), await chainVersions(changed)];
        expect(after.at(-1)?.recordDigest).not.toBe(before.at(-1)?.recordDigest);
        for (let index = 0; index < position; index += 1) expect(after[index]).toEqual(before[index]);
        for (let index = position; index < before.length; index += 1)
          expect(after[index]?.recordDigest).not.toBe(before[index]?.recordDigest);
      }),
    );
  });

  test('gives another head when a version is left out, added or put elsewhere', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(facts, { minLength: 2, maxLength: 5 }), fc.nat(), async (versions, at) => {
        const position = at % versions.length;
        const head = (await chainVersions(versions)).at(-1)?.recordDigest;
        const without = versions.filter((_, index) => index !== position);
        expect((await chainVersions(without)).at(-1)?.recordDigest).not.toBe(head);
        const turned = [...versions].reverse();
        fc.pre(JSON.stringify(turned) !== JSON.stringify(versions));
        expect((await chainVersions(turned)).at(-1)?.recordDigest).not.toBe(head);
      }),
    );
  });
});

type State = DigestedLineage['head']['statement'];

const lineage = (records: readonly string[], statement: State): DigestedLineage => ({
  versions: records.map((recordDigest) => ({ recordDigest })),
  head: { statement },
});
const current: State = { id: 'b', status: 'current' };
const superseded: State = { id: 'a', status: 'superseded', statusReason: 'Newer.', supersededBy: 'b' };

describe('corpusDigest()', () => {
  test('names the list that docs/proof-format.md describes', async () => {
    const list =
      '[{"id":"a","status":"superseded","statusReason":"Newer.","supersededBy":"b","versions":["sha256:1","sha256:2"]},{"id":"b","status":"current","versions":["sha256:3"]}]';
    expect(await corpusDigest([lineage(['sha256:1', 'sha256:2'], superseded), lineage(['sha256:3'], current)])).toBe(
      `sha256:${await sha256Hex(list)}`,
    );
    expect(await corpusDigest([])).toBe(`sha256:${await sha256Hex('[]')}`);
  });

  test('is another one after any change of a record or a state, and after any loss', async () => {
    const corpora: DigestedLineage[][] = [
      [lineage(['sha256:1', 'sha256:2'], superseded)],
      [lineage(['sha256:2', 'sha256:1'], superseded)],
      [lineage(['sha256:1'], superseded)],
      [lineage(['sha256:1', 'sha256:3'], superseded)],
      [lineage(['sha256:1', 'sha256:2'], { ...superseded, id: 'c' })],
      [lineage(['sha256:1', 'sha256:2'], { ...superseded, status: 'retracted' })],
      [lineage(['sha256:1', 'sha256:2'], { ...superseded, statusReason: 'Wrong.' })],
      [lineage(['sha256:1', 'sha256:2'], { ...superseded, statusReason: undefined })],
      [lineage(['sha256:1', 'sha256:2'], { ...superseded, supersededBy: 'd' })],
      [lineage(['sha256:1', 'sha256:2'], { ...superseded, supersededBy: undefined })],
      [lineage(['sha256:1', 'sha256:2'], superseded), lineage(['sha256:3'], current)],
      [],
    ];
    expect(new Set(await Promise.all(corpora.map(corpusDigest))).size).toBe(corpora.length);
  });

  test('does not see what is no content: who says it, when, and members that are not there', async () => {
    const head = { ...current, issued: '2026-11-01T00:00:00Z', issuer: { id: 'did:web:a.example', name: 'A' }, statusReason: undefined };
    expect(await corpusDigest([lineage(['sha256:1'], head)])).toBe(await corpusDigest([lineage(['sha256:1'], current)]));
  });
});

const publisher = { issuer: 'did:web:signpost.example', name: 'Signpost' } as Publisher;
const source = { key: 'one', title: 'A source', url: 'https://www.rfc-editor.org/rfc/rfc9110', publisher: 'IETF', kind: 'standard' };
const versionOf = (version: string, sources: readonly object[]): AuthoredVersion =>
  ({
    frontMatter: CapsuleFrontMatter.parse({
      title: 'A capsule for tests',
      summary: 'State the claim of this capsule in one sentence that can be quoted alone, as here.',
      type: 'concept',
      tags: ['agents', 'testing'],
      version,
      evidence: 'documented',
      license: 'CC-BY-4.0',
      created: '2026-11-01',
      updated: '2026-11-02',
      sources,
    }),
    markdown: `The text of version ${version}.\n`,
  }) as AuthoredVersion;

test('a record says when a source was opened where its author did, and nothing where it was not', () => {
  const { derivedFrom } = versionInput('a', versionOf('1.0.0', [source, { ...source, key: 'two', retrieved: '2026-11-01' }]), publisher);
  const told = { relation: 'hadPrimarySource', uri: source.url, title: source.title, publisher: source.publisher };
  expect(derivedFrom).toStrictEqual([
    { ...told, key: 'one' },
    { ...told, key: 'two', retrieved: '2026-11-01' },
  ]);
});

describe('a head', () => {
  const headWith = async (state: Partial<CapsuleMetadata>) => {
    const versions = [versionOf('1.0.0', [source]), versionOf('1.1.0', [source])];
    const chain = await recordChain(versions.map((version) => versionInput('a', version, publisher)));
    const { head } = lineageProof(chain, { status: 'current', ...state } as CapsuleMetadata, publisher);
    return { chain, statement: head.statement };
  };

  test('names the newest record, and how many there are', async () => {
    const { chain, statement } = await headWith({});
    expect(statement).toMatchObject({ id: 'a', version: '1.1.0', count: 2, head: chain[1]?.recordDigest });
  });

  test.each<[Partial<CapsuleMetadata>, object]>([
    [{ status: 'current' }, { status: 'current' }],
    [
      { status: 'superseded', status_reason: 'Newer words.', superseded_by: 'b' },
      { status: 'superseded', statusReason: 'Newer words.', supersededBy: 'b' },
    ],
    [
      { status: 'retracted', status_reason: 'It was wrong.' },
      { status: 'retracted', statusReason: 'It was wrong.' },
    ],
  ])('gives the state %j, with the members that it has', async (state, told) => {
    const { statement } = await headWith(state);
    const members = Object.entries(statement).filter(([name]) => name.startsWith('status') || name === 'supersededBy');
    expect(Object.fromEntries(members)).toStrictEqual(told);
  });

  test('is of a capsule with a version', () => {
    expect(() => headOf([], { $schema: '', issuer: { id: 'a', name: 'A' }, status: 'current' })).toThrow(
      new TypeError('a capsule has at least one version'),
    );
  });
});
