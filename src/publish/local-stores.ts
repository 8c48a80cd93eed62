import { randomBytes } from 'node:crypto';
import { access, appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runNode } from './run-process.ts';

/** Folder in which wrangler keeps the local KV and D1. */
export const LOCAL_STATE = '.wrangler/state';

/** Brings the local D1 up to the newest migration; what it holds is kept. */
export async function migrateLocalD1(root: string): Promise<void> {
  const outcome = await runNode([wranglerProgram(root), 'd1', 'migrations', 'apply', 'STATE', '--local', '--persist-to', LOCAL_STATE], {
    cwd: root,
    env: { CI: '1' },
  });
  if (outcome.exitCode !== 0) throw new Error(`the local database could not be migrated:\n${outcome.output}`);
}

/** Makes sure that `.dev.vars` holds a signing secret of this machine's own. */
export async function ensureLocalSecret(root: string): Promise<void> {
  const path = join(root, '.dev.vars');
  const present = await readFile(path, 'utf8').catch(() => '');
  if (/^SIGNING_SECRETS=/m.test(present)) return;
  const line = `SIGNING_SECRETS=1:${randomBytes(32).toString('base64url')}\n`;
  if (present === '') await writeFile(path, `# Secrets of this machine, made by npm start. Not committed.\n${line}`, { mode: 0o600 });
  else await appendFile(path, `${present.endsWith('\n') ? '' : '\n'}${line}`);
}

/** Path of wrangler's program, to be run with this Node. */
export function wranglerProgram(root: string): string {
  return join(root, 'node_modules/wrangler/bin/wrangler.js');
}

/** Whether a file or folder is there. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
