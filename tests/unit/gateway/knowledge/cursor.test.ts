import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeCursor, encodeCursor } from '../../../../src/gateway/knowledge/cursor.ts';
import { anyText } from '../../../support/any-text.ts';

const VERSION = '0123456789abcdef'.repeat(4);
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const versions = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });
const requests = fc.record({
  query: fc.string({ unit: 'grapheme' }),
  filters: fc.dictionary(fc.constantFrom('type', 'language', 'tags'), fc.string({ unit: 'grapheme' })),
});

const codeOf = (cursor: string, request: unknown): string => {
  const result = decodeCursor(cursor, request, 'query');
  return result.ok ? 'taken' : result.refusal.code;
};

describe('a cursor', () => {
  test('gives back its position to the same request, whatever the order of its members', () => {
    fc.assert(
      fc.property(versions, fc.nat(999_999_999), requests, (corpusVersion, offset, request) => {
        const cursor = encodeCursor({ corpusVersion, offset }, request);
        expect(cursor).toMatch(/^[A-Za-z0-9_-]{1,512}$/);
        const turned = { filters: Object.fromEntries(Object.entries(request.filters).reverse()), query: request.query };
        expect(decodeCursor(cursor, turned, 'query')).toEqual({ ok: true, value: { corpusVersion, offset } });
      }),
    );
  });

  test('is refused to any other request', () => {
    fc.assert(
      fc.property(requests, requests, (one, other) => {
        fc.pre(JSON.stringify(one) !== JSON.stringify(other));
        const cursor = encodeCursor({ corpusVersion: VERSION, offset: 10 }, one);
        const isSame =
          one.query === other.query &&
          JSON.stringify(Object.entries(one.filters).sort()) === JSON.stringify(Object.entries(other.filters).sort());
        expect(codeOf(cursor, other)).toBe(isSame ? 'taken' : 'invalid_cursor');
      }),
    );
  });

  test.each([0, 10, 100, 1_000])('with the offset %i is refused after any change of one character', (offset) => {
    const request = { query: 'x', filters: {} };
    const cursor = encodeCursor({ corpusVersion: VERSION, offset }, request);
    for (let position = 0; position < cursor.length; position += 1) {
      const others = position > cursor.length - 3 ? [...ALPHABET] : ['A', 'z', '5', '_'];
      for (const character of others.filter((other) => other !== cursor[position])) {
        expect([position, character, codeOf(cursor.slice(0, position) + character + cursor.slice(position + 1), request)]).toEqual([
          position,
          character,
          'invalid_cursor',
        ]);
      }
    }
    for (let length = 0; length < cursor.length; length += 1) expect(codeOf(cursor.slice(0, length), request)).toBe('invalid_cursor');
    for (const more of ['A', '=', '==', ' ', '\n', cursor]) expect(codeOf(cursor + more, request)).toBe('invalid_cursor');
  });

  test('is refused for any text that is none', () => {
    fc.assert(
      fc.property(fc.oneof(anyText({ maxLength: 512 }), fc.base64String({ maxLength: 300 })), (text) => {
        expect(codeOf(text, {})).toBe('invalid_cursor');
      }),
    );
  });
});
