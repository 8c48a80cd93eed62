import { lstatSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ContentLevel } from '../../schemas/editorial-rules.ts';
import { findHiddenCharacters } from '../../text/check/hidden-characters.ts';
import { type ContentProblem, fileProblem } from '../content-problem.ts';
import { idsOfFiles } from './content-ids.ts';
import { DOWNLOAD_TYPES, IMAGE_TYPES } from './media-file.ts';

/** Largest text, in bytes: about 150,000 words. */
const TEXT_MAX_BYTES = 1024 * 1024;

/** Endings of files that texts show or link to, in lower case. */
export const ASSET_ENDINGS: readonly string[] = [...IMAGE_TYPES, ...DOWNLOAD_TYPES].map((type) => `.${type}`);

/** Texts in place of those of files, by path. */
export type Substitutes = ReadonlyMap<string, string | undefined>;

/** Names that begin with `.` or `_` are left out. Symbolic links are not followed. A missing folder is empty. */
export async function listContentFiles(root: string, folder: string, skip: readonly string[] = []) {
  const { paths, problems } = await walkFolder(root, folder, skip);
  const ids = idsOfFiles(folder, paths);
  const files = paths.flatMap((path) => {
    const id = ids.ids.get(path);
    return id === undefined ? [] : [{ path, id }];
  });
  return { files, problems: [...problems, ...ids.problems] };
}

/** The files of a folder that can be read, whatever characters they hide. */
export async function readContentFolder(root: string, folder: string, skip: readonly string[] = []) {
  return (await listContentFiles(root, folder, skip)).files.flatMap(({ path, id }) => {
    const { raw } = readTextSync(root, path);
    return raw === undefined ? [] : [{ path, id, raw }];
  });
}

async function walkFolder(root: string, folder: string, skip: readonly string[]) {
  const paths: string[] = [];
  const problems: ContentProblem[] = [];
  const visit = async (parent: string): Promise<void> => {
    for (const entry of await readdir(join(root, parent), { withFileTypes: true }).catch(() => [])) {
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

export interface ReadFile {
  readonly raw: string | undefined;
  readonly problems: ContentProblem[];
}

/** @throws If the file cannot be read. */
export async function readContentFile(root: string, path: string): Promise<ReadFile> {
  const { raw, problems } = readTextSync(root, path);
  return { raw, problems: raw === undefined ? problems : hiddenCharacterProblems(path, raw, 'error') };
}

/** The text of a file that a publication may lack; `undefined` without it. Adds to `problems` why it cannot be read. */
export async function readOptionalFile(root: string, path: string, problems: ContentProblem[]): Promise<string | undefined> {
  const read = await readContentFile(root, path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') problems.push(fileProblem(path, 'cannot be read; make it a readable file'));
  });
  problems.push(...(read?.problems ?? []));
  return read?.raw;
}

/** Synchronous: for thousands of small files that takes a third of the time. @throws If the file cannot be read. */
export function readTextSync(root: string, path: string): ReadFile {
  const refuse = (message: string): ReadFile => ({ raw: undefined, problems: [fileProblem(path, message)] });
  const file = join(root, path);
  const { size } = lstatSync(file);
  if (size > TEXT_MAX_BYTES)
    return refuse(`has ${(size / TEXT_MAX_BYTES).toFixed(1)} MiB; a text has at most 1 MiB. Split it, or move it out of content/`);
  const bytes = readFileSync(file);
  try {
    return { raw: new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes), problems: [] };
  } catch {
    return refuse('is not UTF-8 text; save it as UTF-8');
  }
}

export function hiddenCharacterProblems(file: string, raw: string, level: ContentLevel | undefined): ContentProblem[] {
  if (level === undefined) return [];
  return findHiddenCharacters(raw).map(({ line, codePoint }) => ({
    file,
    line,
    field: '',
    message: `contains the hidden character ${codePoint}; delete it`,
    level,
  }));
}

const KNOWN_FOLDERS: readonly string[] = ['capsules', 'offers', 'pages', 'deliveries', 'strings'];

/** A warning for every text of `content/` that is in no folder of texts, and so on no page. */
export async function misplacedTexts(root: string): Promise<ContentProblem[]> {
  const entries = await readdir(join(root, 'content'), { withFileTypes: true }).catch(() => []);
  const found: ContentProblem[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (isIgnored(entry.name) || KNOWN_FOLDERS.includes(entry.name)) continue;
    const path = `content/${entry.name}`;
    const texts = entry.isDirectory() ? (await walkFolder(root, path, [])).paths : isMisplacedText(entry.name) ? [path] : [];
    for (const text of texts)
      found.push(
        fileProblem(text, 'is not published; move it to content/capsules/ or content/pages/, or begin its name with _', 'warning'),
      );
  }
  return found;
}

const EXPLANATIONS = /^(?:readme|license|licence|copying|changelog|contributing)\b/i;

function isMisplacedText(name: string): boolean {
  return name.toLowerCase().endsWith('.md') && !EXPLANATIONS.test(name);
}

/** Writes a file, with its folder, at once: under its name it is never partial, because a rename is atomic. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, content);
  await rename(`${path}.new`, path);
}
