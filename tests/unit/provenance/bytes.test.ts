import { describe, expect, test } from 'vitest';
import { fromBase64Url, toBase64Url } from '../../../src/provenance/bytes.ts';

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('base64url', () => {
  test.each([0, 1, 2, 3, 4, 31, 32, 33, 255])('writes %i bytes as Node does, and reads them again', (length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 167 + length) % 256);
    expect(toBase64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
    expect(fromBase64Url(toBase64Url(bytes))).toEqual(bytes);
  });

  test('reads only one text for the same bytes', () => {
    for (const prefix of ['A', 'AA', 'AAA']) {
      const read = [...ALPHABET].filter((last) => fromBase64Url(prefix + last) !== undefined);
      expect(read).toHaveLength({ A: 4, AA: 16, AAA: 64 }[prefix] ?? 0);
    }
  });

  test.each(['A', 'AAAAA', 'AA==', 'AA+A', 'AA/A', 'AA A', 'AA\n', 'ÄAAA', '😀'])('does not read %j', (text) => {
    expect(fromBase64Url(text)).toBeUndefined();
  });
});
