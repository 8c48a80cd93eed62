import { beforeAll, describe, expect, it, test } from 'vitest';
import { type BuiltGeneration, buildGeneration } from '../../../../src/build/corpus-blocks/build-generation.ts';
import { parseManifest } from '../../../../src/build/corpus-blocks/generation-store.ts';
import { browseCapsules } from '../../../../src/gateway/knowledge/browse-capsules.ts';
import { queryKnowledge } from '../../../../src/gateway/knowledge/query-knowledge.ts';
import type { StoredLineage } from '../../../../src/gateway/knowledge/read-generation.ts';
import { readLineage } from '../../../../src/gateway/knowledge/read-lineage.ts';
import { pageOf, RecordPage } from '../../../../src/gateway/knowledge/record-pages.ts';
import { sha256Hex } from '../../../../src/provenance/bytes-and-sha256.ts';
import { canonicalJson } from '../../../../src/provenance/canonical-json.ts';
import type { AuthoredCapsule, AuthoredContent } from '../../../../src/publication/authored-content.ts';
import { payableContent, publishCapsules } from '../../../../src/publication/publish/published-capsules.ts';
import { type BlockReference, GenerationManifest, StoredVersion } from '../../../../src/schemas/knowledge/generation-manifest.ts';
import { Lineage } from '../../../../src/schemas/knowledge/lineage.ts';
import { QueryRequest } from '../../../../src/schemas/knowledge/query.ts';
import { type MeasuredChange, makeChangeableCorpus } from '../../../bench/measure-change.ts';
import { logOf } from '../../../support/generations.ts';
import { readSample } from '../../../support/sample-content.ts';
import {
  BASE_URL,
  expectValue,
  openCorpus,
  realCapsules,
  realContent,
  realGeneration,
  recordingStore,
} from '../../gateway/real-generation.ts';

/** Capsules that are published over and over: enough for several pages, few enough to be quick. */
const FEW = 20;

let content: AuthoredContent;
let first: BuiltGeneration;
beforeAll(async () => {
  const real = await realContent();
  content = { ...real, capsules: real.capsules.slice(0, FEW) };
  first = await publish(content, []);
});

async function publish(from: AuthoredContent, history: readonly BuiltGeneration[]): Promise<BuiltGeneration> {
  const [newest] = history;
  return buildGeneration(await publishCapsules(from), history, newest ? { changes: logOf(newest) } : {});
}

function edited(id: string, change: (capsule: AuthoredCapsule) => Partial<AuthoredCapsule>): AuthoredContent {
  return { ...content, capsules: content.capsules.map((capsule) => (capsule.id === id ? { ...capsule, ...change(capsule) } : capsule)) };
}
const addSentence = (id: string, sentence: string): AuthoredContent =>
  edited(id, ({ markdown }) => ({ markdown: `${markdown.trimEnd()} ${sentence}\n` }));
const changed = (name: 'documents' | 'history' | 'lineages' | 'changes', before: BuiltGeneration, after: BuiltGeneration): number[] =>
  after.manifest.blocks[name].flatMap(({ sha256 }, index) => (sha256 === before.manifest.blocks[name][index]?.sha256 ? [] : [index]));
const blockOf = (sha256: string, { blocks }: BuiltGeneration = first): Uint8Array => blocks.get(sha256) ?? new Uint8Array();
function find<T>(generation: BuiltGeneration, pages: readonly { readonly sha256: string }[], id: string): T | undefined {
  return new RecordPage<T>(blockOf(pages[pageOf(id, pages.length)]?.sha256 ?? '', generation)).find(id);
}
const newBlocks = (before: BuiltGeneration, after: BuiltGeneration): string[] =>
  [...after.blocks.keys()].filter((sha256) => !before.blocks.has(sha256));

describe('buildGeneration()', () => {
  test('names every block, and the manifest, by its digest', async () => {
    for (const [sha256, bytes] of first.blocks) expect(await sha256Hex(bytes)).toBe(sha256);
    const bytes = first.blocks.get(first.version);
    expect(GenerationManifest.parse(JSON.parse(new TextDecoder().decode(bytes)))).toEqual(first.manifest);
    const references = Object.values(first.manifest.blocks).flatMap((kind): readonly BlockReference[] => kind ?? []);
    expect([...first.blocks.keys()].sort()).toEqual([...new Set([first.version, ...references.map(({ sha256 }) => sha256)])].sort());
    for (const reference of references) expect(first.blocks.get(reference.sha256)?.length).toBe(reference.bytes);
  });

  test('gives the same version and bytes for the same content', async () => {
    const [one, again] = [await realGeneration(), await publish(payableContent(await readSample({ memory: undefined }), 'edge'), [])];
    expect(again.version).toBe(one.version);
    expect([...again.blocks]).toEqual([...one.blocks]);
  });

  test('repeats the newest generation when nothing changed', async () => {
    const second = await publish(content, [first]);
    expect([second.version, second.manifest]).toEqual([first.version, first.manifest]);
    expect(second.blocks.has(first.version)).toBe(true);
    expect((await publish(content, [second, first])).version).toBe(first.version);
  });

  test('writes only the page of a changed text, its own lineage, the last page of the log, the index and the manifest', async () => {
    const second = await publish(addSentence('bm25', 'An added sentence.'), [first]);
    const { documents, index, history } = second.manifest.blocks;
    const page = documents.findLastIndex(({ first: id }) => id <= 'bm25');
    expect(documents.map(({ first: id }) => id)).toEqual(first.manifest.blocks.documents.map(({ first: id }) => id));
    expect(changed('documents', first, second)).toEqual([page]);
    expect(history).toEqual(first.manifest.blocks.history);
    expect(changed('lineages', first, second)).toEqual([pageOf('bm25', second.manifest.blocks.lineages.length)]);
    const { changes } = second.manifest.blocks;
    expect(changed('changes', first, second)).toEqual([changes.length - 1]);
    expect(newBlocks(first, second)).toHaveLength(1 + index.length + 1 + 1 + 1);
    expect(second.manifest.corpus_digest).not.toBe(first.manifest.corpus_digest);
    expect(second.manifest.previous).toEqual([first.version]);
  });

  test('stores newest versions on pages in the order of document numbers, as the manifest states', () => {
    const { documents } = first.manifest.blocks;
    const ids: string[] = [];
    for (const reference of documents) {
      const page = new RecordPage<StoredVersion>(blockOf(reference.sha256));
      const stored = Array.from({ length: reference.documents }, (_, at) => StoredVersion.parse(page.at(at)));
      expect(page.at(reference.documents)).toBeUndefined();
      expect(stored[0]?.metadata.capsule_id).toBe(reference.first);
      for (const { metadata } of stored) expect(metadata.version).toBe(metadata.versions.at(-1)?.version);
      ids.push(...stored.map(({ metadata }) => metadata.capsule_id));
      expect(reference.bytes).toBeLessThan(256 * 1024);
    }
    expect(ids).toEqual(content.capsules.map(({ id }) => id).sort());
    expect(first.manifest.index.documents).toBe(ids.length);
  });

  test('stores earlier versions and lineages once, on the pages of their ids', async () => {
    const [whole, capsules] = [await realGeneration(), await realCapsules()];
    const { history, lineages } = whole.manifest.blocks;
    const corpus = openCorpus(whole, recordingStore(whole));
    expect(capsules.some(({ versions }) => versions.length > 1)).toBe(true);
    for (const { id, versions, lineage } of capsules) {
      const earlier = find<StoredVersion[]>(whole, history, id);
      expect(earlier?.map(({ metadata }) => metadata.version)).toEqual(
        versions.length > 1 ? versions.slice(0, -1).map(({ metadata }) => metadata.version) : undefined,
      );
      for (const version of earlier ?? []) StoredVersion.parse(version);
      expect(find<StoredLineage>(whole, lineages, id)?.proof.id).toBe(id);
      const text = expectValue(await readLineage({ id, hasCursors: true }, corpus));
      expect(text).toBe(JSON.stringify(lineage));
      Lineage.parse(JSON.parse(text));
    }
    for (const { bytes } of [...history, ...lineages]) expect(bytes).toBeLessThan(256 * 1024);
  });

  test('continues the change log, whose end the manifest states', async () => {
    const second = await publish(addSentence('bm25', 'An added sentence.'), [first]);
    const [before, after] = [logOf(first), logOf(second)];
    expect(after.slice(0, before.length)).toEqual(before);
    expect(after.slice(before.length)).toMatchObject([{ event: 'revised', capsule_id: 'bm25', count: before.length + 1 }]);
    for (const { manifest, blocks } of [first, second]) {
      const log = logOf({ manifest, blocks });
      expect(manifest.changes).toEqual({ count: log.length, digest: log.at(-1)?.digest });
      let start = 0;
      for (const reference of manifest.blocks.changes) {
        expect([reference.start, reference.events]).toEqual([start, log.slice(start, start + reference.events).length]);
        start += reference.events;
      }
      expect(start).toBe(log.length);
    }
    expect(logOf(await publish({ ...content, capsules: [] }, [first])).at(-1)).toMatchObject({ event: 'removed', count: 2 * FEW });
  });

  test('contains no address of a deployment', () => {
    const all = [...first.blocks].map(([, bytes]) => new TextDecoder().decode(bytes)).join('\n');
    expect(all).not.toContain(content.publisher.base_url);
    expect(all).not.toContain(content.publisher.checkout_host);
  });

  test('counts capsules and versions', () => {
    const { counts } = first.manifest;
    expect(counts.capsules).toBe(content.capsules.length);
    expect(counts.current + counts.superseded + counts.retracted).toBe(counts.capsules);
    expect(counts.versions).toBe(content.capsules.reduce((sum, { frozen }) => sum + frozen.length + 1, 0));
  });

  test('answers queries without any capsules', async () => {
    const empty = await publish({ ...content, capsules: [] }, [first]);
    const corpus = openCorpus(empty, recordingStore(empty));
    expect(expectValue(await queryKnowledge(QueryRequest.parse({ query: 'http' }), corpus, BASE_URL)).page.total).toBe(0);
    expect(expectValue(await browseCapsules({}, corpus, BASE_URL)).items).toEqual([]);
  });

  test('does not list generations that this code would answer differently', async () => {
    const foreign = { ...first, manifest: { ...first.manifest, ranking_version: first.manifest.ranking_version + 1 } };
    expect((await publish(addSentence('bm25', 'An added sentence.'), [foreign, first])).manifest.previous).toHaveLength(1);
  });
});

test('a manifest of an index before format 3 is read by publishing, which continues its change log, and is not listed by the next generation', async () => {
  const { manifest } = await buildGeneration([], []);
  if ('head' in manifest.index) throw new Error('the head of a small index is in the manifest');
  const { tables: _tables, ...index } = manifest.index;
  const earlier = { ...manifest, index: { ...index, format: 2 } };
  const bytes = new TextEncoder().encode(canonicalJson(earlier));
  expect(parseManifest(bytes)).toEqual(earlier);
  expect((await buildGeneration([], [{ version: await sha256Hex(bytes), manifest: earlier }])).manifest.previous).toEqual([]);
});

const KEYS_MAX = 12;

it('writes at most 12 keys for one changed, added or removed capsule, and of most kinds only those that name it', async () => {
  // So few that each text is parsed once; documents and lineages still fill several blocks.
  const corpus = await makeChangeableCorpus(125, 7);
  expect(corpus.blocks.documents).toBeGreaterThan(5);
  expect(corpus.blocks.lineages).toBeGreaterThan(2);
  const changes = new Map<string, MeasuredChange>();
  for await (const change of corpus.changes()) changes.set(change.name, change);
  const renewal = changes.get('renewal of a month');
  expect([renewal?.byKind.manifest, renewal?.byKind.changes, renewal?.byKind.documents]).toEqual([1, undefined, undefined]);
  changes.delete('renewal of a month');
  for (const { name, keys, byKind } of changes.values()) {
    expect(keys, name).toBeLessThanOrEqual(KEYS_MAX);
    expect([byKind.changes, byKind.manifest], name).toEqual([1, 1]);
    expect(byKind.documents, name).toBeLessThanOrEqual(2);
  }
  for (const name of ['edit of a text', 'edit of the most referenced']) {
    expect(changes.get(name)?.byKind.lineages, 'a change of a text rewrites no lineage of another capsule').toBe(1);
    expect(changes.get(name)?.byKind.relatives, 'nor what is around it').toBeUndefined();
  }
  expect(changes.size).toBe(5);
});
