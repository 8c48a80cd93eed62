import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isReservedHost, resolveCheckoutUrl } from '../../../../src/publication/offers/check-offers.ts';

const HOST = 'https://checkout.example';

describe('resolveCheckoutUrl() gives', () => {
  test.each([
    ['/demo/review', 'https://checkout.example/demo/review'],
    ['https://checkout.example/demo/review', 'https://checkout.example/demo/review'],
    ['https://CHECKOUT.example/a', 'https://checkout.example/a'],
    ['https://checkout.example:443/a', 'https://checkout.example/a'],
    ['/a?plan=1#x', 'https://checkout.example/a?plan=1#x'],
    ['/../../a', 'https://checkout.example/a'],
    ['/a/@evil.example', 'https://checkout.example/a/@evil.example'],
    ['/https://evil.example', 'https://checkout.example/https://evil.example'],
  ])('%s as %s', (checkout, url) => {
    expect(resolveCheckoutUrl(checkout, HOST)).toBe(url);
  });
});

describe('resolveCheckoutUrl() refuses', () => {
  // Other combinations of these pieces are shown by the property below.
  test.each([
    ...['https://evil.example/', 'https://sub.checkout.example/', 'https://checkout.example./', 'https://', 'https://['],
    ...['https://checkout.example@evil.example/', 'https://user:pass@checkout.example/', 'https://evil.example\\@checkout.example/'],
    ...['http://checkout.example/', 'https://checkout.example:80/', 'javascript:alert(1)', 'data:text/html,x', 'ftp://checkout.example/'],
    ...['blob:https://checkout.example/x', 'mailto:a@checkout.example', 'https://checkout.example%2eevil.example/', '//checkout.example/a'],
    ...['https://ｃheckout.example.evil.example/', '///evil.example', '/\\evil.example', '\\\\evil.example', '/\t/evil.example', '/a\\b'],
  ])('%j', (checkout) => {
    expect(resolveCheckoutUrl(checkout, HOST)).toBeUndefined();
  });

  test('whatever would lead to another origin', () => {
    const piece = fc.constantFrom(...'https: http: / // \\ @ : evil.example checkout.example %2f # ? . a :443'.split(' '), '\t', '\n', ' ');
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 10 }).map((pieces) => pieces.join('')),
        (checkout) => {
          const url = resolveCheckoutUrl(checkout, HOST);
          if (url === undefined) return;
          expect(url.startsWith(`${HOST}/`)).toBe(true);
          expect(new URL(url).username + new URL(url).password).toBe('');
        },
      ),
      { numRuns: 5_000 },
    );
  });
});

test.each([
  ['https://checkout.example', true],
  ['https://shop.test', true],
  ['https://a.invalid', true],
  ['https://pay.localhost', true],
  ['https://example.com', true],
  ['https://pay.example.org', true],
  ['https://example.net', true],
  ['https://checkout.example:8443', true],
  ['http://localhost:8788', true],
  ['http://localhost', true],
  ['https://example', true],
  ['https://buy.stripe.com', false],
  ['https://myexample.com', false],
  ['https://example.de', false],
  ['https://example.com.evil.net', false],
  ['https://test.com', false],
])('isReservedHost() of %s is %s', (origin, reserved) => {
  expect(isReservedHost(origin)).toBe(reserved);
});
