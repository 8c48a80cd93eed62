import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { ContentProblem } from './content-problem.ts';
import { findHiddenCharacters } from './lint/hidden-characters.ts';

/** A text file of `content/`, as it is on disk. */
export interface ContentFile {
  /** Path from the project's root with `/`, such as `content/capsules/http-caching.md`. */
  readonly path: string;
  /** File name without its ending. */
  readonly id: string;
  readonly raw: string;
}

/** Files read from a folder, and problems of those that are no clean UTF-8 text. */
export interface ContentFiles {
  readonly files: ContentFile[];
  readonly problems: ContentProblem[];
  /** Ids of files that are no UTF-8 text. */
  readonly unreadable: string[];
}

/**
 * Reads every file with one of `endings` below a folder, in ascending order of path. A folder that does not exist is empty.
 *
 * @param skip Names of folders that are left out.
 */
export async function readContentFolder(
  root: string,
  folder: string,
  endings: readonly string[],
  skip: readonly string[] = [],
): Promise<ContentFiles> {
  const base = join(root, folder);
  const entries = await readdir(base, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((path) => !skip.some((name) => path.startsWith(`${folder}/${name}/`)))
    .sort();
  const result: ContentFiles = { files: [], problems: [], unreadable: [] };
  for (const path of paths) {
    const { raw, problems } = await readContentFile(root, path);
    result.problems.push(...problems);
    const id = (path.split('/').pop() ?? '').replace(/\.[^.]+$/, '');
    if (raw === undefined) result.unreadable.push(id);
    else result.files.push({ path, id, raw });
  }
  return result;
}

/**
 * Text of one file, and problems of its characters; no text if it is not UTF-8.
 *
 * @throws If the file cannot be read.
 */
export async function readContentFile(
  root: string,
  path: string,
): Promise<{ readonly raw: string | undefined; readonly problems: ContentProblem[] }> {
  const bytes = await readFile(join(root, path));
  let raw: string;
  try {
    raw = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { raw: undefined, problems: [{ file: path, line: 1, field: '', message: 'is not UTF-8 text' }] };
  }
  return {
    raw,
    problems: findHiddenCharacters(raw).map(({ line, codePoint }) => ({
      file: path,
      line,
      field: '',
      message: `holds the hidden character ${codePoint}; remove it`,
    })),
  };
}
