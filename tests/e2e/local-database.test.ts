import { expect, it } from 'vitest';
import { withDatabase } from '../../src/build/local/database.ts';
import { LOCAL_STATE } from '../../src/build/local/local-stores.ts';
import { runWrangler } from '../../src/build/run-process.ts';
import { makePublisherFolder } from '../support/publisher-folder.ts';

it('keeps the tables of the local database as wrangler does: what we applied, it knows', async () => {
  const { folder, remove } = await makePublisherFolder();
  try {
    await withDatabase(folder, 'local', (database) => database.prepare('SELECT 1').all());
    const apply = ['d1', 'migrations', 'apply', 'STATE', '--local', '--persist-to', LOCAL_STATE];
    expect(await runWrangler(folder, apply)).toContain('No migrations to apply');
  } finally {
    await remove();
  }
});
