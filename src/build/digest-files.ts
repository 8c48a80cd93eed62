import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

const ENGINE = join(import.meta.dirname, '..');

/** Digest of the files of the engine. */
export async function digestOfEngine(): Promise<string> {
  return digestOfFiles(ENGINE, ['.']);
}

/** Digest of files, and of all files in folders, with their paths from `root`; what is missing counts as empty. */
export async function digestOfFiles(root: string, names: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const input of names.map((name) => join(root, name))) {
    const entries = await readdir(input, { recursive: true, withFileTypes: true }).catch(() => undefined);
    const files = entries
      ? entries
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .sort()
      : [input];
    for (const file of files) hash.update(file.slice(root.length)).update(await readFile(file).catch(() => ''));
  }
  return hash.digest('hex');
}
