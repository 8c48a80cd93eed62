import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { FILE_MAX_BYTES, type ImportNote, type OpenedFile, type SourceFile, TEXT_MAX_BYTES } from '../import-source.ts';

const LEADS_OUT = 'leads out of the imported folder, and is not read';

export function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Paths of all files below a folder from its root, with slashes and sorted. Symbolic links are not followed, but reported to `onLink`. */
export function listFiles(root: string, start: string, isIgnored: (name: string) => boolean, onLink?: (path: string) => void): string[] {
  const found: string[] = [];
  const stack = [start];
  for (let folder = stack.pop(); folder !== undefined; folder = stack.pop())
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const file = join(folder, entry.name);
      const path = relative(root, file).split(sep).join('/');
      if (entry.isSymbolicLink()) onLink?.(path);
      else if (entry.isDirectory() && !isIgnored(entry.name)) stack.push(file);
      else if (entry.isFile()) found.push(path);
    }
  return found.sort();
}

/** The path of something below a root, without links, which may not lead out of it; `undefined` if there is no such thing. */
export function realPathWithin(root: string, path: string): { readonly real: string } | { readonly refused: string } | undefined {
  try {
    const real = realpathSync(join(root, path));
    return isWithin(real, realpathSync(root)) ? { real } : { refused: LEADS_OUT };
  } catch {
    return undefined;
  }
}

/** Reads a file below a folder of strangers. Links may not lead out of it: what they find, such as keys, would be published. */
export function openWithin(root: string, path: string, maxBytes: number): OpenedFile {
  const found = realPathWithin(root, path);
  if (found === undefined || 'refused' in found) return found;
  let file: number;
  try {
    // Nobody can put a link in the place of the file after it was checked; and a pipe would wait for a writer.
    file = openSync(found.real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0));
  } catch {
    return undefined;
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) return undefined;
    return stats.size > maxBytes
      ? { refused: `has more than ${Math.round(maxBytes / 1e6)} MB, and is not read` }
      : { bytes: readFileSync(file) };
  } finally {
    closeSync(file);
  }
}

/** The text of a file below a folder; empty if the file is missing or may not be read. */
export function textWithin(root: string, path: string): string {
  const opened = openWithin(root, path, TEXT_MAX_BYTES);
  return opened && 'bytes' in opened ? opened.bytes.toString('utf8') : '';
}

/** A file that pages of a folder refer to; `undefined` if it is missing. A link that leads out of the folder is noted once. */
export function fileWithin(root: string, path: string, skipped: ImportNote[]): SourceFile | undefined {
  const found = realPathWithin(root, path);
  const refused = found && 'refused' in found ? found.refused : undefined;
  if (refused !== undefined && !skipped.some((note) => note.path === path)) skipped.push({ path, line: 1, message: refused });
  const isFile = found && 'real' in found && statSync(found.real, { throwIfNoEntry: false })?.isFile();
  return isFile ? { path, read: () => openWithin(root, path, FILE_MAX_BYTES) } : undefined;
}
