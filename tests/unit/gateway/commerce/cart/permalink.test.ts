import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  continueTo,
  findBuyTarget,
  hostedLinkFor,
  permalinkItems,
  readPermalinkQuery,
} from '../../../../../src/gateway/commerce/cart/permalink.ts';
import type { Deployment } from '../../../../../src/schemas/deployment.ts';
import { LIMITS } from '../../../../../src/schemas/limits.ts';
import { soldOffer } from '../../../../support/sold-offer.ts';
import { words } from '../../../../support/words.ts';

describe('permalinkItems()', () => {
  const token = (text: string): string => `~${Buffer.from(text, 'utf8').toString('base64url')}`;

  test.each([
    [
      'sku_123:2,sku.456:1',
      [
        { id: 'sku_123', quantity: 2 },
        { id: 'sku.456', quantity: 1 },
      ],
    ],
    // The examples of the specification.
    ['~Z2lkOi8vc2hvcGlmeS9Qcm9kdWN0VmFyaWFudC83MDg4MTQxMg:1', [{ id: 'gid://shopify/ProductVariant/70881412', quantity: 1 }]],
    [`${token('é:,%/')}:3`, [{ id: 'é:,%/', quantity: 3 }]],
    ['a:999999999999999', [{ id: 'a', quantity: 999_999_999_999_999 }]],
  ])('%s is read', (segment, items) => {
    expect(permalinkItems(segment)).toEqual(items);
  });

  test.each([
    ['no quantity', 'a'],
    ['nothing', ''],
    ['an empty item', 'a:1,'],
    ['zero', 'a:0'],
    ['a leading zero', 'a:01'],
    ['a sign', 'a:+1'],
    ['a fraction', 'a:1.0'],
    ['digits of another script', 'a:٣'],
    ['more digits than can be counted with', 'a:1000000000000000'],
    ['a percent sign', 'a%3A:1'],
    ['an encoded colon', 'a%3A1'],
    ['a raw character outside of the grammar', 'a+b:1'],
    ['an empty token', '~:1'],
    ['padding', '~YQ==:1'],
    ['unused bits that are not zero', '~YR:1'],
    ['a length that base64url never has', '~YWJjZ:1'],
    ['plus and slash of plain base64', '~+/8:1'],
    ['no UTF-8', `~${Buffer.from([0xc3]).toString('base64url')}:1`],
    ['half of a surrogate pair', `~${Buffer.from([0xed, 0xa0, 0x80]).toString('base64url')}:1`],
    ['an overlong form', `~${Buffer.from([0xc0, 0xaf]).toString('base64url')}:1`],
    ['a line break', `${token('a\r\nb')}:1`],
    ['a null', `${token('a\0')}:1`],
    ['a control character of Latin-1', `${token('a\u0085')}:1`],
    ['21 items', Array.from({ length: 21 }, () => 'a:1').join()],
  ])('%s is refused', (_what, segment) => {
    expect(permalinkItems(segment)).toBeUndefined();
  });

  test('both forms of a token stand for the same id, and every id without control characters has one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.integer({ min: 1, max: 999 }), (text, quantity) => {
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

  test.each([
    ['utm_source=a&utm_medium=b', { utm_source: 'a', utm_medium: 'b' }],
    ['?attribution/utm_source=email&utm_medium=sms&color=black&access_token=secret', { utm_source: 'email', utm_medium: 'sms' }],
    ['/attribution/utm_source=email', { utm_source: 'email' }],
    ['attribution%2Futm_source=email', { utm_source: 'email' }],
    ['attribution/utm_source=a&utm_source=b', { utm_source: 'a' }],
    ['utm_source=b&attribution/utm_source=a', { utm_source: 'a' }],
    ['client_reference_id=docs_1&utm_source=cs_1', { client_reference_id: 'docs_1', utm_source: 'cs_1' }],
  ])('of %s goes on what is allowed', (query, expected) => {
    expect(passed(query)).toEqual(expected);
  });

  test.each([
    ['the same name twice', 'utm_source=a&utm_source=b'],
    ['twice after normalisation', 'utm_source=a&/utm_source=b'],
    ['a field twice after normalisation', 'attribution/utm_source=a&/attribution/utm_source=a'],
    ['three times', 'utm_source=a&utm_source=b&utm_source=c'],
    ['a field of a buyer', 'buyer/email=alice%40foo.com&buyer/unknown=x'],
    ['what the server alone decides', 'totals/0/amount=0&status=completed&currency=EUR&order/id=x&id=x'],
    ['a quantity beside the path', 'line_items/0/quantity=5'],
    ['an attribution that is not for marketing', 'attribution/client_reference_id=x&attribution/ref=x'],
    ['a reference that may be the session of somebody else', `client_reference_id=cs_${'a'.repeat(32)}`],
    ['the same in upper case', `client_reference_id=CS_${'A'.repeat(32)}`],
    ['the same, percent-encoded and with a slash', `/client_reference_id=%63%53%5f${'0'.repeat(32)}`],
    ['any other that begins so', 'client_reference_id=cs_test_1'],
    ['a value that is not percent-encoded rightly', 'utm_source=%zz'],
    ['a name that is not percent-encoded rightly', '%zz=a'],
    ['no name', '=a&&&'],
  ])('%s has no effect', (_what, query) => {
    expect(passed(query)).toEqual({});
  });

  test('where to go on is named once or not at all', () => {
    expect(readPermalinkQuery('continue_to=/a%2Fb').continueTo).toBe('/a%2Fb');
    expect(readPermalinkQuery('continue_to=/a&continue_to=/b').continueTo).toBeUndefined();
    expect(readPermalinkQuery('/continue_to=/a').continueTo).toBeUndefined();
    expect(readPermalinkQuery('').continueTo).toBeUndefined();
  });
});

describe('continueTo()', () => {
  const BASE = 'https://signpost.example';

  test.each([
    ['/', '/'],
    ['/collections/spring', '/collections/spring'],
    ['%2Fcollections%2Fspring', '/collections/spring'],
    ['/a/./b/../c', '/a/c'],
    ['/caf%C3%A9', '/caf%C3%A9'],
    ['/buy/review:1', '/buy/review:1'],
    ['/a?x=1#y', '/a'],
    ['/../../a', '/a'],
  ])('%s leads to %s', (sent, path) => {
    expect(continueTo(sent, BASE)).toBe(BASE + path);
  });

  test.each([
    '',
    ...words`a //evil.example %2F%2Fevil.example /%2Fevil.example /%252Fevil.example /%252e%252e//evil.example ///evil.example`,
    '/\\evil.example',
    '/%5Cevil.example',
    '/%255Cevil.example',
    '\\\\evil.example',
    ...words`
      https://evil.example https:%2F%2Fevil.example javascript:alert(1) /javascript:alert(1) /https://evil.example /data:text/html,x
      /.//evil.example /..//evil.example /a/..//evil.example /%09/evil.example /%0A/evil.example
      /a%0D%0ALocation:%20https://evil.example /a%00
    `,
    '/a b',
    ...words`/a%20b /a%C2%A0b /a%E2%80%A8b /a%E2%80%AEb /a%EF%BB%BFb /%zz /%C0%AF /%E3%80`,
  ])('%s leads nowhere', (sent) => {
    expect(continueTo(sent, BASE)).toBeUndefined();
  });

  test('whatever is asked for, it stays on this site, in plain ASCII', () => {
    const piece = fc.constantFrom('/', '//', '\\', ...words`. .. @ : %2f %5c %09 %0d%0a evil.example https: ? #`, ' ', 'é', '\t', '%25');
    fc.assert(
      fc.property(
        fc.oneof(
          fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('')}`),
          fc.string({ unit: 'binary' }),
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
    soldOffer({ id: 'support', checkoutUrl: 'https://checkout.example/pay?plan=2#top' }),
  ],
  commerce: { acp: false, ucp: false, processor: 'links', webhookHosts: [] },
};
const target = (segment: string, query = '') => findBuyTarget({ segment, sentSegment: segment, query }, deployment, '2027-01-01');
const page = { kind: 'page' };
const alias = { kind: 'alias', location: 'https://signpost.example/buy/review' };
const checkout = { kind: 'redirect', location: 'https://checkout.example/demo/review', bought: 'review' };
const cart = (items: string) => ({
  kind: 'redirect',
  location: `https://signpost.example/checkout?items=${items}`,
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
    ['review:2', '', cart('review:2')],
    ['review:999', 'go', cart('review:999')],
    ['check:2', '', cart('review:2')],
    ['review:1,check:1', '', cart('review:2')],
    [
      'review:1,support:1',
      'utm_source=a',
      {
        ...cart('review:1,support:1'),
        location: 'https://signpost.example/checkout?items=review:1,support:1&utm_source=a',
      },
    ],
    ['~cmV2aWV3:1', '', checkout],
    ['~Y2hlY2s:2', '', cart('review:2')],
    ['review:1,unknown:1', '', page],
    ['unknown:1', 'continue_to=/pricing', { kind: 'redirect', location: 'https://signpost.example/pricing' }],
    ['review:1', 'continue_to=/pricing&utm_term=a', { kind: 'redirect', location: 'https://signpost.example/pricing?utm_term=a' }],
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
    expect(target('review:1', query)).toEqual({ kind: 'redirect', location, bought: 'review' });
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
    fc.string({ unit: 'binary' }),
    fc.webUrl(),
  );
  const text = fc.oneof(hostile, fc.string({ unit: 'binary' }), fc.webUrl(), fc.stringMatching(/^[a-z]{1,5}$/));
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
