import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from './paths.ts';

/** How a command ended, and what it wrote, errors included. */
export interface CommandOutcome {
  readonly exit: number | null;
  readonly output: string;
}

/** A folder in which a publisher's commands run, with local stores of its own. */
export interface PublisherFolder {
  readonly folder: string;
  /** Runs `npm run <command> -- …` there. */
  readonly run: (command: string, ...args: string[]) => Promise<CommandOutcome>;
  readonly remove: () => Promise<void>;
}

/** @param copied What of the project is copied into it, because commands change it. */
export async function makePublisherFolder(copied: readonly string[] = []): Promise<PublisherFolder> {
  const folder = await mkdtemp(join(tmpdir(), 'akg-publisher-'));
  for (const name of ['wrangler.toml', ...copied]) await cp(join(ROOT, name), join(folder, name), { recursive: true });
  for (const name of ['src', 'node_modules']) await symlink(join(ROOT, name), join(folder, name));
  const run = (command: string, ...args: string[]): Promise<CommandOutcome> => {
    const child = spawn(process.execPath, [join(ROOT, 'src/cli/akg.mjs'), command, ...args], { cwd: folder, env: process.env });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    return new Promise((resolve) => child.once('close', (exit) => resolve({ exit, output })));
  };
  return { folder, run, remove: () => rm(folder, { recursive: true }) };
}
