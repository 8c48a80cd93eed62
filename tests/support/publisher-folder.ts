import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inlineSqlDatabase } from '../../src/build/local/d1-connections.ts';
import type { Database } from '../../src/platform/d1/database.ts';
import { PUBLICATION, ROOT } from './paths.ts';
import { type CommandOutcome, runAkg } from './run-akg.ts';

export interface PublisherFolder {
  readonly folder: string;
  readonly run: (command: string, ...args: string[]) => Promise<CommandOutcome>;
  readonly remove: () => Promise<void>;
}

/** @param copied What of the project is copied into it, because commands change it. */
export async function makePublisherFolder(copied: readonly string[] = []): Promise<PublisherFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'akg-publisher-'));
  for (const name of ['wrangler.toml', ...copied]) await cp(join(PUBLICATION, name), join(folder, name), { recursive: true });
  const settings = join(folder, 'wrangler.toml');
  await writeFile(settings, (await readFile(settings, 'utf8')).replace('../../../src', 'src'));
  for (const name of ['src', 'node_modules']) await symlink(join(ROOT, name), join(folder, name));
  const run = (command: string, ...args: string[]): Promise<CommandOutcome> => runAkg([command, ...args], folder);
  return { folder, run, remove: () => rm(folder, { recursive: true }) };
}

/** A database that is reached as at Cloudflare, by statements with their values written into them, but in this process. */
export function writtenOver(database: Database): Database {
  return inlineSqlDatabase((statements) => database.batch(statements.map((text) => database.prepare(text))));
}
