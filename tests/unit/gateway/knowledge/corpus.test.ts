import { beforeAll, describe, expect, test } from 'vitest';
import type { BuiltGeneration } from '../../../../src/build/corpus-blocks/build-generation.ts';
import { ERRORS } from '../../../../src/gateway/errors.ts';
import { browseCapsules } from '../../../../src/gateway/knowledge/browse-capsules.ts';
import type { Corpus } from '../../../../src/gateway/knowledge/corpus.ts';
import { queryKnowledge } from '../../../../src/gateway/knowledge/query-knowledge.ts';
import { readCapsule } from '../../../../src/gateway/knowledge/read-capsule.ts';
import { readChanges } from '../../../../src/gateway/knowledge/read-changes.ts';
import { readLineage } from '../../../../src/gateway/knowledge/read-lineage.ts';
import type { BlockStore } from '../../../../src/gateway/platform-ports.ts';
import type { Result } from '../../../../src/gateway/result.ts';
import type { CorpusManifest } from '../../../../src/schemas/knowledge/corpus-responses.ts';
import { QueryRequest } from '../../../../src/schemas/knowledge/query.ts';
import { BASE_URL, codeOf, openCorpus, realGeneration, recordingStore } from '../real-generation.ts';

let generation: BuiltGeneration;
beforeAll(async () => {
  generation = await realGeneration();
});

const READS: [name: string, read: (corpus: Corpus) => Promise<Result<unknown>>][] = [
  ['queryKnowledge()', (corpus) => queryKnowledge(QueryRequest.parse({ query: 'how are capsules ranked' }), corpus, BASE_URL)],
  ['browseCapsules()', (corpus) => browseCapsules({}, corpus, BASE_URL)],
  ['readCapsule()', (corpus) => readCapsule('bm25', undefined, corpus, BASE_URL)],
  ['readLineage()', (corpus) => readLineage({ id: 'bm25', hasCursors: true }, corpus)],
  ['readChanges()', (corpus) => readChanges({}, corpus, { manifest: {} as CorpusManifest, baseUrl: BASE_URL })],
];

const BROKEN: [name: string, store: (good: Map<string, Uint8Array>) => BlockStore][] = [
  ['has no block', () => ({ read: async () => undefined })],
  ['throws', () => ({ read: () => Promise.reject(new Error('KV GET failed: secret details')) })],
  [
    'turned over one bit',
    (good) => ({ read: async (sha256) => good.get(sha256)?.map((byte, index) => (index === 100 ? byte ^ 1 : byte)) }),
  ],
  ['cut blocks off', (good) => ({ read: async (sha256) => good.get(sha256)?.slice(0, -1) })],
  ['mixed blocks up', (good) => ({ read: async (sha256) => [...good].find(([name]) => name !== sha256)?.[1] })],
  ['answers with empty blocks', () => ({ read: async () => new Uint8Array() })],
];

describe.each(READS)('%s', (_name, read) => {
  test.each(BROKEN)('refuses with index_unavailable and a time to come back when the store %s', async (_what, store) => {
    const result = await read(openCorpus(generation, store(new Map(generation.blocks))));
    expect(result).toEqual({ ok: false, refusal: { code: 'index_unavailable', detail: 'The capsule index could not be read.' } });
    expect(ERRORS.index_unavailable.retryAfterSeconds).toBe(30);
  });

  test('answers again as soon as the store does', async () => {
    let down = true;
    const corpus = openCorpus(generation, {
      read: async (sha256) => (down ? Promise.reject(new Error('down')) : generation.blocks.get(sha256)),
    });
    expect(codeOf(await read(corpus))).toBe('index_unavailable');
    down = false;
    expect(codeOf(await read(corpus))).toBe('ok');
  });

  test('reads each block of an answer once, however many ask', async () => {
    const store = recordingStore(generation);
    const corpus = openCorpus(generation, store);
    await Promise.all(Array.from({ length: 20 }, () => read(corpus)));
    expect(new Set(store.asked).size).toBe(store.asked.length);
    const asked = store.asked.length;
    await read(corpus);
    expect(store.asked.length).toBe(asked);
  });
});

describe('a corpus version', () => {
  test('that is not listed is refused without touching the store', async () => {
    const store = recordingStore(generation);
    const corpus = openCorpus(generation, store);
    for (const corpus_version of [
      '0'.repeat(64),
      ...generation.manifest.blocks.index.map(({ sha256 }) => sha256),
      generation.manifest.corpus_digest,
    ]) {
      expect(codeOf(await queryKnowledge(QueryRequest.parse({ query: 'x', corpus_version }), corpus, BASE_URL))).toBe('corpus_superseded');
    }
    expect(store.asked).toEqual([]);
  });

  test('that is listed but lost is unavailable, not superseded', async () => {
    const listed = 'f'.repeat(64);
    const corpus = openCorpus(
      { version: generation.version, manifest: { ...generation.manifest, previous: [listed] } },
      recordingStore(generation),
    );
    expect(codeOf(await queryKnowledge(QueryRequest.parse({ query: 'x', corpus_version: listed }), corpus, BASE_URL))).toBe(
      'index_unavailable',
    );
  });

  test('is the digest of the manifest, and opening the newest one reads nothing', async () => {
    const store = recordingStore(generation);
    const corpus = openCorpus(generation, store);
    expect([corpus.version, corpus.newest.version, corpus.listed]).toEqual([generation.version, generation.version, [generation.version]]);
    expect(store.asked).toEqual([]);
  });
});
