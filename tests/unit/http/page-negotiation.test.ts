import { describe, expect, test } from 'vitest';
import { defineRoute } from '../../../src/http/define-route.ts';
import { PageNegotiation } from '../../../src/http/gateway-app.ts';
import type { RequestContext } from '../../../src/http/rate-limits.ts';
import { TEST_PAYMENTS } from '../../support/payments.ts';

const BASE_URL = 'https://a.example';
const INDEX = '</llms.txt>; rel="describedby"';
const PAGES = ['/capsules/type/concept', '/capsules/page/2', '/docs/quickstart', '/buy/review', '/about'];
const asked: string[] = [];
const ask = async (path: string): Promise<Response> => {
  asked.push(path);
  return PAGES.includes(path) ? new Response(null, { headers: { 'Content-Type': 'text/html' } }) : new Response(null, { status: 404 });
};
const contextOf = (path: string): RequestContext => {
  const request = new Request(BASE_URL + path);
  return { request, url: new URL(request.url) } as RequestContext;
};

describe('withMarkdownHeaders()', () => {
  const negotiation = new PageNegotiation({ baseUrl: BASE_URL, payments: undefined }, []);

  test.each([
    ['/capsules/a/1.0.0.md', `<${BASE_URL}/capsules/a>; rel="latest-version", ${INDEX}`],
    ['/capsules/type/concept.md', `<${BASE_URL}/capsules/type/concept>; rel="canonical", ${INDEX}`],
    ['/capsules/page/2.md', `<${BASE_URL}/capsules/page/2>; rel="canonical", ${INDEX}`],
    ['/texts/docs/quickstart.md', `<${BASE_URL}/docs/quickstart>; rel="canonical", ${INDEX}`],
    ['/texts/offers/review.md', `<${BASE_URL}/buy/review>; rel="canonical", ${INDEX}`],
    ['/about.md', `<${BASE_URL}/about>; rel="canonical", ${INDEX}`],
    ['/AGENTS.md', INDEX],
  ])('%s has the links %s', async (path, link) => {
    const markdown = new Response('# A', { headers: { 'Content-Type': 'text/markdown; charset=utf-8' } });
    expect((await negotiation.withMarkdownHeaders(markdown, contextOf(path), ask)).headers.get('link')).toBe(link);
  });
});

describe('addLinks()', () => {
  const twin = defineRoute({
    id: 'getMarkdown',
    method: 'GET',
    path: '/capsules/{capsule_id}.md',
    summary: '',
    description: '',
    capability: 'capsules',
    access: 'open',
    responses: [],
    rateLimit: 'network',
  });
  const page = { ...twin, id: 'getPage', path: '/capsules/{capsule_id}' };
  const linksOf = async (payments: typeof TEST_PAYMENTS | undefined): Promise<string | null> => {
    const negotiation = new PageNegotiation({ baseUrl: BASE_URL, payments }, [page, twin]);
    const address = negotiation.pageAt(contextOf('/capsules/a'));
    if (address === undefined) throw new Error('a capsule has a page');
    const html = new Response('<p>', { headers: { 'Content-Type': 'text/html' } });
    await negotiation.addLinks(html, address, ask);
    return html.headers.get('link');
  };

  test('names markdown that a function makes without asking for it, except where texts may be sold', async () => {
    asked.length = 0;
    expect(await linksOf(undefined)).toContain('</capsules/a.md>; rel="alternate"; type="text/markdown"');
    expect(asked).toEqual([]);
    expect(await linksOf(TEST_PAYMENTS)).not.toContain('alternate');
    expect(asked).toEqual(['/capsules/a.md']);
  });
});
