import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sqlLiteral } from '../../../../src/build/local/database.ts';

describe('sqlLiteral()', () => {
  test.each([
    [null, 'NULL'],
    [0, '0'],
    [-12, '-12'],
    ['', "''"],
    ['agt_00aa plain words, 12:30.', "'agt_00aa plain words, 12:30.'"],
    ["O'Neil", "CAST(X'4f274e65696c' AS TEXT)"],
    ['; DROP TABLE agents; --', "CAST(X'3b2044524f50205441424c45206167656e74733b202d2d' AS TEXT)"],
  ])('%j', (value, literal) => {
    expect(sqlLiteral(value)).toBe(literal);
  });

  test('holds no quote, semicolon or parameter of the value, and no value is lost', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'grapheme' })), (text) => {
        const [, plain, hex] = /^(?:'([A-Za-z0-9 _.,:-]*)'|CAST\(X'([0-9a-f]*)' AS TEXT\))$/.exec(sqlLiteral(text)) ?? [];
        expect(plain ?? Buffer.from(hex ?? '', 'hex').toString('utf8')).toBe(text);
      }),
    );
  });

  test.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60])('refuses %s', (value) => {
    expect(() => sqlLiteral(value)).toThrow('whole numbers');
  });
});
