import { describe, expect, test } from 'vitest';
import { headOf } from '../../../src/provenance/lineage-records.ts';
import type { AuthoredVersion } from '../../../src/publication/authored-content.ts';
import { lineageProof, recordChain, versionInput } from '../../../src/publication/publish/lineage-proof.ts';
import type { CapsuleMetadata } from '../../../src/schemas/knowledge/capsule.ts';
import { CapsuleFrontMatter } from '../../../src/schemas/knowledge/capsule-front-matter.ts';
import type { Publisher } from '../../../src/schemas/publisher.ts';

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

describe('a record', () => {
  test('says when a source was opened where its author did, and nothing where it was not', () => {
    const { derivedFrom } = versionInput('a', versionOf('1.0.0', [source, { ...source, key: 'two', retrieved: '2026-11-01' }]), publisher);
    const told = { relation: 'hadPrimarySource', uri: source.url, title: source.title, publisher: source.publisher };
    expect(derivedFrom).toStrictEqual([
      { ...told, key: 'one' },
      { ...told, key: 'two', retrieved: '2026-11-01' },
    ]);
  });
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
