import { beforeAll, describe, expect, test } from 'vitest';
import { type BuiltGeneration, buildGeneration } from '../../../../src/build/corpus-blocks/build-generation.ts';
import type { Corpus } from '../../../../src/gateway/knowledge/corpus.ts';
import { encodeCursor } from '../../../../src/gateway/knowledge/cursor.ts';
import { storedLineage } from '../../../../src/gateway/knowledge/read-generation.ts';
import { provLineage, readLineage, readProvLineage } from '../../../../src/gateway/knowledge/read-lineage.ts';
import { publishCapsules } from '../../../../src/publication/publish/published-capsules.ts';
import { Lineage } from '../../../../src/schemas/knowledge/lineage.ts';
import { LIMITS } from '../../../../src/schemas/limits.ts';
import type { PublishedCapsule } from '../../../../src/text/publication-model.ts';
import { contentOf, syntheticCapsule } from '../../../bench/capsule-corpus.ts';
import { syntheticDocuments } from '../../../bench/synthetic-corpus.ts';
import { seededRandom } from '../../../eval/random.ts';
import { makePublication } from '../../../support/sample-content.ts';
import { BASE_URL, codeOf, expectValue, openCorpus, realCorpus, recordingStore } from '../real-generation.ts';

/** Capsules that rest on one; some of them on each other besides, across pages. */
const DEPENDANTS = 300;
const HUB = 'hub';
const random = seededRandom(3);
const authored = [...syntheticDocuments(DEPENDANTS + 2, 3)].map((document) => ({
  ...syntheticCapsule(document, random, []),
  markdown: `Text of ${document.id}.\n`,
}));
const ids = authored.slice(2).map(({ id }) => id);
const content = contentOf(
  authored.map((capsule, at) => {
    if (at === 0) return { ...capsule, id: HUB };
    if (at === 1) return capsule;
    const other = ids[(at * 7) % ids.length] ?? '';
    return { ...capsule, frontMatter: { ...capsule.frontMatter, derived_from: [HUB], cites: other === capsule.id ? [] : [other] } };
  }),
);

let capsules: PublishedCapsule[];
let generation: BuiltGeneration;
beforeAll(async () => {
  capsules = await publishCapsules(content);
  generation = await buildGeneration(capsules, []);
});

const corpusOf = (built = generation): Corpus => openCorpus(built, recordingStore(built));
const read = async (corpus: Corpus, id: string, cursor?: string): Promise<Lineage> =>
  JSON.parse(expectValue(await readLineage({ id, cursor, hasCursors: true }, corpus))) as Lineage;

async function pagesOf(corpus: Corpus, id: string): Promise<Lineage[]> {
  const pages = [await read(corpus, id)];
  for (let next = pages[0]?.graph.next_cursor ?? null; next !== null; next = pages.at(-1)?.graph.next_cursor ?? null) {
    expect(pages.length).toBeLessThan(100);
    pages.push(await read(corpus, id, next));
  }
  return pages;
}

describe('readLineage()', () => {
  test('gives every capsule around a hub once, nearest first, and every relation once, by following cursors', async () => {
    const pages = await pagesOf(corpusOf(), HUB);
    const hub = capsules.find(({ id }) => id === HUB) as PublishedCapsule;
    expect(pages).toHaveLength(Math.ceil((DEPENDANTS + 1) / LIMITS.lineageMaxNodes));
    const nodes = pages.flatMap(({ graph }) => graph.nodes);
    expect(nodes.map(({ capsule_id, distance }) => [capsule_id, distance])).toEqual([[HUB, 0], ...[...ids].sort().map((id) => [id, 1])]);
    expect(hub.relatives.nodes).toHaveLength(DEPENDANTS + 1);
    const key = (edge: object): string => JSON.stringify(edge);
    expect(
      pages
        .flatMap(({ graph }) => graph.edges)
        .map(key)
        .sort(),
    ).toEqual(hub.relatives.edges.map(key).sort());
    expect(hub.relatives.edges.some(({ relation }) => relation === 'cites')).toBe(true);
    for (const [at, page] of pages.entries()) {
      expect(Lineage.parse(page)).toEqual(page);
      expect([page.graph.total, page.graph.truncated, page.graph.next_cursor === null]).toEqual([
        DEPENDANTS + 1,
        at < pages.length - 1,
        at === pages.length - 1,
      ]);
      expect({ ...page, graph: undefined }).toEqual({ ...pages[0], graph: undefined });
    }
  });

  test('says of each of them what its own document and its own lineage say', async () => {
    const own = new Map(capsules.map((capsule) => [capsule.id, capsule]));
    for (const { graph } of await pagesOf(corpusOf(), HUB))
      for (const node of graph.nodes) {
        const { metadata, lineage } = own.get(node.capsule_id) as PublishedCapsule;
        expect(node).toEqual({
          capsule_id: metadata.capsule_id,
          version: metadata.version,
          title: metadata.title,
          status: metadata.status,
          content_sha256: metadata.content_sha256,
          record_digest: lineage.head.statement.head,
          hash_ok: true,
          distance: node.distance,
          uri: `/capsules/${node.capsule_id}`,
          lineage: `/capsules/${node.capsule_id}/lineage.json`,
        });
      }
  });

  test('gives as its first page the bytes of the published file', async () => {
    for (const mode of ['edge', 'static'] as const) {
      const publication = await makePublication(content, { mode, rateLimits: undefined });
      const corpus = corpusOf(publication.generation);
      for (const { id, lineageText } of publication.publication.capsules.filter((capsule) => [HUB, ids[0]].includes(capsule.id))) {
        expect(lineageText).toBe(expectValue(await readLineage({ id, hasCursors: mode === 'edge' }, corpus)));
        expect(Lineage.parse(JSON.parse(lineageText ?? '')).graph).toMatchObject({
          truncated: id === HUB,
          next_cursor: id === HUB && mode === 'edge' ? expect.any(String) : null,
        });
      }
    }
  });

  test('finds out when a stored text is another than the record says, of that capsule and no other', async () => {
    const [damaged = ''] = ids;
    const built = await buildGeneration(
      capsules.map((capsule) => (capsule.id === damaged ? { ...capsule, markdown: `${capsule.markdown.trimEnd()}!\n` } : capsule)),
      [],
    );
    const nodes = (await pagesOf(corpusOf(built), HUB)).flatMap(({ graph }) => graph.nodes);
    expect(nodes.filter(({ hash_ok }) => !hash_ok).map(({ capsule_id }) => capsule_id)).toEqual([damaged]);
    const own = (await read(corpusOf(built), damaged)).graph.nodes;
    expect(own.map(({ capsule_id, hash_ok }) => [capsule_id, hash_ok])).toContainEqual([damaged, false]);
    expect(own.find(({ capsule_id }) => capsule_id === HUB)?.hash_ok).toBe(true);
  });

  test('reads for a page of the graph as many blocks as that page needs, however many capsules are around', async () => {
    const store = recordingStore(generation);
    const corpus = openCorpus(generation, store);
    const first = await read(corpus, HUB);
    const pages = generation.manifest.blocks.documents.length;
    expect(store.asked.length).toBeLessThanOrEqual(1 + Math.min(pages, LIMITS.lineageMaxNodes));
    await read(corpus, HUB, first.graph.next_cursor ?? '');
    expect(new Set(store.asked).size).toBe(store.asked.length);
    expect(store.asked.length).toBeLessThanOrEqual(2 + pages);
  });
});

test('readProvLineage() reads one block, however many capsules are around', async () => {
  const store = recordingStore(generation);
  const { lineage } = capsules.find(({ id }) => id === HUB) as PublishedCapsule;
  const corpus = openCorpus(generation, store);
  expect(expectValue(await readProvLineage(HUB, corpus, BASE_URL))).toBe(provLineage(lineage, BASE_URL));
  expect(store.asked).toHaveLength(1);
  expect(codeOf(await readProvLineage('no-such-capsule', corpus, BASE_URL))).toBe('capsule_not_found');
});

describe('a cursor of a lineage', () => {
  test('goes on in the generation that it came from', async () => {
    const first = await read(corpusOf(), HUB);
    const [gone = ''] = first.graph.nodes.slice(-1).map(({ capsule_id }) => capsule_id);
    const next = await buildGeneration(await publishCapsules({ ...content, capsules: content.capsules.filter(({ id }) => id !== gone) }), [
      generation,
    ]);
    const corpus = openCorpus(next, recordingStore(generation, next));
    const cursor = first.graph.next_cursor ?? '';
    expect(await read(corpus, HUB, cursor)).toEqual(await read(corpusOf(), HUB, cursor));
    expect((await pagesOf(corpus, HUB))[0]?.graph.total).toBe(DEPENDANTS);
    const alone = openCorpus({ ...next, manifest: { ...next.manifest, previous: [] } }, recordingStore(next));
    expect(codeOf(await readLineage({ id: HUB, cursor, hasCursors: true }, alone))).toBe('corpus_superseded');
  });

  test('of another capsule, of another list, altered or cut is refused', async () => {
    const corpus = corpusOf();
    const cursor = (await read(corpus, HUB)).graph.next_cursor ?? '';
    const position = { corpusVersion: generation.version, offset: LIMITS.lineageMaxNodes };
    const refused = [
      [ids[0] ?? '', cursor],
      ['no-such-capsule', cursor],
      [HUB, encodeCursor(position, { lineage: ids[0] })],
      [HUB, encodeCursor(position, { query: HUB })],
      [HUB, cursor.slice(0, -1)],
      [HUB, `${cursor.startsWith('A') ? 'B' : 'A'}${cursor.slice(1)}`],
      [HUB, 'bm90IGEgY3Vyc29y'],
    ];
    for (const [id = '', wrong] of refused)
      expect(codeOf(await readLineage({ id, cursor: wrong, hasCursors: true }, corpus))).toBe('invalid_cursor');
  });

  test('that stands where no page begins is refused, and is no mistake of ours', async () => {
    for (const offset of [1, 59, DEPENDANTS + 1, 999_999_999]) {
      const cursor = encodeCursor({ corpusVersion: generation.version, offset }, { lineage: HUB });
      expect(await readLineage({ id: HUB, cursor, hasCursors: true }, corpusOf())).toMatchObject({
        refusal: { code: 'invalid_cursor', detail: 'The cursor is damaged. Start again without one.' },
      });
      const unknown = encodeCursor({ corpusVersion: generation.version, offset }, { lineage: 'no-such-capsule' });
      expect(codeOf(await readLineage({ id: 'no-such-capsule', cursor: unknown, hasCursors: true }, corpusOf()))).toBe('capsule_not_found');
    }
  });
});

test('a lineage that was stored and joined again has the bytes that it had, and says nothing of other texts in between', async () => {
  const { corpus, capsules } = await realCorpus();
  const metadata = new Map(capsules.map((capsule) => [capsule.id, capsule.metadata]));
  for (const { id, lineage, relatives } of capsules) {
    expect(expectValue(await readLineage({ id, hasCursors: true }, corpus))).toBe(JSON.stringify(lineage));
    const stored = JSON.stringify(storedLineage(lineage, relatives));
    const around = lineage.graph.nodes.map(({ capsule_id }) => metadata.get(capsule_id));
    expect(around).toHaveLength(relatives.nodes.length);
    for (const other of around) if (other?.capsule_id !== id) expect(stored).not.toContain(other?.content_sha256);
  }
});
