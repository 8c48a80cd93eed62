import { describe, expect, test } from 'vitest';
import { LIMITS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { searchPath } from '../../../src/schemas/paths.ts';
import { BROWSER } from '../../support/carts.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

const gateway = useSharedGateway({ files: 'built' });

/** Queries that would be markup, or end an attribute or a script, if they were not escaped. */
const HOSTILE = [
  '"><script>alert(1)</script>',
  "' autofocus onfocus='alert(1)",
  '</title><img src=x onerror=alert(1)>',
  '</script><script>alert(1)</script>',
  '&quot;&#39;&lt;b&gt;',
  '$& $1 {{7*7}} #{7*7}',
  'javascript:alert(1)',
  '\u0000\u0001\u202e\ud800',
  '🧭'.repeat(150),
];

/** Control characters that HTML does not allow. */
const FORBIDDEN = /[\x00-\x08\x0b\x0e-\x1f\x7f-\x9f]/;

async function pageAt(path: string, status = 200): Promise<string> {
  const response = await gateway.fetch(path, { headers: BROWSER });
  expect([response.status, response.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8']);
  expect(response.headers.get('x-robots-tag')).toBe('noindex');
  const text = await response.text();
  expect(text).toContain('<meta name="robots" content="noindex"');
  expect(text).not.toContain('rel="canonical"');
  expect(text).not.toMatch(FORBIDDEN);
  return text;
}

function keptQuery(page: string): string | undefined {
  const [, value] = /<input id="search-field"[^>]* value="([^"]*)"/.exec(page) ?? [];
  return value?.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}

const titlesOf = (page: string): string[] => [...page.matchAll(/<h3 class="title">.*?<a href="([^"]+)"/g)].map(([, path = '']) => path);

describe('viewSearch 200 text/html', () => {
  test('has results with title, passage, kind, and links to their pages', async () => {
    const page = await pageAt(searchPath('how do agents pay with x402'));
    expect(keptQuery(page)).toBe('how do agents pay with x402');
    expect(page).toContain('<title>Search: how do agents pay with x402 · ');
    expect(titlesOf(page).length).toBe(10);
    expect(titlesOf(page).every((path) => /^\/[a-z]/.test(path))).toBe(true);
    expect(page).toMatch(/<p class="passage">[^\n]*<mark>agents?<\/mark>/);
    for (const kind of ['Capsule', 'Page']) expect(page).toContain(`<span>${kind}</span>`);
    expect(page).toMatch(/Section <a href="\/capsules\/[a-z0-9-]+#[^"]+">/);
  });

  test.each([
    searchPath('\u0000bm25\u001b'),
    searchPath('bm25', 1, '\u0000'),
    '/invoice?name=%00x%1b&items=%00',
    '/checkout?items=%00x:1',
    '/contact?subject=%00',
  ])('has no control character at %j, nor has another page that shows what was sent', async (path) => {
    const text = await (await gateway.fetch(path, { headers: BROWSER })).text();
    expect(text).toContain('</html>');
    expect(text).not.toMatch(FORBIDDEN);
  });

  test('says what an offer costs, and when another text was changed', async () => {
    const metaOf = async (query: string, path: string): Promise<string> =>
      (await pageAt(searchPath(query))).split('<li>').find((hit) => hit.includes(`href="${path}"`)) ?? '';
    const offer = await metaOf('Agent-readiness review', '/buy/readiness-review');
    expect(offer).toMatch(/<p class="meta">\s*<span>Offer<\/span>\s*\$480 once \(Demonstration\)\s*<\/p>/);
    expect(await metaOf('bm25', '/capsules/bm25')).toMatch(/<time datetime="2026-/);
  });

  test('searches only the kinds that the address names, on every page, and says so', async () => {
    const all = await pageAt(searchPath('agents'));
    const chosen = (page: string): string | undefined =>
      /<a [^>]*aria-current="page"[^>]*>\s*([^<]+?)\s*<\/a>/.exec(/<nav class="chips".*?<\/nav>/s.exec(page)?.[0] ?? '')?.[1];
    expect(chosen(all)).toBe('Everything');
    expect(chosen(await pageAt(searchPath('agents', 1, 'operation,error')))).toBe('API and errors');
    const errors = await pageAt(searchPath('agents', 1, 'error'));
    expect(chosen(errors)).toBeUndefined();
    expect(titlesOf(errors).length).toBeGreaterThan(0);
    for (const path of titlesOf(errors)) expect(path).toMatch(/^\/problems\//);
    const several = await pageAt(searchPath('agents', 2, 'capsule,error'));
    for (const path of titlesOf(several)) expect(path).toMatch(/^\/(?:problems|capsules)\//);
    expect(several).toMatch(/href="\/search\?q=agents&[^"]*kind=capsule%2Cerror/);
    await expectProblem(await gateway.fetch(searchPath('agents', 1, 'capsules')), 'invalid_request');
  });

  test.each([
    ['what does a readiness review cost', '/buy/readiness-review'],
    ['what does error rate_limited mean', '/problems/rate_limited'],
    ['refund policy', '/refunds'],
    ['what is a facilitator', '/capsules/facilitators'],
  ])('finds by "%s" the page %s first', async (query, path) => expect(titlesOf(await pageAt(searchPath(query)))[0]).toBe(path));

  test('has pages of results without gaps or repeats', async () => {
    const first = await pageAt(searchPath('agents'));
    const total = Number(/(\d+) results/.exec(first)?.[1]);
    const pages = Math.ceil(total / 10);
    expect(first).toContain('href="/search?q=agents&amp;page=2"');
    const found = titlesOf(first);
    for (let page = 2; page <= pages; page++) found.push(...titlesOf(await pageAt(searchPath('agents', page))));
    expect([found.length, new Set(found).size]).toEqual([total, total]);
    expect(await pageAt(searchPath('agents', pages))).toContain(`<ol class="search-hits" start="${(pages - 1) * 10 + 1}">`);
  });

  test.each(['/search', '/search?q=', '/search?q=%20%20', '/search?utm_source=x'])(
    '%s has the empty form and ways to browse',
    async (path) => {
      const page = await pageAt(path);
      expect(keptQuery(page) ?? '').toBe('');
      expect(page).toContain('<title>Search · ');
      expect(titlesOf(page)).toEqual([]);
      expect(page).toContain('<a href="/subjects">');
    },
  );

  test('searches for the words of an old link that are readable, and shows what is not', async () => {
    const page = await pageAt('/search?q=agents+caf%E9&utm_campaign=M%FCnchen');
    expect(keptQuery(page)).toBe('agents caf\ufffd');
    expect(titlesOf(page).length).toBeGreaterThan(0);
  });

  test('states its results in JSON-LD, from which a query cannot break out', async () => {
    const page = await pageAt(searchPath('agents</script><script>alert(1)</script>', 2));
    const blocks = [...page.matchAll(/<script type="application\/ld\+json">(.*?)<\/script>/g)].map(
      ([, json = '']) => JSON.parse(json) as object,
    );
    const data = blocks.find((block) => '@type' in block && block['@type'] === 'SearchResultsPage');
    expect(data).toMatchObject({
      url: expect.stringContaining('q=agents%3C%2Fscript%3E'),
      mainEntity: { '@type': 'ItemList', itemListElement: expect.arrayContaining([expect.objectContaining({ position: 11 })]) },
    });
    expect(JSON.stringify(data)).toContain(`"url":"${TEST_BASE_URL}/capsules/`);
  });

  test('says that nothing was found, and what to do next', async () => {
    const page = await pageAt(searchPath('zzzqqq xkcdfoo'));
    expect(page).toContain('Nothing was found for “zzzqqq xkcdfoo”.');
    for (const words of ['Check the spelling', 'Subjects that may help', 'href="/subjects/', 'href="/capsules"'])
      expect(page).toContain(words);
  });

  test('says which word was searched in place of one that nothing contains', async () => {
    expect(await pageAt(searchPath('facilitater'))).toContain('Nothing contains “facilitater”; “facilitator” was searched instead.');
  });

  test.each(HOSTILE)('shows %j as text alone, and keeps it in the field', async (query) => {
    const page = await pageAt(searchPath(query));
    expect(page).not.toContain('href="javascript:');
    // In a value in quotation marks, everything else is text (HTML, "Attributes").
    expect(page.replace(/="[^"]*"/g, '')).not.toMatch(/<script>alert|<img src=x|<[a-z]+[^>]* onfocus=/i);
    expect(page.split('<title>').length).toBe(2);
    if (/^[\x20-\x7e]+$/.test(query)) expect(keptQuery(page)).toBe(query);
  });

  test('counts as a search without a key, and is kept by no shared cache', async () => {
    const response = await gateway.fetch(searchPath('bm25'), { headers: BROWSER });
    const { search } = RATE_LIMITS;
    expect(response.headers.get('ratelimit-policy')).toContain(`"search";q=${search.requests};w=${search.windowSeconds}`);
    expect(response.headers.get('cache-control')).toBe('no-store');
  });
});

test.each([
  ['q=agents&kind=capsule&utm_source=x&page=99999', /^q=agents&kind=capsule&utm_source=x&page=\d$/],
  ['q=bm25&kind=error&page=2', /^q=bm25&kind=error&page=1$/],
])('viewSearch 302: a page after the last one leads to the last: %s', async (query, last) => {
  const response = await gateway.fetch(`/search?${query}`, { headers: BROWSER });
  const [path, sent = ''] = (response.headers.get('location') ?? '').split('?');
  expect([response.status, path]).toEqual([302, `${TEST_BASE_URL}/search`]);
  expect(sent).toMatch(last);
  expect((await gateway.fetch(`/search?${sent}`, { headers: BROWSER })).status).toBe(200);
});

describe('viewSearch 400 invalid_request', () => {
  test('a query that is too long: a browser gets the page with the query and the reason, a program a problem', async () => {
    const query = 'a'.repeat(LIMITS.queryMaxLength + 1);
    const page = await pageAt(searchPath(query), 400);
    expect(page).toContain('The query is too long. Use at most 1,024 characters.');
    expect(page).toContain('<title>Error: Search: aaa');
    expect(keptQuery(page)).toBe(query);
    await expectProblem(await gateway.fetch(searchPath(query)), 'invalid_request');
    expect(await pageAt(searchPath('a'.repeat(LIMITS.queryMaxLength)))).toContain('Nothing was found');
  });

  test.each(['page=0', 'page=-1', 'page=1e3', 'page=x', 'page=1000000', 'q=y'])('?q=x&%s', async (parameter) => {
    const path = `/search?q=x&${parameter}`;
    expect(keptQuery(await pageAt(path, 400))).toBe('x');
    await expectProblem(await gateway.fetch(path), 'invalid_request');
  });
});
