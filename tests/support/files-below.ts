import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';

/** Paths of the files below a folder, as seen from it. */
export async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => relative(folder, join(parentPath, name)));
}

/** Contents of files below a folder by their paths; bytes that are no text are characters too. */
export async function contentsBelow(folder: string, isWanted: (path: string) => boolean = () => true): Promise<Map<string, string>> {
  const paths = (await filesBelow(folder)).filter(isWanted);
  return new Map(await Promise.all(paths.map(async (path) => [path, await readFile(join(folder, path), 'latin1')] as const)));
}
