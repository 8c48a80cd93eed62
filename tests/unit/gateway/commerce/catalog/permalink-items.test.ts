import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { permalinkItems } from '../../../../../src/gateway/commerce/catalog/permalink-items.ts';

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
