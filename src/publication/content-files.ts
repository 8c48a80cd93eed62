import { lstat, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { idsOfFiles } from './content-ids.ts';
import { type ContentLevel, type ContentProblem, fileProblem } from './content-problem.ts';
import { findHiddenCharacters } from './lint/hidden-characters.ts';
import { DOWNLOAD_TYPES, IMAGE_TYPES } from './media/media-types.ts';
import { type ReadingMemo, remembered } from './reading-memo.ts';

/** A text file of `content/`. */
interface ContentFile {
  /** Path from the project's root, such as `content/capsules/http-caching.md`. */
  readonly path: string;
  /** Id that its name gives. */
  readonly id: string;
  readonly raw: string;
}

/** Files of a folder, and mistakes in them. */
interface ContentFiles {
  readonly files: ContentFile[];
  readonly problems: ContentProblem[];
  /** Ids of files that could not be read. */
  readonly unreadable: string[];
}

/** Largest text, in bytes: about 150,000 words. */
const TEXT_MAX_BYTES = 1024 * 1024;

/** Endings of files that texts show or link to, in lower case. */
export const ASSET_ENDINGS: readonly string[] = [...IMAGE_TYPES, ...DOWNLOAD_TYPES].map((type) => `.${type}`);

/** How a folder is read. */
interface FolderOptions {
  /** Paths of subfolders to leave out, from the folder. */
  readonly skip?: readonly string[];
  /** How serious hidden characters are; `undefined` if they do not matter. Errors by default. */
  readonly hiddenCharacters?: ContentLevel | undefined;
  /** What it has of a file is not read again. */
  readonly memo?: ReadingMemo | undefined;
  /** Texts in place of those of files; a file without one is left out. */
  readonly substitutes?: Substitutes | undefined;
}

/** Texts in place of those of files, by path. */
export type Substitutes = ReadonlyMap<string, string | undefined>;

/**
 * Reads every markdown file in a folder and its subfolders, by ascending path, and reports what is not published. Names that begin with `.`
 * or `_` are left out. Symbolic links are not followed. A missing folder is empty.
 */
export async function readContentFolder(root: string, folder: string, options: FolderOptions = {}): Promise<ContentFiles> {
  const { skip = [], memo, substitutes } = options;
  const hiddenCharacters = 'hiddenCharacters' in options ? options.hiddenCharacters : 'error';
  const { paths, problems } = await walkFolder(root, folder, skip);
  const ids = idsOfFiles(folder, paths);
  const result: ContentFiles = { files: [], problems: [...problems, ...ids.problems], unreadable: [] };
  for (const path of paths) {
    const id = ids.ids.get(path);
    if (id === undefined) continue;
    if (substitutes?.has(path)) {
      const raw = substitutes.get(path);
      if (raw !== undefined) result.files.push({ path, id, raw });
      continue;
    }
    const read = await remembered(memo, 'file', path, [hiddenCharacters], () => readContentFile(root, path, hiddenCharacters));
    result.problems.push(...read.problems);
    if (read.raw === undefined) result.unreadable.push(id);
    else result.files.push({ path, id, raw: read.raw });
  }
  return result;
}

/** Markdown files below a folder by ascending path, and problems with everything else there. */
async function walkFolder(
  root: string,
  folder: string,
  skip: readonly string[],
): Promise<{ readonly paths: string[]; readonly problems: ContentProblem[] }> {
  const paths: string[] = [];
  const problems: ContentProblem[] = [];
  const visit = async (parent: string): Promise<void> => {
    const entries = await readdir(join(root, parent), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = `${parent}/${entry.name}`;
      if (isIgnored(entry.name) || skip.some((name) => path === `${folder}/${name}`)) continue;
      if (entry.isSymbolicLink()) problems.push(fileProblem(path, 'is a symbolic link, which is not followed; put the file itself here'));
      else if (entry.isDirectory()) await visit(path);
      else if (entry.name.toLowerCase().endsWith('.md')) paths.push(path);
      else if (!ASSET_ENDINGS.some((ending) => entry.name.toLowerCase().endsWith(ending)))
        problems.push(
          fileProblem(
            path,
            `is not published: texts end in .md, images and downloads in ${ASSET_ENDINGS.join(', ')}. Rename it, move it out of content/, or begin its name with _`,
            'warning',
          ),
        );
    }
  };
  await visit(folder);
  return { paths: paths.sort(), problems };
}

/** Whether a file or folder is left out by its name: hidden files, and notes that begin with an underscore. */
export function isIgnored(name: string): boolean {
  return name.startsWith('.') || name.startsWith('_');
}

/**
 * Text of a file without a byte order mark, `undefined` if it is not a text, and mistakes in its characters.
 *
 * @param hiddenCharacters How serious hidden characters are; `undefined` if they do not matter.
 * @throws If the file cannot be read.
 */
export async function readContentFile(
  root: string,
  path: string,
  hiddenCharacters: ContentLevel | undefined = 'error',
): Promise<{ readonly raw: string | undefined; readonly problems: ContentProblem[] }> {
  const refuse = (message: string) => ({ raw: undefined, problems: [fileProblem(path, message)] });
  const { size } = await lstat(join(root, path));
  if (size > TEXT_MAX_BYTES)
    return refuse(`has ${(size / TEXT_MAX_BYTES).toFixed(1)} MiB; a text has at most 1 MiB. Split it, or move it out of content/`);
  const bytes = await readFile(join(root, path));
  let raw: string;
  try {
    raw = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return refuse('is not UTF-8 text; save it as UTF-8');
  }
  if (hiddenCharacters === undefined) return { raw, problems: [] };
  return {
    raw,
    problems: findHiddenCharacters(raw).map(({ line, codePoint }) => ({
      file: path,
      line,
      field: '',
      message: `contains the hidden character ${codePoint}; delete it`,
      level: hiddenCharacters,
    })),
  };
}

/** Folders of texts, and of files that are read otherwise. */
const KNOWN_FOLDERS: readonly string[] = ['capsules', 'offers', 'pages', 'deliveries', 'strings'];

/** A warning for every text of `content/` that is in no folder of texts, and so on no page. */
export async function strayTexts(root: string): Promise<ContentProblem[]> {
  const entries = await readdir(join(root, 'content'), { withFileTypes: true }).catch(() => []);
  const found: ContentProblem[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (isIgnored(entry.name) || KNOWN_FOLDERS.includes(entry.name)) continue;
    const path = `content/${entry.name}`;
    const texts = entry.isDirectory() ? (await walkFolder(root, path, [])).paths : isStrayText(entry.name) ? [path] : [];
    for (const text of texts)
      found.push(
        fileProblem(text, 'is not published; move it to content/capsules/ or content/pages/, or begin its name with _', 'warning'),
      );
  }
  return found;
}

/** Files beside the folders that explain them to people. */
const EXPLANATIONS = /^(?:readme|license|licence|copying|changelog|contributing)\b/i;

function isStrayText(name: string): boolean {
  return name.toLowerCase().endsWith('.md') && !EXPLANATIONS.test(name);
}
