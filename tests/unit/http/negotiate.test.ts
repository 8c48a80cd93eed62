import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defineRoute } from '../../../src/http/define-route.ts';
import { PageNegotiation } from '../../../src/http/gateway-app.ts';
import { acceptWeight, matchesEntityTag, preferredType, prefersMarkdown } from '../../../src/http/negotiate.ts';
import type { RequestContext } from '../../../src/http/rate-limits.ts';
import { TEST_PAYMENTS } from '../../support/payments.ts';

const OFFERED = ['application/json', 'text/markdown'];

describe('preferredType() answers', () => {
  test.each<[accept: string | null, preferred: string | undefined]>([
    [null, 'application/json'],
    ['', 'application/json'],
    ['  ', 'application/json'],
    ['*/*', 'application/json'],
    ['application/json', 'application/json'],
    ['text/markdown', 'text/markdown'],
    ['TEXT/Markdown', 'text/markdown'],
    ['text/*', 'text/markdown'],
    ['text/html, text/markdown;q=0.1', 'text/markdown'],
    ['application/json;q=0.5, text/markdown', 'text/markdown'],
    ['application/json, text/markdown', 'application/json'],
    ['text/markdown, application/json', 'application/json'],
    ['text/markdown;q=0.9, application/json;q=0.8', 'text/markdown'],
    ['text/markdown;q=0.900, */*;q=0.901', 'application/json'],
    ['*/*;q=0.1, text/markdown;q=0', 'application/json'],
    ['text/*, text/markdown;q=0', undefined],
    ['text/markdown;q=0, */*', 'application/json'],
    ['application/json;q=0, */*;q=0.2', 'text/markdown'],
    ['text/markdown; charset=utf-8', 'text/markdown'],
    ['text/markdown;charset=utf-8;Q=0.3, application/json;q=0.2', 'text/markdown'],
    ['text/markdown ; q=0.2 , application/json ; q=0.1', 'text/markdown'],
    ['*/*;q=0', undefined],
    ['application/json;q=0', undefined],
    ['text/html', undefined],
    ['image/png, application/xml;q=0.9', undefined],
    ['application/json;q=2', 'application/json'],
    ['application/json;q=-1', undefined],
    ['application/json;q=abc', 'application/json'],
    ['application/json;q=0.1234', 'application/json'],
    ['application/json;q=.9', 'application/json'],
    ['application/json;q=.8, text/markdown;q=.9', 'text/markdown'],
    ['*/*;q=.2', 'application/json'],
    ['*', 'application/json'],
    ['* ; q=.1', 'application/json'],
    ['*;q=0', undefined],
    // The default of HttpURLConnection before Java 17.0.12 and 21.
    ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', 'application/json'],
    ['text/markdown;note="a, application/json", image/png', 'text/markdown'],
    ['*/json', undefined],
    ['application', undefined],
    [',,,', undefined],
    [`${'x/y,'.repeat(10_000)}application/json`, undefined],
  ])('for Accept: %j', (accept, preferred) => {
    expect(preferredType(accept?.slice(0, 50_000) ?? null, OFFERED)).toBe(preferred);
  });

  test('the one type there is to anything that does not rule it out', () => {
    expect(preferredType('text/*;q=0.001', ['text/html'])).toBe('text/html');
    expect(preferredType('*/*', [])).toBeUndefined();
  });

  test('the same for any order of distinct ranges', () => {
    const ranges = fc.uniqueArray(
      fc.tuple(
        fc.constantFrom('*/*', 'text/*', 'text/markdown', 'application/json', 'application/*', 'image/png'),
        fc.integer({ min: 0, max: 1000 }),
      ),
      { selector: ([range]) => range },
    );
    fc.assert(
      fc.property(ranges, fc.integer(), (list, seed) => {
        const write = (entries: typeof list): string =>
          entries.map(([range, mille]) => `${range};q=${(mille / 1000).toFixed(3)}`).join(', ');
        const turned = [...list.slice(Math.abs(seed) % (list.length + 1)), ...list.slice(0, Math.abs(seed) % (list.length + 1))];
        expect(preferredType(write(turned), OFFERED)).toBe(preferredType(write(list), OFFERED));
      }),
    );
  });

  test('a type of greatest weight, never one of weight 0', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'text/markdown;q=0.15,*application/json '.split('')), maxLength: 60 }), (accept) => {
        const chosen = preferredType(accept, OFFERED);
        const weights = OFFERED.map((type) => acceptWeight(accept, type));
        expect(chosen === undefined ? 0 : acceptWeight(accept, chosen)).toBe(Math.max(...weights));
      }),
    );
  });
});

describe('matchesEntityTag()', () => {
  test.each<[header: string | null, matches: boolean]>([
    [null, false],
    ['', false],
    ['"abc"', true],
    ['W/"abc"', true],
    ['*', true],
    [' * ', true],
    ['"x", "abc"', true],
    ['"x","y",W/"abc"', true],
    ['"x" , "y"', false],
    ['abc', false],
    ['"ABC"', false],
    ['"abc', false],
    ['w/"abc"', false],
    ['W/W/"abc"', false],
    ['"*"', false],
    ['"abc"x', false],
  ])('of "abc" with If-None-Match: %j', (header, matches) => {
    expect(matchesEntityTag(header, '"abc"')).toBe(matches);
  });
});

describe('prefersMarkdown()', () => {
  test.each<[accept: string | null, preferred: boolean]>([
    [null, false],
    [' ', false],
    ['*/*', false],
    ['text/*', false],
    ['text/html', false],
    ['text/markdown', true],
    ['TEXT/MARKDOWN ; charset=utf-8', true],
    ['text/markdown, */*', true],
    ['*/*, text/markdown', true],
    ['text/markdown, text/html', true],
    ['text/html, text/markdown', false],
    ['text/html;q=0.9, text/markdown', true],
    ['text/markdown;q=0.9, text/html', false],
    ['text/markdown;q=0.5, */*;q=0.8', false],
    ['text/markdown;q=0.5, text/html;q=0.5', true],
    ['text/markdown;q=0, text/html;q=0', false],
    ['text/markdown;q=0', false],
    ['text/markdown;q=9', true],
    ['text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2', false],
    ['text/markdown;q=.5, *;q=.2', true],
    ['text/markdownx', false],
    ['application/json', false],
    [',,;;q=1,', false],
    [`${'x/y,'.repeat(10_000)}text/markdown`, false],
  ])('for Accept: %j is %s', (accept, preferred) => {
    expect(prefersMarkdown(accept)).toBe(preferred);
  });
});

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
