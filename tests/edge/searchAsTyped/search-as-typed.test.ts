import { describe, expect, test } from 'vitest';
import type { SearchPage } from '../../../src/gateway/knowledge/search-results-page.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

const gateway = useSharedGateway();

async function typed(q: string): Promise<SearchPage> {
  const response = await gateway.fetch(`${PATHS.searchAsTyped}?${new URLSearchParams({ q })}`);
  expect(response.status).toBe(200);
  expect(response.headers.get('cache-control')).toContain('max-age=300');
  return (await response.json()) as SearchPage;
}

describe('searchAsTyped 200 application/json', () => {
  test('completes the last word', async () => {
    const { hits } = await typed('idempot');
    expect(hits.map(({ path }) => path)).toContain('/capsules/idempotency-key-header');
    const words = hits.flatMap(({ passage }) => passage.filter(({ isHighlighted }) => isHighlighted).map(({ text }) => text));
    expect(words.join(' ')).toMatch(/idempoten/i);
  });

  test('begins with the title that begins so, whatever other words do', async () => {
    const { hits } = await typed('conta');
    expect(hits[0]?.path).toBe('/contact');
    expect(hits.length).toBeGreaterThan(5);
  });

  test.each(['how do agents pay', 'retry after', 'zzzqqq', 'price of a review'])(
    'finds for a text that a blank ends what the API finds: %s',
    async (query) => {
      const { hits, total } = await typed(`${query} `);
      const response = await gateway.fetch(`${PATHS.gateway}/search?${new URLSearchParams({ q: query, max_results: '10' })}`);
      const { results, page } = (await response.json()) as { results: { url: string }[]; page: { total: number } };
      expect(hits.map(({ path }) => TEST_BASE_URL + path)).toEqual(results.map(({ url }) => url));
      expect(total).toBe(page.total);
    },
  );

  test.each(['what is MCP', 'which HTTP status says that a payment is needed and who defined it', 'how is an agent card found'])(
    'begins a question whose last word is complete with what the API finds: %s',
    async (query) => {
      const { hits } = await typed(query);
      const response = await gateway.fetch(`${PATHS.gateway}/search?${new URLSearchParams({ q: query })}`);
      const { results } = (await response.json()) as { results: { url: string }[] };
      expect(TEST_BASE_URL + hits[0]?.path).toBe(results[0]?.url);
    },
  );

  test.each(['', ' ', '"', '日本', 'ß', 'a'.repeat(900), '\u0000', '🧭', '-- ', "'"])('answers any text: %j', async (text) => {
    expect(Array.isArray((await typed(text)).hits)).toBe(true);
  });
});

test('searchAsTyped 400 invalid_request: a text that is too long', async () => {
  await expectProblem(await gateway.fetch(`${PATHS.searchAsTyped}?q=${'a'.repeat(5_000)}`), 'invalid_request');
});
