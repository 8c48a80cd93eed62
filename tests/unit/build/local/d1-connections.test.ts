import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deferredDatabase, sqlLiteral } from '../../../../src/build/local/d1-connections.ts';
import type { Database } from '../../../../src/platform/d1/database.ts';

test('a deferred database is opened by its first statement, once, and binds values as the database itself does', async () => {
  const ran: unknown[] = [];
  let opened = 0;
  const database = {
    prepare: (sql: string) => ({ bind: (...values: unknown[]) => ({ sql, values }) }),
    batch: async (statements: unknown[]) => {
      ran.push(statements);
      return statements.map(() => ({ results: [{ n: ran.length }] }));
    },
  } as unknown as Database;
  let known: Promise<Database> | undefined;
  const deferred = deferredDatabase(() => {
    known ??= (async () => {
      opened += 1;
      return database;
    })();
    return known;
  });
  const statement = deferred.prepare('SELECT ?1 AS n').bind("a'b");
  expect(opened).toBe(0);
  expect(await statement.first()).toEqual({ n: 1 });
  expect(await deferred.batch([statement, deferred.prepare('DELETE').bind()])).toHaveLength(2);
  expect([opened, ran]).toEqual([
    1,
    [
      [{ sql: 'SELECT ?1 AS n', values: ["a'b"] }],
      [
        { sql: 'SELECT ?1 AS n', values: ["a'b"] },
        { sql: 'DELETE', values: [] },
      ],
    ],
  ]);
});

describe('sqlLiteral()', () => {
  test.each([
    [null, 'NULL'],
    [0, '0'],
    [-12, '-12'],
    ['', "''"],
    ['agt_00aa plain words, 12:30.', "'agt_00aa plain words, 12:30.'"],
    ["O'Neil", "CAST(X'4f274e65696c' AS TEXT)"],
    ['; DROP TABLE agents; --', "CAST(X'3b2044524f50205441424c45206167656e74733b202d2d' AS TEXT)"],
  ])('%j', (value, literal) => expect(sqlLiteral(value)).toBe(literal));

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
