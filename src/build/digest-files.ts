import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Folder of the engine's code. */
export const ENGINE = join(import.meta.dirname, '..');

/**
 * Digest of files and of everything in folders, with their paths; what is missing counts as empty.
 *
 * @param root Folder to which paths are relative; the engine's are relative to it in any case.
 */
export async function digestFiles(root: string, paths: readonly string[]): Promise<string> {
  const hash = createHash('sha256');
  for (const path of paths) {
    const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(() => undefined);
    const files = entries
      ? entries
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .sort()
      : [path];
    for (const file of files)
      hash.update(file.slice((file.startsWith(ENGINE) ? ENGINE : root).length)).update(await readFile(file).catch(() => ''));
  }
  return hash.digest('hex');
}
