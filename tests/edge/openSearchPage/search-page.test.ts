import { describe, expect, test } from 'vitest';
import { BROWSER, expectPage } from '../../support/carts.ts';
import { useEdgeGateway, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { makeTwoGenerations } from '../../support/generations.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

const gateway = useSharedGateway();
const { older, newer, blocks } = await makeTwoGenerations();
const former = useInProcessGateway({ generated: { generation: older }, blocks });
const updated = useInProcessGateway({ generated: { generation: newer }, blocks });
const empty = useEdgeGateway({ blocks: 'none' });

const pathOf = (parameters: Readonly<Record<string, string>>): string => `/search?${new URLSearchParams(parameters)}`;
const pageOf = async (parameters: Readonly<Record<string, string>>): Promise<string> =>
  expectPage(await gateway.fetch(pathOf(parameters), { headers: BROWSER }), 200);
const linksOf = (page: string): string[] => [...page.matchAll(/<p class="title"><a href="([^"]+)"/g)].map(([, path = '']) => path);

describe('openSearchPage 200 text/html', () => {
  test('has the results of the search of the API, in its order, and the question in its field', async () => {
    const q = 'How long can a KV write take?';
    const page = await pageOf({ q });
    const found = (await (await gateway.fetch(`/api/v1/agent-gateway/search?${new URLSearchParams({ q, max_results: '10' })}`)).json()) as {
      readonly results: readonly { readonly url: string }[];
    };
    expect(linksOf(page)).toEqual(found.results.map(({ url }) => url.slice(TEST_BASE_URL.length)));
    expect(page).toContain(`value="${q}"`);
  });

  test('leads from page to page, without a result twice', async () => {
    const first = await pageOf({ q: 'agents' });
    const [, next = ''] = /<a href="(\/search\?[^"]+)" rel="next nofollow"/.exec(first) ?? [];
    const second = await expectPage(await gateway.fetch(next.replaceAll('&#38;', '&').replaceAll('&amp;', '&'), { headers: BROWSER }), 200);
    expect(linksOf(second)).toHaveLength(10);
    expect(linksOf(second).filter((path) => linksOf(first).includes(path))).toEqual([]);
  });

  test('is a form without a question', async () => {
    for (const path of ['/search', '/search?q=', '/search?q=+', '/search?utm_source=x']) {
      const page = await expectPage(await gateway.fetch(path, { headers: BROWSER }), 200);
      expect(page).toContain('role="search"');
      expect(page).not.toContain('id="results"');
    }
  });

  test('says that nothing was found, and where else to look', async () => {
    const page = await pageOf({ q: 'zzzqqq' });
    expect(page).toContain('href="/capsules"');
    expect(linksOf(page)).toEqual([]);
  });

  test.each(['<script>alert(1)</script>', '"><img src=x onerror=alert(1)>', "'; DROP TABLE agents;--", '%00\u202e', 'é'.repeat(300)])(
    'shows %j as text',
    async (q) => {
      const page = await pageOf({ q: `bm25 ${q}` });
      expect(page.replaceAll(/="[^"]*"/g, '')).not.toMatch(/<script>alert|<img src=x/);
      expect(page).toContain('bm25');
    },
  );
});

describe('openSearchPage 400 invalid_request', () => {
  test('a cursor that is too long, for software and for people', async () => {
    const path = pathOf({ q: 'bm25', cursor: 'x'.repeat(513) });
    await expectProblem(await gateway.fetch(path), 'invalid_request');
    expect(await expectPage(await gateway.fetch(path, { headers: BROWSER }), 400)).toContain('value="bm25"');
  });
});

describe('openSearchPage 400 invalid_cursor', () => {
  test('a cursor that no page has, for software and for people', async () => {
    const path = pathOf({ q: 'bm25', cursor: 'x' });
    await expectProblem(await gateway.fetch(path), 'invalid_cursor');
    expect(await expectPage(await gateway.fetch(path, { headers: BROWSER }), 400)).toContain('role="alert"');
  });
});

describe('openSearchPage 409 corpus_superseded', () => {
  test('a further page of results of a corpus that is not there', async () => {
    const found = (await (await updated.fetch('/api/v1/agent-gateway/search?q=agents&max_results=1')).json()) as {
      readonly page: { readonly next_cursor: string };
    };
    await expectProblem(await former.fetch(pathOf({ q: 'agents', cursor: found.page.next_cursor })), 'corpus_superseded');
  });
});

describe('openSearchPage 503 index_unavailable', () => {
  test('without blocks, for software and for people', async () => {
    await expectProblem(await empty.fetch(pathOf({ q: 'agents' })), 'index_unavailable');
    expect(await expectPage(await empty.fetch(pathOf({ q: 'agents' }), { headers: BROWSER }), 503)).toContain('value="agents"');
  });
});
