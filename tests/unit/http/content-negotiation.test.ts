import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  acceptWeight,
  matchesEntityTag,
  preferredType,
  prefersMarkdown,
  prefersMarkdownProblem,
} from '../../../src/http/content-negotiation.ts';
import { defineRoute } from '../../../src/http/define-route.ts';
import { PageNegotiation } from '../../../src/http/gateway-app.ts';
import type { RequestContext } from '../../../src/http/rate-limits.ts';
import { ROOT } from '../../support/paths.ts';
import { TEST_PAYMENTS } from '../../support/payments.ts';

const HEADERS = parse(await readFile(join(ROOT, 'tests/data/negotiation.yaml'), 'utf8')) as {
  readonly preferred: readonly [accept: string | null, preferred: string | null][];
  readonly entity_tags: readonly [header: string | null, matches: boolean][];
  readonly markdown: readonly [accept: string | null, preferred: boolean][];
};
const OFFERED = ['application/json', 'text/markdown'];

describe('preferredType() answers', () => {
  test.each(HEADERS.preferred)('for Accept: %j', (accept, preferred) => {
    expect(preferredType(accept, OFFERED)).toBe(preferred ?? undefined);
  });

  test('nothing for more than it reads', () => {
    expect(preferredType(`${'x/y,'.repeat(10_000)}application/json`, OFFERED)).toBeUndefined();
    expect(prefersMarkdown(`${'x/y,'.repeat(10_000)}text/markdown`)).toBe(false);
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

test.each(HEADERS.entity_tags)('matchesEntityTag() of "abc" with If-None-Match: %j', (header, matches) => {
  expect(matchesEntityTag(header, '"abc"')).toBe(matches);
});

test.each(HEADERS.markdown)('prefersMarkdown() for Accept: %j is %s', (accept, preferred) => {
  expect(prefersMarkdown(accept)).toBe(preferred);
});

const BASE_URL = 'https://a.example';
test.each([null, '*/*', 'application/json, text/markdown', 'text/markdown, application/json', 'text/*', 'text/html'])(
  'a refusal is JSON for Accept: %j',
  (accept) => expect(prefersMarkdownProblem(accept)).toBe(false),
);

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
