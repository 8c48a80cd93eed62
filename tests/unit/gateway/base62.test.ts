import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { crc32, decodeBase62, encodeBase62 } from '../../../src/gateway/digests-and-base62.ts';

test.each([
  ['123456789', 0xcbf43926],
  ['The quick brown fox jumps over the lazy dog', 0x414fa339],
])('crc32() of %j is the known vector', (text, crc) => expect(crc32(text)).toBe(crc));

describe('encodeBase62()', () => {
  test.each<[bytes: number[], length: number, text: string]>([
    [[], 0, ''],
    [[0], 3, '000'],
    [[61], 1, 'z'],
    [[62], 2, '10'],
    [[0xff, 0xff, 0xff, 0xff], 6, '4gfFC3'],
  ])('writes %j as %s digits', (bytes, length, text) => {
    expect(encodeBase62(Uint8Array.from(bytes), length)).toBe(text);
    expect(decodeBase62(text, bytes.length)).toEqual(Uint8Array.from(bytes));
  });

  test('and decodeBase62() are inverse for 40 bytes in 54 digits', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 40, maxLength: 40 }), (bytes) => {
        const text = encodeBase62(bytes, 54);
        expect(text).toMatch(/^[0-9A-Za-z]{54}$/);
        expect(decodeBase62(text, 40)).toEqual(bytes);
      }),
    );
  });

  test('and decodeBase62() are inverse from the text on: no two texts stand for one value', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'0123456789ABCXYZabcxyz'), minLength: 54, maxLength: 54 }), (text) => {
        const bytes = decodeBase62(text, 40);
        if (bytes !== undefined) expect(encodeBase62(bytes, 54)).toBe(text);
      }),
    );
  });
});

test.each(['-', '_', ' ', 'é', '0O!', '\u0000', '٣'])('decodeBase62() refuses the foreign digit in %j', (text) => {
  expect(decodeBase62(text, 4)).toBeUndefined();
});

test('decodeBase62() refuses a number that does not fit', () => {
  expect(decodeBase62('z'.repeat(54), 40)).toBeUndefined();
  expect(decodeBase62('4gfFC4', 4)).toBeUndefined();
});
