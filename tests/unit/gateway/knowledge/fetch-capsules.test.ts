import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { BuiltGeneration } from '../../../../src/build/corpus-blocks/build-generation.ts';
import type { Corpus } from '../../../../src/gateway/knowledge/corpus.ts';
import { fetchCapsules } from '../../../../src/gateway/knowledge/fetch-capsules.ts';
import { readCapsule } from '../../../../src/gateway/knowledge/read-capsule.ts';
import { FetchRequest, FetchResponse } from '../../../../src/schemas/knowledge/corpus-responses.ts';
import { TOKEN_ESTIMATOR } from '../../../../src/schemas/knowledge/token-estimates.ts';
import { LIMITS } from '../../../../src/schemas/limits.ts';
import type { PublishedCapsule } from '../../../../src/text/publication-model.ts';
import { BASE_URL, batchingStore, expectValue, openCorpus, realCorpus } from '../real-generation.ts';

type Entry = FetchRequest['ids'][number];
let corpus: Corpus;
let generation: BuiltGeneration;
let capsules: PublishedCapsule[];
beforeAll(async () => {
  ({ corpus, generation, capsules } = await realCorpus());
}, 30_000);

/** An answer in the published form and nothing besides it. */
async function fetchAll(ids: readonly Entry[], budget: { token_budget?: number } = {}, from = corpus): Promise<FetchResponse> {
  const answer = expectValue(await fetchCapsules(FetchRequest.parse({ ids, ...budget }), from, BASE_URL));
  expect(FetchResponse.parse(answer)).toEqual(answer);
  return answer;
}

const costOf = (document: unknown): number => Math.ceil(Buffer.byteLength(JSON.stringify(document), 'utf8') / 4);

/** Entries of every kind: ids that there are and ids that there are not, alone, with a version there is, and with one there is not. */
const entry: fc.Arbitrary<Entry> = fc
  .tuple(
    fc.nat(),
    fc.nat(),
    fc.constantFrom('current', 'superseded', 'retracted'),
    fc.constantFrom('id', 'object', 'version', 'newest', 'wrong version', 'wrong id', 'wrong id and version'),
  )
  .map(([which, version, status, kind]): Entry => {
    // Few are superseded or retracted, and each status must be seen.
    const ofStatus = capsules.filter(({ metadata }) => metadata.status === status);
    const capsule = ofStatus[which % ofStatus.length];
    const capsule_id = capsule?.id ?? '';
    const versions = capsule?.versions.map(({ metadata }) => metadata.version) ?? [];
    switch (kind) {
      case 'id':
        return capsule_id;
      case 'object':
        return { capsule_id };
      case 'version':
        return { capsule_id, version: versions[version % versions.length] };
      case 'newest':
        return { capsule_id, version: versions.at(-1) };
      case 'wrong version':
        return { capsule_id, version: '99.0.0' };
      case 'wrong id':
        return `no-such-capsule-${which}`;
      default:
        return { capsule_id: `a-${which}`, version: '1.0.0' };
    }
  });
const entries = fc.array(entry, { minLength: 1, maxLength: LIMITS.fetchItemsMax });

test('fetchCapsules() says of each entry, in its place, what reading it alone would say, and fills the budget in this order', async () => {
  const seen = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(entries, fc.integer({ min: 1, max: 30_000 }), async (ids, token_budget) => {
      const { items, meta, corpus_version } = await fetchAll(ids, { token_budget });
      expect(corpus_version).toBe(generation.version);
      expect(items.length).toBe(ids.length);
      let left = token_budget;
      const returned = new Map<string, number>();
      for (const [at, asked] of ids.entries()) {
        const { capsule_id, version } = typeof asked === 'string' ? { capsule_id: asked, version: undefined } : asked;
        const item = items[at];
        expect([item?.capsule_id, item?.version]).toEqual([capsule_id, version]);
        seen.set(item?.outcome ?? '', (seen.get(item?.outcome ?? '') ?? 0) + 1);
        const alone = await readCapsule(capsule_id, version, corpus, BASE_URL);
        if (!alone.ok) {
          const known = capsules.find(({ id }) => id === capsule_id);
          expect(item).toMatchObject({ outcome: known ? 'version_not_found' : 'not_found', detail: expect.any(String) });
          for (const each of known?.versions ?? []) expect(item?.detail).toContain(each.metadata.version);
          expect([item?.capsule, item?.tokens]).toEqual([undefined, undefined]);
          continue;
        }
        const key = `${capsule_id} ${alone.value.version}`;
        if (returned.has(key)) {
          expect(item).toEqual({ capsule_id, ...(version ? { version } : {}), outcome: 'repeated', repeats: returned.get(key) });
          continue;
        }
        const tokens = costOf(alone.value);
        expect(item?.tokens).toBe(tokens);
        expect(item?.capsule).toEqual(tokens <= left ? alone.value : undefined);
        const { status } = alone.value;
        expect(item?.outcome).toBe(tokens > left ? 'over_budget' : status === 'current' ? 'ok' : status);
        expect(item?.detail === undefined).toBe(tokens <= left);
        if (tokens > left)
          expect(item?.detail).toContain(
            `Its text alone has ${alone.value.tokens}: GET ${BASE_URL}/capsules/${capsule_id}/${alone.value.version}.md`,
          );
        if (tokens <= left) {
          left -= tokens;
          returned.set(key, at);
        }
      }
      expect(meta).toEqual({
        tokens_used: token_budget - left,
        token_budget,
        token_estimator: TOKEN_ESTIMATOR,
        clamped: [],
        content_role: 'data',
      });
      expect(meta.tokens_used).toBe(items.reduce((sum, { capsule }) => sum + (capsule ? costOf(capsule) : 0), 0));
    }),
    { numRuns: 150 },
  );
  expect([...seen.keys()].sort()).toEqual([
    ...['not_found', 'ok', 'over_budget', 'repeated', 'retracted', 'superseded', 'version_not_found'],
  ]);
}, 60_000);

describe('what a fetch reads', () => {
  const spread = (): string[] =>
    capsules.filter((_, at) => at % Math.ceil(capsules.length / LIMITS.fetchItemsMax) === 0).map(({ id }) => id);

  test('is every page that the ids are on, each once, in one operation, and nothing of the index', async () => {
    const store = batchingStore(generation.blocks);
    const { items } = await fetchAll([...spread().slice(0, 18), 'a', 'zzzz'], {}, openCorpus(generation, store));
    expect(items.filter(({ capsule }) => capsule !== undefined).length).toBeGreaterThan(10);
    const [read = [], ...others] = store.operations;
    expect(others).toEqual([]);
    const pages = new Set(generation.manifest.blocks.documents.map(({ sha256 }) => sha256));
    expect(read.length).toBeGreaterThan(1);
    expect(new Set(read).size).toBe(read.length);
    for (const name of read) expect(pages).toContain(name);
  });

  test('is nothing more for the newest version by its number, and a page of earlier versions for another', async () => {
    const revised = capsules.find(({ versions }) => versions.length > 1);
    const [first, newest] = [revised?.versions[0]?.metadata.version, revised?.metadata.version];
    for (const version of [newest, first]) {
      const store = batchingStore(generation.blocks);
      const { items } = await fetchAll([{ capsule_id: revised?.id ?? '', version }], {}, openCorpus(generation, store));
      expect(items[0]?.capsule?.version).toBe(version);
      expect(store.operations).toHaveLength(version === newest ? 1 : 2);
    }
  });
});

test('the body of a fetch holds as many entries as are allowed, each of the longest form, within the bound on bodies', () => {
  const version = `${'9'.repeat(28)}.0.0`;
  const ids = Array.from({ length: LIMITS.fetchItemsMax }, () => ({ capsule_id: 'a'.repeat(LIMITS.idMaxLength), version }));
  const body = JSON.stringify({ ids, token_budget: Number.MAX_SAFE_INTEGER }, null, 2);
  expect(FetchRequest.safeParse(JSON.parse(body)).success).toBe(true);
  expect(Buffer.byteLength(body)).toBeLessThan(LIMITS.bodyMaxBytes);
});
