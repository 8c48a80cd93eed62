import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from '../../../../src/gateway/knowledge/cursor.ts';

const VERSION = '0123456789abcdef'.repeat(4);
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const versions = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });
const requests = fc.record({
  query: fc.string({ unit: 'grapheme' }),
  filters: fc.dictionary(fc.constantFrom('type', 'language', 'tags'), fc.string({ unit: 'grapheme' })),
});

const codeOf = async (cursor: string, request: unknown): Promise<string> => {
  const result = await decodeCursor(cursor, request);
  return result.ok ? 'taken' : result.refusal.code;
};

describe('a cursor', () => {
  test('gives back its position to the same request, whatever the order of its members', async () => {
    await fc.assert(
      fc.asyncProperty(versions, fc.nat(999_999_999), requests, async (corpusVersion, offset, request) => {
        const cursor = await encodeCursor({ corpusVersion, offset }, request);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]{1,512}$/);
        const turned = { filters: Object.fromEntries(Object.entries(request.filters).reverse()), query: request.query };
        expect(await decodeCursor(cursor, turned)).toEqual({ ok: true, value: { corpusVersion, offset } });
      }),
    );
  });

  test('is refused to any other request', async () => {
    await fc.assert(
      fc.asyncProperty(requests, requests, async (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        const cursor = await encodeCursor({ corpusVersion: VERSION, offset: 10 }, one);
        const isSame =
          one.query === other.query &&
          JSON.stringify(Object.entries(one.filters).sort()) === JSON.stringify(Object.entries(other.filters).sort());
        expect(await codeOf(cursor, other)).toBe(isSame ? 'taken' : 'invalid_cursor');
      }),
    );
  });

  test.each([0, 10, 100, 1_000])('with the offset %i is refused after any change of one character', async (offset) => {
    const request = { query: 'x', filters: {} };
    const cursor = await encodeCursor({ corpusVersion: VERSION, offset }, request);
    for (let position = 0; position < cursor.length; position += 1) {
      const others = position > cursor.length - 3 ? [...ALPHABET] : ['A', 'z', '5', '_'];
      for (const character of others.filter((other) => other !== cursor[position])) {
        expect([position, character, await codeOf(cursor.slice(0, position) + character + cursor.slice(position + 1), request)]).toEqual([
          position,
          character,
          'invalid_cursor',
        ]);
      }
    }
    for (let length = 0; length < cursor.length; length += 1) expect(await codeOf(cursor.slice(0, length), request)).toBe('invalid_cursor');
    for (const more of ['A', '=', '==', ' ', '\n', cursor]) expect(await codeOf(cursor + more, request)).toBe('invalid_cursor');
  });

  test('is refused for any text that is none', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string({ unit: 'binary', maxLength: 512 }), fc.base64String({ maxLength: 300 })), async (text) => {
        expect(await codeOf(text, {})).toBe('invalid_cursor');
      }),
    );
  });
});
