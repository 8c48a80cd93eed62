import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import {
  continueTo,
  findBuyTarget,
  hostedLinkFor,
  permalinkItems,
  readPermalinkQuery,
} from '../../../../../src/gateway/commerce/cart/permalink.ts';
import type { Deployment } from '../../../../../src/schemas/deployment.ts';
import { LIMITS } from '../../../../../src/schemas/limits.ts';
import { anyText } from '../../../../support/any-text.ts';
import { ROOT } from '../../../../support/paths.ts';
import { quoteOnlyOffer, soldOffer } from '../../../../support/sold-offer.ts';
import { words } from '../../../../support/words.ts';

type Pairs<Value> = readonly (readonly [string, Value])[];
const LINKS = parse(await readFile(join(ROOT, 'tests/data/permalinks.yaml'), 'utf8')) as {
  readonly refused: Pairs<string>;
  readonly passed_on: Pairs<Record<string, string>>;
  readonly without_effect: Pairs<string>;
  readonly continued: Pairs<string>;
  readonly not_continued: readonly string[];
  readonly leads: readonly (readonly [segment: string, query: string, to: 'page' | 'alias' | 'checkout' | (string & {})])[];
};

describe('permalinkItems()', () => {
  const token = (text: string): string => `~${Buffer.from(text, 'utf8').toString('base64url')}`;

  test.each<[segment: string, quantities: Record<string, number>]>([
    ['sku_123:2,sku.456:1', { sku_123: 2, 'sku.456': 1 }],
    // The examples of the specification.
    ['~Z2lkOi8vc2hvcGlmeS9Qcm9kdWN0VmFyaWFudC83MDg4MTQxMg:1', { 'gid://shopify/ProductVariant/70881412': 1 }],
    [`${token('é:,%/')}:3`, { 'é:,%/': 3 }],
    ['a:0,b:1234567890123456', { a: 0, b: 1_234_567_890_123_456 }],
  ])('%s is read', (segment, quantities) => {
    expect(permalinkItems(segment)).toEqual(Object.entries(quantities).map(([id, quantity]) => ({ id, quantity })));
  });

  test.each(LINKS.refused)('%s is refused', (_what, segment) => expect(permalinkItems(segment)).toBeUndefined());

  test('both forms of a token stand for the same id, and every id without control characters has one', () => {
    fc.assert(
      fc.property(anyText({ minLength: 1 }), fc.integer({ min: 1, max: 999 }), (text, quantity) => {
        const expected = /\p{Cc}/u.test(text) ? undefined : [{ id: text, quantity }];
        expect(permalinkItems(`${token(text)}:${quantity}`)).toEqual(expected);
        if (/^[A-Za-z0-9._-]+$/.test(text)) expect(permalinkItems(`${text}:${quantity}`)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});

describe('readPermalinkQuery()', () => {
  const passed = (query: string): Record<string, string> => Object.fromEntries(readPermalinkQuery(query).passedOn);

  test.each(LINKS.passed_on)('of %s goes on what is allowed', (query, expected) => expect(passed(query)).toEqual(expected));

  test.each(LINKS.without_effect)('%s has no effect', (_what, query) => expect(passed(query)).toEqual({}));

  test('where to go on is named once or not at all', () => {
    expect(readPermalinkQuery('continue_to=/a%2Fb').continueTo).toBe('/a%2Fb');
    expect(readPermalinkQuery('continue_to=/a&continue_to=/b').continueTo).toBeUndefined();
    expect(readPermalinkQuery('/continue_to=/a').continueTo).toBeUndefined();
    expect(readPermalinkQuery('').continueTo).toBeUndefined();
  });
});

describe('continueTo()', () => {
  const BASE = 'https://signpost.example';

  test.each(LINKS.continued)('%s leads to %s', (sent, path) => expect(continueTo(sent, BASE)).toBe(BASE + path));

  test.each(LINKS.not_continued)('%s leads nowhere', (sent) => expect(continueTo(sent, BASE)).toBeUndefined());

  test('whatever is asked for, it stays on this site, in plain ASCII', () => {
    const piece = fc.constantFrom('/', '//', '\\', ...words`. .. @ : %2f %5c %09 %0d%0a evil.example https: ? #`, ' ', 'é', '\t', '%25');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('')}`),
          anyText(),
        ),
        (sent) => {
          const address = continueTo(sent, BASE);
          if (address === undefined) return;
          expect(address).toMatch(/^https:\/\/signpost\.example\/(?!\/)[\x21-\x7e]*$/);
          expect(address).not.toContain('\\');
          expect(new URL(address).origin).toBe(BASE);
          // A browser that reads it relative to any page of the site comes to the same place.
          expect(new URL(new URL(address).pathname, `${BASE}/buy/x`).href).toBe(address);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

const deployment: Deployment = {
  mode: 'edge',
  baseUrl: 'https://signpost.example',
  checkoutHost: 'https://checkout.example',
  name: 'Signpost',
  description: 'd',
  contactEmail: 'a@b.example',
  issuer: 'did:web:signpost.example',
  sample: true,
  keyPrefix: 'akg_live_',
  rateLimits: 'default',
  storage: 'kv',
  capsulePages: 'files',
  intake: 'open',
  usage: { reading: true, quoting: true, training: false },
  catalogUpdatedAt: '2026-11-21T00:00:00Z',
  offers: [
    soldOffer({ id: 'review', aliases: ['check', 'second-look'] }),
    soldOffer({ id: 'old', validUntil: '2026-12-31' }),
    soldOffer({ id: 'dear', amountMinor: LIMITS.sessionTotalMaxMinor }),
    soldOffer({ id: 'notes', demo: false, delivers: [{ kind: 'text', name: 'notes', title: 'Notes', text: 'Loosen the screw.' }] }),
    soldOffer({ id: 'support', checkoutUrl: 'https://checkout.example/pay?plan=2#top' }),
  ],
  quoteOnlyOffers: [quoteOnlyOffer({ id: 'fleet', aliases: ['company'] })],
  commerce: { acp: false, ucp: false, processor: 'links', webhookHosts: [] },
};
const target = (segment: string, query = '') => findBuyTarget({ segment, sentSegment: segment, query }, deployment, '2027-01-01');
const checkout = { kind: 'redirect', location: 'https://checkout.example/demo/review', bought: 'review' };
const places: Readonly<Record<string, object>> = {
  page: { kind: 'page' },
  alias: { kind: 'alias', location: 'https://signpost.example/buy/review' },
  checkout,
};

test.each(LINKS.leads)('findBuyTarget() leads %j?%s', (segment, query, to) => {
  expect(target(segment, query)).toEqual(places[to] ?? { kind: 'redirect', location: to });
});

test.each([
  ['fleet', '', 'page'],
  ['fleet', 'go', 'redirect'],
  ['fleet:1', '', 'redirect'],
  ['company:1', 'go', 'redirect'],
  ['company', '', 'alias'],
])('findBuyTarget() leads %s?%s of an offer on request to its page', (segment, query, kind) => {
  expect(target(segment, query)).toEqual({ kind, ...(kind === 'page' ? {} : { location: 'https://signpost.example/buy/fleet' }) });
});

test.each([
  ['old', 'go'],
  ['old:1', 'utm_source=a'],
  ['old:1,review:1', ''],
])('findBuyTarget() refuses %s?%s with the last day of sale', (segment, query) => {
  expect(target(segment, query)).toMatchObject({
    kind: 'refused',
    refusal: { code: 'offer_not_found', detail: '"Offer old" was sold until 2026-12-31.' },
  });
});

test.each([
  ['review:0', 'invalid_request', '"Offer review" must have a quantity from 1 to 999, as in /buy/review:1.'],
  ['review:1000', 'invalid_request', 'a quantity from 1 to 999'],
  ['~cmV2aWV3:1000', 'invalid_request', 'a quantity from 1 to 999'],
  ['support:1,review:1234567890123456', 'invalid_request', 'a quantity from 1 to 999'],
  ['review:999,check:1', 'cart_refused', 'At most 999 of one offer'],
  ['dear:999,review:999', 'cart_refused', 'The total exceeds'],
])('findBuyTarget() refuses %s at once, as %s', (segment, code, words) => {
  for (const query of ['', 'go'])
    expect(target(segment, query)).toMatchObject({
      kind: 'refused',
      refusal: { code, detail: expect.stringContaining(words) as unknown, errors: expect.anything() as unknown },
    });
});

describe('findBuyTarget() passes on to the checkout', () => {
  describe.each([
    ['client_reference_id', 64],
    ['utm_source', 150],
    ['utm_medium', 150],
    ['utm_campaign', 150],
    ['utm_term', 150],
    ['utm_content', 150],
  ])('the parameter %s', (name, length) => {
    const location = (value: string) => target('review', `go&${new URLSearchParams({ [name]: value })}`);

    test.each(['a', 'Spring_sale-2', 'x'.repeat(length)])('with the value %s', (value) => {
      expect(location(value)).toEqual({ ...checkout, location: `${checkout.location}?${name}=${value}` });
    });

    test.each(['', 'a b', ' a', 'a ', '<a', 'a>', '"a', 'a\n', 'a\0', 'x'.repeat(length + 1)])('but not with the value %j', (value) => {
      expect(location(value)).toEqual(checkout);
    });
  });

  test('no session of another link, and no other parameter', () => {
    const id = `cs_${'0'.repeat(32)}`;
    expect(hostedLinkFor(id, 'https://checkout.example/pay')).toBe(`https://checkout.example/pay?client_reference_id=${id}`);
    for (const query of [`client_reference_id=${id}`, '=a', 'price=a', 'utm_id=a', 'utm_term2=a'])
      expect(target('review', `go&${query}`)).toEqual(checkout);
  });

  test('besides what the link has already', () => {
    expect(target('support', 'go&utm_medium=web')).toEqual({
      kind: 'redirect',
      location: 'https://checkout.example/pay?plan=2&utm_medium=web#top',
      bought: 'support',
    });
  });
});

test('findBuyTarget() follows only links of the catalog and paths of this site, whatever is asked', () => {
  const hostile = fc.constantFrom(
    '//evil.example',
    '/\\evil.example',
    '/%2Fevil.example',
    '/.//evil.example',
    '/..//evil.example',
    '/\t/evil.example',
    '/a\r\nLocation: https://evil.example',
    'https://evil.example',
    '/@evil.example',
    '/javascript:alert(1)',
    '/pricing',
    '/%70ricing',
  );
  const segment = fc.oneof(
    fc.constantFrom('review', 'check', 'old', 'review:1', 'review:2', 'support:1,review:3', '~cmV2aWV3:1', 'unknown:1'),
    anyText(),
    fc.webUrl(),
  );
  const text = fc.oneof(hostile, anyText(), fc.webUrl(), fc.stringMatching(/^[a-z]{1,5}$/));
  const query = fc.array(
    fc.tuple(
      fc.constantFrom(...words`go utm_source attribution/utm_source client_reference_id url continue_to /continue_to totals/0/amount`),
      fc.oneof(text, text.map(encodeURIComponent)),
    ),
  );
  fc.assert(
    fc.property(segment, query, fc.boolean(), (name, parameters, isRaw) => {
      const sent = isRaw ? parameters.map((pair) => pair.join('=')).join('&') : new URLSearchParams(parameters).toString();
      const found = target(name, sent);
      if (found.kind === 'page' || found.kind === 'refused') return;
      expect(found.location).toMatch(/^[\x21-\x7e]+$/);
      const { origin, pathname, hash, username } = new URL(found.location);
      expect([origin, username]).toEqual([expect.stringMatching(/^https:\/\/(signpost|checkout)\.example$/), '']);
      if (origin === 'https://checkout.example') expect(['/demo/review', '/pay', '/demo/old']).toContain(pathname);
      else expect(pathname).toMatch(/^\/(?!\/)/);
      expect(['', '#top']).toContain(hash);
    }),
    { numRuns: 1_000 },
  );
});
