import { describe, expect, test } from 'vitest';
import { RATE_LIMITS } from '../../../src/schemas/limits.ts';
import type { Problem } from '../../../src/schemas/problem-details.ts';
import { serveBuiltFiles } from '../../support/built-files.ts';
import { useEdgeGateway, useSharedGateway } from '../../support/edge-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

const gateway = useSharedGateway({ files: 'built' });
const MARKDOWN = 'text/markdown; charset=utf-8';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

function ask(path: string, accept: string, init: RequestInit & { readonly headers?: Record<string, string> } = {}): Promise<Response> {
  return gateway.fetch(path, { ...init, headers: { ...init.headers, Accept: accept } });
}

describe('a page asked for as markdown', () => {
  test.each([
    ['/', '/index.md'],
    ['/docs/quickstart', '/docs/quickstart.md'],
    ['/capsules/bm25', '/capsules/bm25.md'],
    ['/capsules', '/capsules.md'],
    ['/buy', '/buy.md'],
    ['/problems/invalid_request', '/problems/invalid_request.md'],
  ])('%s is its twin', async (path, twin) => {
    const response = await ask(path, 'text/markdown, text/html;q=0.9, */*;q=0.1');
    const text = await response.text();
    expect(response.status).toBe(200);
    expect(text).toBe(await (await gateway.fetch(twin)).text());
    const { headers } = response;
    expect(headers.get('content-type')).toBe(MARKDOWN);
    expect(headers.get('vary')).toBe('Accept, User-Agent');
    expect(headers.get('content-location')).toBe(twin);
    expect(headers.get('x-markdown-tokens')).toBe(String(Math.ceil(text.length / 4)));
    expect(headers.get('link')).toBe(`<${TEST_BASE_URL}${path}>; rel="canonical", </llms.txt>; rel="describedby"`);
  });

  test('says which parameters it does not take, but not those of campaigns', async () => {
    const plain = await (await ask('/capsules', 'text/markdown')).text();
    const response = await ask('/capsules?color=red&type=concept&utm_source=mail&empty=', 'text/markdown');
    const text = await response.text();
    const note =
      '\n> This page takes no parameters, so these are ignored: `color`, `type`. Filters of capsules are those of /api/v1/capsules/public/browse.\n';
    expect(text.replace(note, '')).toBe(plain);
    expect(text.indexOf(note)).toBe(text.indexOf('\n---\n', 3) + '\n---\n'.length);
    expect([response.headers.get('etag'), response.headers.get('content-type')]).toEqual([null, MARKDOWN]);
    expect(await (await ask('/capsules?utm_source=mail', 'text/markdown')).text()).toBe(plain);
  });

  test('has a tag of its own, and is not sent again', async () => {
    const [page, twin] = await Promise.all([ask('/docs/quickstart', BROWSER), ask('/docs/quickstart', 'text/markdown')]);
    const tag = twin.headers.get('etag') ?? '';
    expect(tag).not.toBe('');
    expect(tag).not.toBe(page.headers.get('etag'));
    const again = await ask('/docs/quickstart', 'text/markdown', { headers: { 'If-None-Match': tag } });
    expect([again.status, await again.text(), again.headers.get('vary')]).toEqual([304, '', 'Accept, User-Agent']);
    expect((await ask('/docs/quickstart', BROWSER, { headers: { 'If-None-Match': tag } })).status).toBe(200);
  });

  test.each([
    ['ClaudeBot/1.0', '*/*'],
    ['Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; GPTBot/1.2; +https://openai.com/gptbot)', undefined],
  ])('goes to %s, which names no form', async (agent, accept) => {
    const headers = { 'User-Agent': agent, ...(accept === undefined ? {} : { Accept: accept }) };
    const response = await gateway.fetch('/docs/quickstart', { headers });
    expect([response.headers.get('content-type'), response.headers.get('content-location')]).toEqual([MARKDOWN, '/docs/quickstart.md']);
    const page = await gateway.fetch('/docs/quickstart', { headers: { ...headers, Accept: BROWSER } });
    expect(page.headers.get('content-type')).toContain('text/html');
    const json = await gateway.fetch('/nothing', { headers: { ...headers, Accept: 'application/json' } });
    expect(json.headers.get('content-type')).toBe('application/problem+json');
  });

  test('an offer is its twin, unless parameters ask for something else', async () => {
    const { offers } = (await (await gateway.fetch('/offers.json')).json()) as { readonly offers: readonly { readonly id: string }[] };
    const path = `/buy/${offers[0]?.id}`;
    expect((await ask(path, 'text/markdown')).headers.get('content-location')).toBe(`${path}.md`);
    expect((await ask(`${path}?go`, 'text/markdown')).headers.get('content-type')).not.toBe(MARKDOWN);
  });
});

describe('a page asked for in another way', () => {
  test.each([BROWSER, '*/*', 'text/html, text/markdown', 'text/markdown;q=0.5, text/html', 'text/markdown;q=0'])(
    'is HTML for Accept: %s, and names its twin',
    async (accept) => {
      const { status, headers } = await ask('/docs/quickstart', accept);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toContain('text/html');
      expect(headers.get('vary')).toBe('Accept, User-Agent');
      const link = headers.get('link') ?? '';
      for (const part of [
        '</docs/quickstart.md>; rel="alternate"; type="text/markdown"',
        '</llms.txt>; rel="describedby"',
        '</openapi.agent.json>; rel="service-desc"',
        '</.well-known/api-catalog>; rel="api-catalog"',
      ])
        expect(link).toContain(part);
    },
  );

  test('every file that a page names in its headers answers', async () => {
    for (const path of ['/', '/docs', '/status', '/capsules/bm25', '/pricing', '/contact', '/subjects']) {
      const link = (await ask(path, BROWSER)).headers.get('link') ?? '';
      const named = [...link.matchAll(/<([^>]+)>/g)].map(([, address = '']) => address);
      expect(named).toContain('/llms.txt');
      for (const address of named) expect([path, address, (await gateway.fetch(address)).status]).toEqual([path, address, 200]);
    }
  });

  test('operations are not pages', async () => {
    for (const path of ['/api/v1/capsules/public', '/mcp']) {
      const { headers } = await ask(path, 'text/markdown');
      expect(headers.get('content-location')).toBeNull();
    }
  });
});

describe('a file in markdown', () => {
  test.each([
    ['/index.md', '/', 'canonical'],
    ['/docs/quickstart.md', '/docs/quickstart', 'canonical'],
    ['/capsules/bm25.md', '/capsules/bm25', 'canonical'],
    ['/capsules.md', '/capsules', 'canonical'],
    ['/texts/docs/quickstart.md', '/docs/quickstart', 'canonical'],
    ['/capsules/bm25/1.0.0.md', '/capsules/bm25', 'latest-version'],
  ])('%s names its page, and its length', async (path, page, relation) => {
    const response = await gateway.fetch(path);
    const text = await response.text();
    expect(response.headers.get('link')).toBe(`<${TEST_BASE_URL}${page}>; rel="${relation}", </llms.txt>; rel="describedby"`);
    expect(response.headers.get('x-markdown-tokens')).toBe(String(Math.ceil(text.length / 4)));
    const tag = response.headers.get('etag') ?? '';
    const again = await gateway.fetch(path, { headers: { 'If-None-Match': tag } });
    expect([again.status, again.headers.get('etag'), again.headers.get('link')]).toEqual([304, tag, response.headers.get('link')]);
    const head = await gateway.fetch(path, { method: 'HEAD' });
    expect([head.status, head.headers.get('link'), await head.text()]).toEqual([200, response.headers.get('link'), '']);
  });

  test.each(['/AGENTS.md', '/auth.md', '/sitemap.md', '/.well-known/agent-skills/buy/SKILL.md'])(
    '%s is no form of a page',
    async (path) => {
      const { status, headers } = await gateway.fetch(path);
      expect([status, headers.get('link')]).toEqual([200, '</llms.txt>; rel="describedby"']);
    },
  );
});

describe('a missing page', () => {
  const counting = useEdgeGateway(async () => ({ files: await serveBuiltFiles() }));

  test.each([
    ['/nothing/here', 'text/markdown'],
    ['/nothing/here.md', '*/*'],
    ['/nothing/here.md', 'text/markdown, text/html'],
  ])('%s for Accept: %s is told in markdown', async (path, accept) => {
    const response = await ask(path, accept);
    const text = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([404, MARKDOWN]);
    for (const further of ['/llms.txt', '/sitemap.md']) {
      expect(text).toContain(TEST_BASE_URL + further);
      expect((await gateway.fetch(further)).status).toBe(200);
    }
  });

  test.each([
    ['/docs/quick_start', '/docs/quickstart.md'],
    ['/guides/quickstart', '/docs/quickstart.md'],
    ['/capsules/bm52', '/capsules/bm25'],
    ['/capsules/bm52.md', '/capsules/bm25'],
    ['/problems/rate-limited', '/problems/rate_limited.md'],
  ])('%s leads to %s', async (path, meant) => {
    expect(await (await ask(path, 'text/markdown')).text()).toContain(`](${TEST_BASE_URL}${meant})`);
    const problem = (await (await ask(path, 'application/json')).json()) as { readonly next_actions: readonly { readonly href: string }[] };
    expect(problem.next_actions.map(({ href }) => href)).toContain(TEST_BASE_URL + meant);
    expect((await gateway.fetch(meant)).status).toBe(200);
  });

  test('names no other page where none has nearly its name', async () => {
    const { next_actions } = (await (await ask('/nope', 'application/json')).json()) as Problem;
    expect(next_actions.map(({ href }) => href)).toEqual([`${TEST_BASE_URL}/llms.txt`, `${TEST_BASE_URL}/sitemap.md`]);
  });

  test('is repeated in part if it is very long', async () => {
    const { instance } = (await (await ask(`/${'%C3%A4'.repeat(400)}`, 'application/json')).json()) as Problem;
    expect(instance.length).toBeLessThanOrEqual(256);
    expect(instance).toMatch(/^\/(%[0-9A-F]{2})+$/);
  });

  test('counts as one search of its network, and its 404 page names no other page', async () => {
    const headers = { 'CF-Connecting-IP': '203.0.113.90', Accept: 'text/markdown' };
    const limits = ['/docs/no-such-page', '/docs/no-other-page'].map(async (path) =>
      (await counting.fetch(path, { headers })).headers.get('ratelimit'),
    );
    expect((await Promise.all(limits)).map((limit) => /"search";r=(\d+)/.exec(limit ?? '')?.[1]).sort()).toEqual(
      [1, 2].map((used) => String(RATE_LIMITS.search.requests - used)).sort(),
    );
    expect((await ask('/nothing/here.md', BROWSER)).headers.get('link') ?? '').not.toContain('canonical');
  });

  test('does not repeat a key', async () => {
    const path = `/docs/akg_live_${'A'.repeat(32)}`;
    for (const accept of ['text/markdown', 'application/json']) expect(await (await ask(path, accept)).text()).not.toContain('AAAA');
  });

  test.each([
    ['/nothing/here', BROWSER, 'text/html'],
    ['/nothing/here', 'application/json', 'application/problem+json'],
    ['/nothing/here.md', 'application/json', 'application/problem+json'],
    ['/nothing/here.md', BROWSER, 'text/html'],
  ])('%s for Accept: %s is %s', async (path, accept, type) => {
    const response = await ask(path, accept);
    expect([response.status, response.headers.get('content-type')?.split(';')[0]]).toEqual([404, type]);
  });
});

describe('a refusal of the API', () => {
  const path = '/api/v1/agent-gateway/search?querry=bm25';

  test('is markdown for who prefers that to JSON', async () => {
    const response = await ask(path, 'text/markdown, */*;q=0.5');
    const text = await response.text();
    expect([response.status, response.headers.get('content-type')]).toEqual([400, MARKDOWN]);
    const problem = (await (await ask(path, 'application/json')).json()) as Problem;
    expect(text).toContain(`\nstatus: 400\ncode: ${problem.code}\n`);
    for (const { pointer, message } of problem.errors ?? []) expect(text).toContain(`\`${pointer}\` ${message}`);
    for (const { href = '' } of problem.next_actions) expect(text).toContain(href);
    expect(text).toContain('/openapi/searchKnowledge.json');
  });
});
