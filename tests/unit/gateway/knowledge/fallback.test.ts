import { beforeAll, describe, expect, test } from 'vitest';
import type { BuiltGeneration } from '../../../../src/build/corpus-blocks/build-generation.ts';
import { browseCapsules } from '../../../../src/gateway/knowledge/browse-capsules.ts';
import { Corpus } from '../../../../src/gateway/knowledge/corpus.ts';
import { fetchCapsules } from '../../../../src/gateway/knowledge/fetch-capsules.ts';
import { BlockCache } from '../../../../src/gateway/knowledge/load-block.ts';
import { queryKnowledge, queryKnowledgeText } from '../../../../src/gateway/knowledge/query-knowledge.ts';
import { readCapsule, similarCapsules } from '../../../../src/gateway/knowledge/read-capsule.ts';
import { readLineage } from '../../../../src/gateway/knowledge/read-lineage.ts';
import { reportStatus } from '../../../../src/gateway/knowledge/report-status.ts';
import type { BlockStore } from '../../../../src/gateway/platform-ports.ts';
import { ok, type Result } from '../../../../src/gateway/result.ts';
import { FetchRequest } from '../../../../src/schemas/knowledge/corpus-responses.ts';
import type { GenerationManifest } from '../../../../src/schemas/knowledge/generation-manifest.ts';
import { QueryRequest, type QueryResponse } from '../../../../src/schemas/knowledge/query.ts';
import { testRanking } from '../../../support/compiled-kernel.ts';
import { ADDED, makeTwoGenerations } from '../../../support/generations.ts';
import { BASE_URL, codeOf, expectValue } from '../real-generation.ts';

let older: BuiltGeneration;
let newer: BuiltGeneration;
beforeAll(async () => {
  ({ older, newer } = await makeTwoGenerations());
}, 60_000);

const KNOWN = 'http-freshness';
const NEW = ADDED[0] ?? '';
type Part = keyof GenerationManifest['blocks'];
type Damage = 'missing' | 'cut' | 'zeroed' | 'half zeroed' | 'unreachable';

/** A corpus of which some blocks of the newest generation alone are damaged, its clock, and what it asked for. */
function openDamaged(parts: readonly Part[], damage: Damage) {
  const own = (generation: BuiltGeneration): string[] =>
    parts.flatMap((part) => (generation.manifest.blocks[part] ?? []).map(({ sha256 }) => sha256));
  const shared = new Set(own(older));
  const damaged = new Set(own(newer).filter((sha256) => !shared.has(sha256)));
  const good = new Map([...older.blocks, ...newer.blocks]);
  const asked: string[] = [];
  const store: BlockStore = {
    read: async (sha256) => {
      asked.push(sha256);
      const bytes = good.get(sha256);
      if (!damaged.has(sha256) || bytes === undefined) return bytes;
      if (damage === 'unreachable') throw new Error('down');
      if (damage === 'missing') return undefined;
      return damage === 'cut' ? bytes.slice(0, -1) : bytes.slice().fill(0, damage === 'zeroed' ? 4 : bytes.length >> 1);
    },
  };
  const clock = { ms: 1_000_000 };
  const corpus = new Corpus(newer, store, new BlockCache(64 * 1024 * 1024), testRanking(), { nowMs: () => clock.ms });
  return { corpus, clock, asked, damaged, mend: () => damaged.clear() };
}

const SITE = { baseUrl: BASE_URL, offers: [] };

type Read = (corpus: Corpus, onFallback: () => void) => Promise<Result<{ corpus_version: string }>>;
const READS: [name: string, read: Read][] = [
  [
    'queryKnowledge()',
    (corpus, onFallback) => queryKnowledge(QueryRequest.parse({ query: 'cache freshness' }), corpus, BASE_URL, onFallback),
  ],
  [
    'queryKnowledgeText(), whose answers are kept,',
    async (corpus, onFallback) => {
      const text = await queryKnowledgeText(QueryRequest.parse({ query: 'cache freshness' }), corpus, SITE, onFallback);
      return text.ok ? ok(JSON.parse(text.value) as QueryResponse) : text;
    },
  ],
  ['browseCapsules()', (corpus, onFallback) => browseCapsules({ tag: 'http' }, corpus, BASE_URL, onFallback)],
  ['relatedCapsules()', (corpus, onFallback) => similarCapsules(KNOWN, corpus, BASE_URL, onFallback)],
];

async function tried(read: Read, corpus: Corpus): Promise<{ version: string; isEarlier: boolean }> {
  let isEarlier = false;
  const result = await read(corpus, () => {
    isEarlier = true;
  });
  return { version: result.ok ? result.value.corpus_version : result.refusal.code, isEarlier };
}

describe.each(READS)('%s, while the newest generation is not whole', (_name, read) => {
  test.each([
    ['index', 'missing'],
    ['index', 'cut'],
    ['index', 'zeroed'],
    ['documents', 'missing'],
    ['documents', 'zeroed'],
  ] as const)('is answered by the one before where %s is %s, with the bytes that it had as the newest', async (part, damage) => {
    const { corpus } = openDamaged([part], damage);
    const before = new Corpus(older, { read: async (sha256) => older.blocks.get(sha256) }, new BlockCache(1 << 26), testRanking());
    const found = await read(corpus, () => undefined);
    expect(found).toEqual(await read(before, () => undefined));
    expect(expectValue(found).corpus_version).toBe(older.version);
  });

  test('is not answered by another where the store does not answer, where nobody can be told, or where all are broken', async () => {
    expect(await tried(read, openDamaged(['index', 'documents'], 'unreachable').corpus)).toEqual({
      version: 'index_unavailable',
      isEarlier: false,
    });
    const none = new Corpus(newer, { read: async () => undefined }, new BlockCache(1), testRanking());
    expect(await tried(read, none)).toEqual({ version: 'index_unavailable', isEarlier: false });
    expect(none.skippedGenerations).toEqual([]);
  });

  test('passes the newest over for a minute, then tries it again', async () => {
    const { corpus, clock, asked, damaged, mend } = openDamaged(['index', 'documents'], 'missing');
    expect(await tried(read, corpus)).toEqual({ version: older.version, isEarlier: true });
    expect(corpus.skippedGenerations).toEqual([{ version: newer.version, block: [...damaged].find((sha256) => asked.includes(sha256)) }]);
    asked.length = 0;
    clock.ms += 59_999;
    mend();
    expect(await tried(read, corpus)).toEqual({ version: older.version, isEarlier: true });
    expect(asked).toEqual([]);
    clock.ms += 1;
    expect(await tried(read, corpus)).toEqual({ version: newer.version, isEarlier: false });
    expect(corpus.skippedGenerations).toEqual([]);
  });

  test('tries the newest at once after the clock was set back, and reads an index anew that was damaged on the way', async () => {
    const { corpus, clock, mend } = openDamaged(['index'], 'half zeroed');
    expect((await tried(read, corpus)).isEarlier).toBe(true);
    mend();
    clock.ms -= 86_400_000;
    expect(await tried(read, corpus)).toEqual({ version: newer.version, isEarlier: false });
  });
});

describe('what is bound to one generation', () => {
  test('is never answered by another: pins, cursors, and what an older one may not know', async () => {
    const { corpus } = openDamaged(['index', 'documents', 'lineages', 'changes'], 'missing');
    const onFallback = (): void => {
      throw new Error('it fell back');
    };
    const pinned = QueryRequest.parse({ query: 'cache', corpus_version: newer.version });
    expect(codeOf(await queryKnowledge(pinned, corpus, BASE_URL, onFallback))).toBe('index_unavailable');
    const { corpus: whole } = openDamaged([], 'missing');
    const first = expectValue(await browseCapsules({ limit: 1 }, whole, BASE_URL));
    const cursor = { limit: 1, cursor: first.page.next_cursor ?? '' };
    expect(codeOf(await browseCapsules(cursor, corpus, BASE_URL, onFallback))).toBe('index_unavailable');
    expect(codeOf(await similarCapsules(NEW, corpus, BASE_URL, onFallback))).toBe('index_unavailable');
    expect(codeOf(await readCapsule(NEW, undefined, corpus, BASE_URL))).toBe('index_unavailable');
    expect(codeOf(await readLineage({ id: NEW, hasCursors: true }, corpus))).toBe('index_unavailable');
    const request = FetchRequest.parse({ ids: [NEW] });
    expect(codeOf(await fetchCapsules(request, corpus, BASE_URL))).toBe('index_unavailable');
  });

  test('is answered by it after another request fell back: a pin to the earlier generation has its bytes', async () => {
    const { corpus } = openDamaged(['index'], 'missing');
    const pinned = QueryRequest.parse({ query: 'cache freshness', corpus_version: older.version });
    const unpinned = QueryRequest.parse({ query: 'cache freshness' });
    const fallen = await queryKnowledge(unpinned, corpus, BASE_URL, () => undefined);
    expect(await queryKnowledge(pinned, corpus, BASE_URL)).toEqual(fallen);
    expect(expectValue(await readCapsule(NEW, undefined, corpus, BASE_URL)).capsule_id).toBe(NEW);
  });
});

test('reportStatus() says which generation answers, and what the newest lacks', async () => {
  const { corpus } = openDamaged(['index'], 'missing');
  const healthy = {
    deployment: { baseUrl: BASE_URL },
    keysConfigured: true,
    checkDatabase: async () => 'ok' as const,
    budgets: { read: async () => [] },
  };
  const status = await reportStatus(corpus, healthy);
  expect(status.status).toBe('degraded');
  expect(status.checks.find(({ name }) => name === 'index')).toEqual({
    name: 'index',
    ok: false,
    detail: `generation ${older.version.slice(0, 12)} is served instead of the newest, ${newer.version.slice(0, 12)}, which lacks a block of the index`,
  });
});
