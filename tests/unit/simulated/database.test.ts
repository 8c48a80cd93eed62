import { Miniflare } from 'miniflare';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulatedDatabase } from '../../support/simulated/database.ts';
import { SimulatedTime } from '../../support/simulated/time.ts';

let miniflare: Miniflare;
let real: D1Database;
beforeAll(async () => {
  miniflare = new Miniflare({
    cf: false,
    workers: [
      {
        config: {
          name: 'store',
          compatibilityDate: '2026-10-01',
          manifest: { mainModule: 'empty.js', modulesRoot: '/', modules: { 'empty.js': { type: 'esm', contents: 'export default {}' } } },
          env: { STATE: { type: 'd1', id: 'state' } },
        },
      },
    ],
  } as unknown as ConstructorParameters<typeof Miniflare>[0]);
  real = (await miniflare.getD1Database('STATE')) as unknown as D1Database;
});
afterAll(() => miniflare.dispose());

/** What a database says to one step: rows and changes, or the error. */
type Said = { readonly results: unknown; readonly changes?: readonly number[] } | { readonly error: string };

const many = (count: number, mark: (at: number) => string): string => Array.from({ length: count }, (_, at) => mark(at)).join(', ');

/** Steps of one story; each sees what those before it left. */
const STORY: readonly (readonly [string, (database: D1Database) => Promise<unknown>])[] = [
  [
    'a table',
    (d) => d.prepare("CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT UNIQUE, c TEXT NOT NULL DEFAULT 'c' CHECK (c <> 'd')) STRICT").run(),
  ],
  ['an insert', (d) => d.prepare('INSERT INTO t (a, b) VALUES (?1, ?2)').bind(1, 'x').run()],
  ['a second use of a unique value', (d) => d.prepare('INSERT INTO t (a, b) VALUES (?1, ?2)').bind(2, 'x').run()],
  ['a second use of a primary key', (d) => d.prepare('INSERT INTO t (a, b) VALUES (?1, ?2)').bind(1, 'z').run()],
  [
    'an insert that conflicts and does nothing',
    (d) => d.prepare('INSERT INTO t (a, b) VALUES (?, ?) ON CONFLICT DO NOTHING').bind(2, 'x').run(),
  ],
  ['an insert that gives its row back', (d) => d.prepare('INSERT INTO t (a, b) VALUES (?1, ?2) RETURNING a, b').bind(3, 'y').all()],
  ['a value of a foreign type', (d) => d.prepare('INSERT INTO t (a, b) VALUES (?1, ?2)').bind('word', 'w').run()],
  ['nothing where something must be', (d) => d.prepare('INSERT INTO t (c) VALUES (?1)').bind(null).run()],
  ['a value that a check forbids', (d) => d.prepare('UPDATE t SET c = ?1').bind('d').run()],
  ['an update of all rows', (d) => d.prepare('UPDATE t SET b = b').run()],
  ['an update of none', (d) => d.prepare('UPDATE t SET b = ?1 WHERE a = ?2').bind('q', 99).run()],
  ['the first row', (d) => d.prepare('SELECT * FROM t ORDER BY a').first()],
  ['one column of the first row', (d) => d.prepare('SELECT * FROM t ORDER BY a').first('b')],
  ['a column that is not there', (d) => d.prepare('SELECT * FROM t').first('zz')],
  ['the first of no rows', (d) => d.prepare('SELECT * FROM t WHERE a = ?1').bind(99).first()],
  ['raw rows', (d) => d.prepare('SELECT * FROM t ORDER BY a').raw()],
  ['raw rows with names', (d) => d.prepare('SELECT * FROM t ORDER BY a').raw({ columnNames: true })],
  ['types of values', (d) => d.prepare('SELECT typeof(?1) AS a, typeof(?2) AS b, typeof(?3) AS c, ?2 AS d').bind(5, true, null).all()],
  ['a parameter used twice', (d) => d.prepare('SELECT ?2 AS a, ?1 AS b, ?2 AS c').bind(1, 'two').all()],
  ['bytes', (d) => d.prepare('SELECT ?1 AS a').bind(Uint8Array.of(1, 2)).all()],
  [
    'a batch',
    (d) =>
      d.batch([d.prepare("INSERT INTO t (a, b) VALUES (7, 'q')"), d.prepare('SELECT * FROM t'), d.prepare('DELETE FROM t WHERE a = 7')]),
  ],
  [
    'a batch whose last fails',
    (d) => d.batch([d.prepare("INSERT INTO t (a, b) VALUES (8, 'r')"), d.prepare("INSERT INTO t (a, b) VALUES (9, 'r')")]),
  ],
  ['what that batch left', (d) => d.prepare('SELECT COUNT(*) AS rows FROM t').all()],
  ['an empty batch', (d) => d.batch([])],
  ['a table that is not there', (d) => d.prepare('SELECT * FROM nowhere').all()],
  ['undefined', async (d) => d.prepare('SELECT ?1').bind(undefined).all()],
  ['a bigint', async (d) => d.prepare('SELECT ?1').bind(1n).all()],
  ['an object', async (d) => d.prepare('SELECT ?1').bind({}).all()],
  ['too few values', (d) => d.prepare('SELECT ?1, ?2').bind(1).all()],
  ['too many values', (d) => d.prepare('SELECT ?1').bind(1, 2).all()],
  [
    'a hundred parameters',
    (d) =>
      d
        .prepare(`SELECT a FROM t WHERE a IN (${many(100, () => '?')}) ORDER BY a`)
        .bind(...Array.from({ length: 100 }, (_, at) => at))
        .all(),
  ],
];

async function ask(database: D1Database, step: (database: D1Database) => Promise<unknown>): Promise<Said> {
  try {
    const said = await step(database);
    const all = (Array.isArray(said) ? said : [said]) as Partial<D1Result>[];
    if (all.every((result) => result?.meta !== undefined))
      return { results: all.map(({ results }) => results), changes: all.map(({ meta }) => meta?.changes ?? -1) };
    return { results: said };
  } catch (error) {
    return { error: String(error) };
  }
}

describe('a simulated database', () => {
  it('answers a story of statements as the real one does, errors and their wording included', async () => {
    const time = new SimulatedTime(0);
    const database = simulatedDatabase(time, { migrations: false });
    for (const [name, step] of STORY) {
      const expected = await ask(real, step);
      expect(await ask(database.binding(), step), name).toEqual(expected);
    }
    database.close();
  });

  it('refuses a transaction of one’s own and more than a hundred parameters, as the real one does', async () => {
    const database = simulatedDatabase(new SimulatedTime(0), { migrations: false });
    for (const d of [real, database.binding()]) {
      await expect(d.prepare('BEGIN').run()).rejects.toThrow(/D1_ERROR: To execute a transaction/);
      const statement = d.prepare(`SELECT ${many(101, (at) => `?${at + 1} AS c${at}`)}`).bind(...Array.from({ length: 101 }, () => 1));
      await expect(statement.all()).rejects.toThrow(/D1_ERROR: .*SQLITE_ERROR/);
    }
    database.close();
  });
});
