import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Corpus } from '../../../../src/gateway/knowledge/corpus.ts';
import type { QueryResponse, QueryResult } from '../../../../src/schemas/knowledge/query.ts';
import { estimateTokens, TOKEN_ESTIMATOR, utf8Length } from '../../../../src/schemas/knowledge/token-estimates.ts';
import { anyText } from '../../../support/any-text.ts';
import { ask } from '../ask.ts';
import { realCorpus } from '../real-generation.ts';

let corpus: Corpus;
let titles: string[];
beforeAll(async () => {
  const real = await realCorpus();
  corpus = real.corpus;
  titles = real.capsules.map(({ metadata }) => metadata.title);
}, 30_000);

const costOf = (result: QueryResult): number => Math.ceil(Buffer.byteLength(JSON.stringify(result), 'utf8') / 4);
const costOfAll = (results: readonly QueryResult[]): number => results.reduce((sum, result) => sum + costOf(result), 0);

const query = fc.oneof(
  fc.constantFrom('agents', 'payment header signature', 'paymnet protcol', 'how long may an answer be cached'),
  fc.nat().map((at) => titles[at % titles.length] ?? ''),
);
const budget = fc.oneof(fc.integer({ min: 1, max: 700 }), fc.integer({ min: 1, max: 6_000 }));
const request = fc.record({ query, max_results: fc.integer({ min: 1, max: 50 }), explain: fc.boolean() });

/** Whether a result was left out for its cost, and only then: the answer says what the next one costs, and it did not fit. */
function expectNextResult({ results, meta }: QueryResponse, wanted: readonly QueryResult[]): void {
  const next = wanted[results.length];
  expect(meta.next_result_tokens).toBe(next && costOf(next));
  if (next) expect(meta.tokens_used + costOf(next)).toBeGreaterThan(meta.applied.token_budget);
}

test('the estimate is the published one', () => {
  expect(TOKEN_ESTIMATOR).toBe('utf8-bytes/4');
  fc.assert(
    fc.property(anyText(), (text) => {
      expect(estimateTokens(text)).toBe(Math.ceil(Buffer.byteLength(text, 'utf8') / 4));
    }),
  );
});

test('the length of a text is that of its bytes, whatever is in it', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.oneof(fc.constantFrom('a', 'é', '—', '\ud83d', '\ude00'), anyText()) }), (text) => {
      expect(utf8Length(text)).toBe(Buffer.byteLength(text));
    }),
  );
});

describe('the token budget of a query', () => {
  test('is never exceeded, is used as far as the order of results allows, and the next result is priced', async () => {
    let cut = 0;
    let empty = 0;
    await fc.assert(
      fc.asyncProperty(request, budget, async (wanted, token_budget) => {
        const whole = await ask(corpus, wanted);
        expect(whole.meta).not.toHaveProperty('next_result_tokens');
        const answer = await ask(corpus, { ...wanted, token_budget });
        expect(answer.meta.token_estimator).toBe(TOKEN_ESTIMATOR);
        expect(answer.meta.tokens_used).toBe(costOfAll(answer.results));
        expect(answer.meta.tokens_used).toBeLessThanOrEqual(token_budget);
        expect(answer.results).toEqual(whole.results.slice(0, answer.results.length));
        expectNextResult(answer, whole.results);
        expect(answer.page.has_more).toBe(answer.results.length > 0 && answer.results.length < answer.page.total);
        expect(answer.page.next_cursor === null).toBe(!answer.page.has_more);
        cut += answer.meta.next_result_tokens === undefined ? 0 : 1;
        empty += answer.results.length === 0 ? 1 : 0;
      }),
      { numRuns: 30 },
    );
    expect(cut).toBeGreaterThan(0);
    expect(empty).toBeGreaterThan(0);
  }, 60_000);

  test('loses nothing: cursors under changing budgets, each raised to the price where it was too small, give every result once', async () => {
    let raised = 0;
    await fc.assert(
      fc.asyncProperty(request, fc.array(budget, { minLength: 1, maxLength: 5 }), async (wanted, budgets) => {
        const found: QueryResult[] = [];
        let position = {};
        let least = 0;
        for (let count = 0; ; count += 1) {
          const token_budget = Math.max(least, budgets[count % budgets.length] ?? 1);
          const { results, page, meta } = await ask(corpus, { ...wanted, ...position, token_budget });
          expect(costOfAll(results)).toBeLessThanOrEqual(token_budget);
          found.push(...results);
          // What was too dear for this page fits the same one with a larger budget, so that each request but the first of a result brings one.
          least = results.length === 0 ? (meta.next_result_tokens ?? 0) : 0;
          if (least > 0) {
            raised += 1;
            expect(least).toBeGreaterThan(token_budget);
            expect(page.next_cursor).toBeNull();
            continue;
          }
          if (page.next_cursor === null) {
            expect(found.length).toBe(page.total);
            break;
          }
          position = { cursor: page.next_cursor };
        }
        const ids = found.map(({ capsule_id }) => capsule_id);
        expect(new Set(ids).size).toBe(ids.length);
        const { results } = await ask(corpus, { ...wanted, max_results: 50 });
        expect(found.slice(0, results.length)).toEqual(results);
      }),
      { numRuns: 12 },
    );
    expect(raised).toBeGreaterThan(0);
  }, 120_000);

  test.each([0, 1])('ends the pages when it is too small for the result at %i, and says which budget it needs', async (at) => {
    const [results, cursor] = await first(at);
    const wanted = { query: 'agents', ...(cursor === null ? {} : { cursor }) };
    const empty = await ask(corpus, { ...wanted, token_budget: 1 });
    expect([empty.results, empty.meta.tokens_used]).toEqual([[], 0]);
    expect(empty.page).toMatchObject({ has_more: false, next_cursor: null });
    const price = empty.meta.next_result_tokens ?? 0;
    expect((await ask(corpus, { ...wanted, token_budget: price - 1 })).page.next_cursor).toBeNull();
    expect((await ask(corpus, { ...wanted, token_budget: price })).results).toEqual(results.slice(at));
  });

  /** The results up to one of them, and the cursor that leads to it. */
  async function first(at: number): Promise<readonly [QueryResult[], string | null]> {
    const { results } = await ask(corpus, { query: 'agents', max_results: at + 1 });
    const { page } = at === 0 ? { page: { next_cursor: null } } : await ask(corpus, { query: 'agents', max_results: at });
    return [results, page.next_cursor];
  }
});
