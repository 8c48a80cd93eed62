import { readdir, readFile } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { type ContentProblem, fileProblem } from './content-problem.ts';
import { findHiddenCharacters } from './lint/hidden-characters.ts';

/** A text file of `content/`. */
interface ContentFile {
  /** Path from the project's root, such as `content/capsules/http-caching.md`. */
  readonly path: string;
  /** File name without its ending. */
  readonly id: string;
  readonly raw: string;
}

/** Files of a folder, and mistakes in their characters. */
interface ContentFiles {
  readonly files: ContentFile[];
  readonly problems: ContentProblem[];
  /** Ids of files that are not UTF-8 text. */
  readonly unreadable: string[];
}

/**
 * Reads every file with one of `endings` in a folder and its subfolders, by ascending path. A missing folder is empty.
 *
 * @param skip Names of subfolders to leave out.
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
 * Text of a file, `undefined` if it is not UTF-8, and mistakes in its characters.
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
    return { raw: undefined, problems: [fileProblem(path, 'is not UTF-8 text; save it as UTF-8')] };
  }
  return {
    raw,
    problems: findHiddenCharacters(raw).map(({ line, codePoint }) => ({
      file: path,
      line,
      field: '',
      message: `contains the hidden character ${codePoint}; delete it`,
    })),
  };
}
