import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { continueTo, permalinkItems, readPermalinkQuery } from '../../../../../src/gateway/commerce/cart/permalink.ts';

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
      { numRuns: 2_000 },
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
    'a',
    '//evil.example',
    '%2F%2Fevil.example',
    '/%2Fevil.example',
    '/%252Fevil.example',
    '/%252e%252e//evil.example',
    '///evil.example',
    '/\\evil.example',
    '/%5Cevil.example',
    '/%255Cevil.example',
    '\\\\evil.example',
    'https://evil.example',
    'https:%2F%2Fevil.example',
    'javascript:alert(1)',
    '/javascript:alert(1)',
    '/https://evil.example',
    '/data:text/html,x',
    '/.//evil.example',
    '/..//evil.example',
    '/a/..//evil.example',
    '/%09/evil.example',
    '/%0A/evil.example',
    '/a%0D%0ALocation:%20https://evil.example',
    '/a%00',
    '/a b',
    '/a%20b',
    '/a%C2%A0b',
    '/a%E2%80%A8b',
    '/a%E2%80%AEb',
    '/a%EF%BB%BFb',
    '/%zz',
    '/%C0%AF',
    '/%E3%80',
  ])('%s leads nowhere', (sent) => {
    expect(continueTo(sent, BASE)).toBeUndefined();
  });

  test('whatever is asked for, it stays on this site, in plain ASCII', () => {
    const piece = fc.constantFrom(
      '/',
      '//',
      '\\',
      '.',
      '..',
      '@',
      ':',
      '%2f',
      '%5c',
      '%09',
      '%0d%0a',
      'evil.example',
      'https:',
      '?',
      '#',
      ' ',
      'é',
      '\t',
      '%25',
    );
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
      { numRuns: 5_000 },
    );
  });
});
