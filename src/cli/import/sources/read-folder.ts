import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { UserError } from '../../../build/user-error.ts';
import { partText } from '../front-matter.ts';
import { languageTag, mapFields } from '../map-fields.ts';
import {
  type FindFile,
  failureOf,
  type Generator,
  type ImportNote,
  type Source,
  type SourceFile,
  type SourcePage,
  TEXT_MAX_BYTES,
} from '../source-page.ts';
import { detectLicense } from './detect-license.ts';
import { detectSite, type SiteLayout } from './detect-site.ts';
import { gitFacts } from './git-facts.ts';
import { fileWithin, isWithin, openWithin, realPathWithin } from './open-within.ts';

/** Folders that hold no texts of a site, whatever the generator. */
const IGNORED_FOLDER = /^(?:\..*|node_modules|__.*__)$/;

/** What the user says about a folder. */
export interface FolderOptions {
  readonly generator?: Generator | undefined;
  /** Address of the site; the one of the configuration by default. */
  readonly site?: string | undefined;
  readonly today: string;
  /** Folder of the publication, whose licence says nothing about imported texts. */
  readonly publication: string;
  readonly onProgress?: (files: number) => void;
}

/**
 * Reads a folder of texts. Symbolic links are not followed; where pages refer to files, links within the folder are.
 *
 * @throws {UserError} If it has no texts.
 */
export async function readFolder(given: string, options: FolderOptions): Promise<Source> {
  const folder = resolve(given);
  const layout = detectSite(folder, options.generator);
  const skipped: ImportNote[] = [];
  // A folder within a vault selects its texts; one above selects all.
  const files = listTexts(isWithin(folder, layout.root) ? folder : layout.root, layout, skipped).sort();
  if (files.length === 0)
    throw new UserError(
      `${given} has no markdown files (.md) and no HTML; name the folder with the texts${skipped.length > 0 ? `, or see why ${skipped.length} files were skipped: ${skipped[0]?.path} ${skipped[0]?.message}` : ''}`,
    );
  const { dates, remote } = await gitFacts(layout.root);
  const { site } = options;
  const pages = files.flatMap((path, index) => {
    if (index % 200 === 0) options.onProgress?.(index);
    try {
      const page = readPage(path, layout, site, options.today, skipped);
      return page === undefined ? [] : [{ ...page, ...dates.get(path) }];
    } catch (error) {
      skipped.push({ path, line: 1, message: failureOf(error) });
      return [];
    }
  });
  return {
    generator: layout.generator,
    from: remote ?? layout.root.split(sep).at(-1) ?? 'folder',
    pages,
    findFile: fileFinder(layout, skipped),
    isGone: (path) => !existsSync(join(layout.root, path)),
    site,
    license: detectLicense(folder, layout.root, options.publication),
    skipped,
  };
}

/** Whether a folder is there and within the source. */
function isReadable(root: string, folder: string, skipped: ImportNote[]): boolean {
  const found = realPathWithin(root, folder);
  if (found !== undefined && 'refused' in found) skipped.push({ path: folder, line: 1, message: found.refused });
  return found !== undefined && 'real' in found && statSync(found.real).isDirectory();
}

/** Paths of all texts below a folder, from the root. */
function listTexts(start: string, layout: SiteLayout, skipped: ImportNote[]): string[] {
  const found: string[] = [];
  const stack = isReadable(layout.root, relative(layout.root, start), skipped) ? [start] : [];
  for (let folder = stack.pop(); folder !== undefined; folder = stack.pop()) {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const file = join(folder, entry.name);
      const path = relative(layout.root, file).split(sep).join('/');
      const isText = /\.(?:md|mdx|markdown)$/i.test(entry.name);
      if (entry.isSymbolicLink()) {
        if (isText || statSync(file, { throwIfNoEntry: false })?.isDirectory())
          skipped.push({ path, line: 1, message: 'is a symbolic link, which an import does not follow' });
      } else if (entry.isDirectory()) {
        if (!IGNORED_FOLDER.test(entry.name)) stack.push(file);
      } else if (entry.isFile() && isText && /\.mdx$/i.test(entry.name))
        skipped.push({ path, line: 1, message: 'has components (MDX), which only its site shows; build the site and import its HTML' });
      else if (entry.isFile() && isText) found.push(path);
    }
  }
  return found;
}

function readPage(
  path: string,
  layout: SiteLayout,
  site: string | undefined,
  today: string,
  skipped: ImportNote[],
): SourcePage | undefined {
  const skip = (message: string): undefined => void skipped.push({ path, line: 1, message });
  const opened = openWithin(layout.root, path, TEXT_MAX_BYTES);
  if (opened === undefined) return skip('cannot be read');
  if ('refused' in opened) return skip(opened.refused);
  const { bytes } = opened;
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return skip('is not UTF-8 text');
  }
  if (text.includes('\0')) return skip('is binary');
  const routes = routesOf(path, text, today);
  const top = path.includes('/') ? (path.split('/')[0] ?? '') : (/\.([a-z]{2}(?:-[A-Za-z]{2,4})?)\.md$/.exec(path)?.[1] ?? '');
  return {
    path,
    text: text.replace(/\r\n?/g, '\n'),
    routes,
    url: site === undefined ? undefined : site + (routes[0] ?? ''),
    language: isLanguageFolder(top) ? languageTag(top) : undefined,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  };
}

/** Codes of languages that sites are usually translated into: other short folder names, such as `api`, are none. */
const LANGUAGES: ReadonlySet<string> = new Set(
  'ar bg bn ca cs da de el en es et eu fa fi fr gl he hi hr hu id it ja ka kk km ko lt lv ms nb nl nn no pl pt ro ru sk sl sr sv ta th tr uk ur uz vi zh'.split(
    ' ',
  ),
);

function isLanguageFolder(name: string): boolean {
  return LANGUAGES.has(name.toLowerCase().split(/[-_]/)[0] ?? '') && languageTag(name) !== undefined;
}

/** Routes of a page: the one that its site shows first, then others that links may use. */
function routesOf(path: string, text: string, today: string): string[] {
  const parts = path.replace(/\.[^./]*$/, '').split('/');
  const isIndex = /^(?:index|readme)$/i.test(parts.at(-1) ?? '');
  const own = `/${(isIndex ? parts.slice(0, -1) : parts).join('/')}`.replace(/(?<!\/)\/+$/, '');
  const { slugs } = mapFields(partText(text, { numbersAsWritten: true }).fields, { today, path });
  return [...new Set([...slugs.map((slug) => `/${slug}`.replace(/^\/+/, '/').replace(/(?<!\/)\/+$/, '')), own])];
}

/** Folders whose files are at the top of a site. */
const PUBLIC_FOLDERS = ['', 'public', 'static'];

/** Finds files by paths as pages name them. Links out of the root find nothing. */
function fileFinder(layout: SiteLayout, skipped: ImportNote[]): FindFile {
  const byName = new Map<string, string[]>();
  let isListed = false;
  const known = (path: string): SourceFile | undefined => {
    const normal = posix.normalize(path).replace(/^\/+/, '');
    if (normal.startsWith('..') || normal === '.') return undefined;
    return fileWithin(layout.root, normal, skipped);
  };
  return (fromPath, target) => {
    const path = target.replace(/[?#].*$/, '');
    if (path.startsWith('/')) {
      for (const folder of PUBLIC_FOLDERS) {
        const found = known(posix.join(folder, path));
        if (found) return found;
      }
      return undefined;
    }
    const beside = known(posix.join(posix.dirname(fromPath), path));
    if (beside || layout.generator !== 'obsidian') return beside ?? (/^[\w-]/.test(path) ? known(posix.join('public', path)) : undefined);
    if (!isListed) listFiles(layout.root, layout.root, byName);
    isListed = true;
    const named = byName.get(posix.basename(path).toLowerCase()) ?? [];
    const nearest = named
      .filter((file) => file.toLowerCase().endsWith(path.toLowerCase()))
      .sort((a, b) => shared(b, fromPath) - shared(a, fromPath))[0];
    return nearest === undefined ? undefined : known(nearest);
  };
}

/** Files of a vault by their lower-case name, which is how notes refer to them. */
function listFiles(root: string, folder: string, byName: Map<string, string[]>): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const file = join(folder, entry.name);
    if (entry.isDirectory() && !IGNORED_FOLDER.test(entry.name)) listFiles(root, file, byName);
    else if (entry.isFile()) {
      const name = entry.name.toLowerCase();
      byName.set(name, [...(byName.get(name) ?? []), relative(root, file).split(sep).join('/')]);
    }
  }
}

function shared(a: string, b: string): number {
  const [left, right] = [dirname(a).split('/'), dirname(b).split('/')];
  let count = 0;
  while (count < left.length && left[count] === right[count]) count += 1;
  return count;
}
