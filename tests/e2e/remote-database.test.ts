import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withDatabase, wranglerDatabase } from '../../src/build/local/database.ts';
import { LOCAL_STATE } from '../../src/build/local/local-stores.ts';
import { runWrangler } from '../../src/build/run-process.ts';
import type { Database } from '../../src/platform/d1/database.ts';
import { makePublisherFolder, type PublisherFolder } from '../support/publisher-folder.ts';

/** Text with whatever has a meaning to SQL, to a shell or to a terminal. */
const TEXT = `O'Neil; "--" ?1 $(x) \\ %s 🤖 \u0007`;
const WHERE = ['--local', '--persist-to', LOCAL_STATE];

let place: PublisherFolder;
let folder: string;
beforeAll(async () => {
  place = await makePublisherFolder();
  folder = place.folder;
  await withDatabase(folder, 'local', async (database) => {
    await statementsOf(database)[0]?.all();
  });
});
afterAll(() => place.remove());

/** A statement that stores a text, and one that reads it. */
const statementsOf = (database: Database): ReturnType<Database['prepare']>[] => [
  database.prepare('INSERT INTO quotas (ends_at_ms, name, subject, count) VALUES (?2, ?1, ?1, ?3)').bind(TEXT, 7, 1),
  database.prepare('SELECT name, count, NULL AS absent FROM quotas WHERE name = ?1 AND ends_at_ms = ?2').bind(TEXT, 7),
];

describe('the database through the command of wrangler, here on its own simulator', () => {
  it('keeps the tables as wrangler does: what either applied, the other knows', async () => {
    expect(await runWrangler(folder, ['d1', 'migrations', 'apply', 'STATE', ...WHERE])).toContain('No migrations to apply');
  });

  it('takes and gives any text, and the statements of a batch are one transaction', async () => {
    const database = wranglerDatabase(folder, WHERE);
    const [insert, select] = statementsOf(database);
    if (insert === undefined || select === undefined) throw new Error('there are two statements');
    const update = database.prepare('UPDATE quotas SET count = count + 1 WHERE name = ?1 RETURNING count').bind(TEXT);
    await expect(database.batch([update, insert])).rejects.toThrow('UNIQUE constraint failed');
    const results = await database.batch([select, update, select]);
    expect(results.map((result) => result.results)).toEqual([
      [{ name: TEXT, count: 1, absent: null }],
      [{ count: 2 }],
      [{ name: TEXT, count: 2, absent: null }],
    ]);
  });
});
