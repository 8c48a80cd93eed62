import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findBuyTarget, hostedLinkFor } from '../../../../../src/gateway/commerce/cart/permalink.ts';
import type { Deployment } from '../../../../../src/schemas/deployment.ts';
import { LIMITS } from '../../../../../src/schemas/limits.ts';
import { soldOffer } from '../../../../support/sold-offer.ts';

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
  catalogUpdatedAt: '2026-11-21T00:00:00Z',
  offers: [
    soldOffer({ id: 'review', aliases: ['check', 'second-look'] }),
    soldOffer({ id: 'old', validUntil: '2026-12-31' }),
    soldOffer({ id: 'dear', amountMinor: LIMITS.sessionTotalMaxMinor }),
    soldOffer({ id: 'support', checkoutUrl: 'https://checkout.example/pay?plan=2#top' }),
  ],
  commerce: { acp: false, ucp: false, processor: 'links', webhookHosts: [] },
};
const target = (segment: string, query = '') => findBuyTarget({ segment, sentSegment: segment, query }, deployment, '2027-01-01');
const page = { kind: 'page' };
const alias = { kind: 'alias', location: 'https://signpost.example/buy/review' };
const checkout = { kind: 'redirect', location: 'https://checkout.example/demo/review', bought: ['review'] };
const cart = (items: string, ...bought: string[]) => ({
  kind: 'redirect',
  location: `https://signpost.example/checkout?items=${items}`,
  bought,
});

describe('findBuyTarget() leads', () => {
  test.each([
    ['review', '', page],
    ['check', '', alias],
    ['second-look', '', alias],
    ['review', 'go', checkout],
    ['review', 'go=', checkout],
    ['review', 'go=https://evil.example/', checkout],
    ['check', 'go=1', checkout],
    ['review:1', '', checkout],
    ['check:1', '', checkout],
    ['review:1', 'go', checkout],
    ['review:2', '', cart('review:2', 'review')],
    ['review:999', 'go', cart('review:999', 'review')],
    ['check:2', '', cart('review:2', 'review')],
    ['review:1,check:1', '', cart('review:2', 'review')],
    [
      'review:1,support:1',
      'utm_source=a',
      {
        ...cart('review:1,support:1', 'review', 'support'),
        location: 'https://signpost.example/checkout?items=review:1,support:1&utm_source=a',
      },
    ],
    ['~cmV2aWV3:1', '', checkout],
    ['~Y2hlY2s:2', '', cart('review:2', 'review')],
    ['review:1,unknown:1', '', page],
    ['unknown:1', 'continue_to=/pricing', { kind: 'redirect', location: 'https://signpost.example/pricing', bought: [] }],
    [
      'review:1',
      'continue_to=/pricing&utm_term=a',
      { kind: 'redirect', location: 'https://signpost.example/pricing?utm_term=a', bought: [] },
    ],
    ['review:1', 'continue_to=//evil.example', checkout],
    ['review:1', 'continue_to=/a&continue_to=/b', checkout],
    ['review:0', '', page],
    ['review:01', '', page],
    ['review:-1', '', page],
    ['review:1.5', '', page],
    ['review:1234567890123456', '', page],
    [Array.from({ length: 21 }, () => 'review:1').join(), '', page],
    ['review:1:1', '', page],
    ['review:', 'go', page],
    [':1', '', page],
    ['unknown', '', page],
    ['unknown', 'go', page],
    ['unknown:1', '', page],
    ['invoice', 'go', page],
    ['Review', 'go', page],
    ['review/', 'go', page],
    ['__proto__', 'go', page],
    ['constructor:1', '', page],
    ['../review', 'go', page],
    ['https://evil.example', 'go', page],
    ['', 'go', page],
  ])('%j?%s', (segment, query, expected) => {
    expect(target(segment, query)).toEqual(expected);
  });
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
  ['review:1000', 'At most 999 of one offer'],
  ['~cmV2aWV3:1000', 'At most 999 of one offer'],
  ['review:999,check:1', 'At most 999 of one offer'],
  ['support:1,review:999999999999999', 'At most 999 of one offer'],
  ['dear:999,review:999', 'The total exceeds'],
])('findBuyTarget() refuses %s at once', (segment, words) => {
  for (const query of ['', 'go'])
    expect(target(segment, query)).toMatchObject({
      kind: 'refused',
      refusal: { code: 'cart_refused', detail: expect.stringContaining(words) as unknown, errors: expect.anything() as unknown },
    });
});

describe('findBuyTarget() passes on to the checkout', () => {
  test.each([
    ['client_reference_id=order-1_A', 'https://checkout.example/demo/review?client_reference_id=order-1_A'],
    ['utm_source=agent&utm_campaign=x&go', 'https://checkout.example/demo/review?utm_source=agent&utm_campaign=x'],
    ['utm_source=a&utm_source=b', 'https://checkout.example/demo/review'],
    ['utm_source=a%0d%0aLocation:evil', 'https://checkout.example/demo/review'],
    ['client_reference_id=a%26utm_term=b', 'https://checkout.example/demo/review'],
    ['redirect=https://evil.example&return_url=//evil.example&prefilled_email=a@b.example&price=0', 'https://checkout.example/demo/review'],
    ['UTM_SOURCE=a', 'https://checkout.example/demo/review'],
  ])('what is allowed of %s', (query, location) => {
    expect(target('review:1', query)).toEqual({ kind: 'redirect', location, bought: ['review'] });
  });

  describe.each([
    ['client_reference_id', 64],
    ['utm_source', 150],
    ['utm_medium', 150],
    ['utm_campaign', 150],
    ['utm_term', 150],
    ['utm_content', 150],
  ])('the parameter %s', (name, length) => {
    const location = (value: string) =>
      target(
        'review',
        new URLSearchParams([
          ['go', ''],
          [name, value],
        ]).toString(),
      );

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
      bought: ['support'],
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
    fc.string({ unit: 'binary' }),
    fc.webUrl(),
  );
  const text = fc.oneof(hostile, fc.string({ unit: 'binary' }), fc.webUrl(), fc.stringMatching(/^[a-z]{1,5}$/));
  const query = fc.array(
    fc.tuple(
      fc.constantFrom(
        'go',
        'utm_source',
        'attribution/utm_source',
        'client_reference_id',
        'url',
        'continue_to',
        '/continue_to',
        'totals/0/amount',
      ),
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
    { numRuns: 5_000 },
  );
});
