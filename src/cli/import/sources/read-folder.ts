import { isUtf8 } from 'node:buffer';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join, posix, relative, resolve, sep } from 'node:path';
import { toHtml } from 'hast-util-to-html';
import { toHast } from 'mdast-util-to-hast';
import { UserError } from '../../../publication/content-problem.ts';
import { type FileDates, gitDates, runGit } from '../../../publication/git-history.ts';
import { isImageFile } from '../../../publication/read/media-file.ts';
import { parseText } from '../../../text/markdown/parse-text.ts';
import { convertMarkdown } from '../convert-page.ts';
import { folderLanguage, partText } from '../front-matter.ts';
import { readNavigation } from '../html/read-html.ts';
import type { ImportNote, NavigationEntry, OpenOptions, Source, SourceFile, SourcePage } from '../import-source.ts';
import { attempt, commonFolders, FILE_MAX_BYTES, TEXT_MAX_BYTES } from '../import-source.ts';
import { sha256 } from '../imported-capsules.ts';
import { destination, outsideCode, replaceOutsideCode } from '../markdown/markdown-syntax.ts';
import { detectLicense, detectSite } from './detect-site-and-license.ts';
import { FRAME_PART, NOWHERE, routeOf } from './read-html-folder.ts';
import { fileWithin, isWithin, listFiles, openWithin, realPathWithin, textWithin } from './read-within-folder.ts';

const IGNORED_FOLDER = /^(?:\..*|node_modules|__.*__)$/;

type TextFolder = { readonly generator: Source['generator']; readonly root: string; readonly isWiki?: boolean };

/** Reads a folder of texts, or the listed ones. Symbolic links are followed only to files that pages refer to. @throws {UserError} If it has none. */
export async function readFolder(given: string, options: OpenOptions, listed?: readonly string[]): Promise<Source> {
  const folder = resolve(given);
  const found: TextFolder = listed === undefined ? detectSite(folder, options.generator) : { generator: 'llms.txt', root: folder };
  const { dates, remote, filesUrl } = await gitFacts(found.root);
  const [, project] = /^(.*)\.wiki$/.exec(remote ?? '') ?? [];
  const wiki = project && `${project}/${/\/\/gitlab/.test(project) ? '-/wikis' : 'wiki'}`;
  const site = options.site ?? wiki;
  const layout = wiki === undefined ? found : { ...found, generator: options.generator ?? 'plain', isWiki: true };
  const skipped: ImportNote[] = [];
  // A folder within a vault selects its texts; one above selects all.
  const files = listed ?? listTexts(isWithin(folder, layout.root) ? folder : layout.root, layout, skipped);
  const addresses = new Set(files.flatMap((path) => [`/${path}`, ...routesOf(path, [])]));
  const bases = [NOWHERE, ...(site === undefined ? [] : [site])];
  const orderIn = (path: string): NavigationEntry[] | undefined => {
    const entries = outlineOf(path, textWithin(layout.root, path), bases);
    return entries.some(({ url }) => addresses.has(url) || addresses.has(routeOf(url))) ? entries : undefined;
  };
  const isFrame = (path: string): boolean =>
    FRAME.test(path) || (SUMMARY.test(path) && isOutline(textWithin(layout.root, path)) && orderIn(path) !== undefined);
  const remoteImages = new Map<string, SourceFile>();
  const outlines = files.filter((path) => /(?:^|\/)(?:_sidebar|summary)\.md$/i.test(path) && isFrame(path));
  const [outline] = outlines.sort((a, b) => a.split('/').length - b.split('/').length);
  const navigation = outline === undefined ? undefined : orderIn(outline);
  const pages = files.flatMap((path, index) => {
    if (isFrame(path)) {
      skipped.push({ path, line: 1, message: FRAME_PART });
      return [];
    }
    if (index % 200 === 0) options.onProgress('Reading', index);
    const page = attempt(() => readPage(path, layout, { ...options, site }, skipped, remoteImages), path, skipped);
    return page === undefined ? [] : [{ ...page, ...dates.get(path) }];
  });
  const document = pages.length > 0 ? undefined : readdirSync(folder).find((name) => /^(?!package)[^.].*\.(?:json|xml|ya?ml)$/i.test(name));
  if (pages.length === 0)
    throw new UserError(
      `${given} has no markdown files (.md) and no HTML; name the folder with the texts${document === undefined ? '' : `, or the file ${join(given, document)}`}${skipped.length > 0 ? `, or see why ${skipped.length} files were skipped: ${skipped[0]?.path} ${skipped[0]?.message}` : ''}`,
    );
  return {
    generator: layout.generator,
    from: remote ?? layout.root.split(sep).at(-1) ?? 'folder',
    folder: remote === undefined ? layout.root : undefined,
    pages,
    remoteImages,
    ...(navigation === undefined ? {} : { navigation }),
    findFile: fileFinder(layout, skipped),
    isGone: (path) => !existsSync(join(layout.root, path)),
    site,
    filesUrl,
    license: detectLicense(folder, layout.root, options.root),
    skipped,
  };
}

/** Texts that Docsify and wikis of GitHub show around the others, and the contents of a book, which are the order of them. */
const FRAME = /(?:^|\/)_(?:sidebar|navbar|coverpage|header|footer|404)\.md$/i;
const SUMMARY = /(?:^|\/)SUMMARY\.md$/;

function isOutline(text: string): boolean {
  return text.split('\n').every((line) => /^\s*(?:[-*+#[]|\d+\.|<!--|$)/.test(line));
}

/** The links of an outline that lead to the site itself, whose address is one of these. */
function outlineOf(path: string, text: string, bases: readonly string[]): NavigationEntry[] {
  // Docsify may write addresses behind a sign.
  const list = withWikiLinks(text.replaceAll('](#/', '](/'));
  const { list: entries } = readNavigation(toHtml(toHast(parseText(list))), new URL(path, `${NOWHERE}/`).href);
  return entries.flatMap((entry) => {
    const base = bases.find((own) => `${entry.url}/`.startsWith(`${own}/`));
    return base === undefined ? [] : [{ ...entry, url: new URL(entry.url.slice(base.length) || '/Home', NOWHERE).pathname }];
  });
}

/** Links of wikis of GitHub and GitLab (Gollum) as those of markdown: words stand before the name of a page, settings behind the path of an image. */
function withWikiLinks(text: string): string {
  if (!text.includes('[[')) return text;
  // In a table, a sign stands before the line between the two. Brackets after a word are an index, and those before an address a link.
  const link = /(?<![\\\w])\[\[([^[\]|\n]+?)(?:\\?\|([^[\]\n]+))?\]\](?!\(|\[(?!\[))/g;
  return replaceOutsideCode(text, link, (_, words = '', behind) => {
    const [first, second] = [words.trim(), behind?.trim()];
    if (first === '_TOC_') return '';
    const isImage = isImageFile(first);
    const target = isImage ? first : (second ?? first);
    const page = isImage ? target : target.replaceAll(' ', '-');
    const address = destination(/^(?:https?:\/\/|mailto:|#)/i.test(target) ? page : `/${page.replace(/^\//, '')}`);
    return isImage ? `![${/\balt=([^|,\\]*)/.exec(second ?? '')?.[1] ?? ''}](${address})` : `[${first}](${address})`;
  });
}

/** What git knows about a folder: days of its files, if the clone is whole, its origin, and where GitHub or GitLab shows its files. */
export async function gitFacts(folder: string) {
  const isShallow = (await runGit(folder, 'rev-parse', '--is-shallow-repository')).trim() !== 'false';
  const dates = isShallow ? new Map<string, FileDates>() : await gitDates(folder, '.');
  const remote = publicAddress((await runGit(folder, 'remote', 'get-url', 'origin')).trim());
  const within = (await runGit(folder, 'rev-parse', '--show-prefix')).trim();
  const isShown = /^https:\/\/(?:github|gitlab)\.com\//.test(remote ?? '');
  return { dates, remote, filesUrl: isShown ? `${remote}/blob/HEAD/${within}` : undefined };
}

function publicAddress(remote: string): string | undefined {
  const ssh = /^(?:ssh:\/\/)?git@([^:/]+)[:/](.+?)(?:\.git)?\/?$/.exec(remote);
  if (ssh) return `https://${ssh[1]}/${ssh[2]}`;
  if (!/^https?:/.test(remote) || !URL.canParse(remote)) return undefined;
  const { origin, pathname } = new URL(remote);
  return origin + pathname.replace(/(?:\.git)?\/?$/, '');
}

function listTexts(start: string, { root }: TextFolder, skipped: ImportNote[]): string[] {
  const skip = (path: string, message: string): void => void skipped.push({ path, line: 1, message });
  const folder = relative(root, start);
  const found = realPathWithin(root, folder);
  if (found !== undefined && 'refused' in found) skip(folder, found.refused);
  if (found === undefined || 'refused' in found || !statSync(found.real).isDirectory()) return [];
  const isText = (path: string): boolean => /\.(?:md|mdx|markdown)$/i.test(path);
  const isOtherText = (path: string): boolean => /\.(?:adoc|base|canvas|docx?|epub|ipynb|odt|org|rst|rtf|tex|textile)$/i.test(path);
  const isIgnored = (name: string): boolean => IGNORED_FOLDER.test(name);
  const files = listFiles(root, start, isIgnored, (path) => {
    if (isText(path) || statSync(join(root, path), { throwIfNoEntry: false })?.isDirectory())
      skip(path, 'is a symbolic link, which an import does not follow');
  });
  for (const [ending, [first = '', ...others]] of Map.groupBy(files.filter(isOtherText), (path) => posix.extname(path).toLowerCase()))
    skip(
      first,
      `is no markdown${others.length === 0 ? '' : `, nor are ${others.length} other files (${ending})`}, and is not read; ${ending === '.docx' ? 'import it by its name, or a folder that has files of Word alone' : 'convert it'}`,
    );
  return files.filter(isText).filter((path) => {
    const isMdx = /\.mdx$/i.test(path);
    if (isMdx) skip(path, 'has components (MDX), which only its site shows; build the site and import its HTML');
    return !isMdx;
  });
}

/** A text without the pictures that Google Docs and others write into it, in definitions at its end, which may be very long. */
function withoutInlineImages(text: string, images: Map<string, SourceFile>): string {
  const definition = /^(\[[^\]\n]{1,200}\]:[ \t]{0,9}<?)data:image\/(\w{1,9});base64,([\w+/=]+)/gm;
  if (!text.includes('data:image/')) return text;
  return outsideCode(text, (prose) =>
    prose.replace(definition, (_, label: string, type: string, data: string) => {
      const bytes = Buffer.from(data, 'base64');
      const path = `inline/${sha256(bytes).slice(0, 16)}.${type}`;
      images.set(`${NOWHERE}/${path}`, { path, read: () => ({ bytes }) });
      return `${label}${NOWHERE}/${path}`;
    }),
  );
}

function readPage(
  path: string,
  layout: TextFolder,
  { site, today }: OpenOptions,
  skipped: ImportNote[],
  images: Map<string, SourceFile>,
): SourcePage | undefined {
  const opened = openWithin(layout.root, path, FILE_MAX_BYTES) ?? { refused: 'cannot be read' };
  const bytes = 'bytes' in opened ? opened.bytes : Buffer.of();
  const text = withoutInlineImages(bytes.toString('utf8').replace(/^\uFEFF/, ''), images);
  const binary = isUtf8(bytes) ? 'is binary' : 'is not UTF-8 text';
  const large = text.length > TEXT_MAX_BYTES ? 'has more than 1 MB, and is not read' : undefined;
  const problem = 'refused' in opened ? opened.refused : !isUtf8(bytes) || text.includes('\0') ? binary : large;
  if (problem !== undefined) return void skipped.push({ path, line: 1, message: problem });
  const given = { path, source: text.replace(/\r\n?/g, '\n'), sha256: sha256(bytes), ...partText(text, { numbersAsWritten: true }) };
  if (given.fields['excalidraw-plugin'] !== undefined)
    return void skipped.push({ path, line: 1, message: 'is a drawing that only a plugin of Obsidian shows; export it as an image' });
  const written = layout.isWiki === true ? { ...given, body: withWikiLinks(given.body) } : given;
  const page = convertMarkdown(written, { generator: layout.generator, today, hasWikiLinks: layout.isWiki !== true });
  // A wiki of GitHub has its pages in one folder, whatever their files are in.
  const routes = [...routesOf(path, page.fields.slugs), ...(layout.isWiki === true ? routesOf(posix.basename(path), []) : [])];
  const top = path.includes('/') ? (path.split('/')[0] ?? '') : (/\.([a-z]{2}(?:-[A-Za-z]{2,4})?)\.md$/.exec(path)?.[1] ?? '');
  return {
    ...page,
    routes,
    addresses: statedAddresses(given.fields),
    url: site && site + (routes[0] ?? ''),
    language: folderLanguage(top),
  };
}

/** The addresses that the front matter of a text states: `permalink` of Jekyll, `url` of Hugo, and the former ones of both. */
function statedAddresses(fields: Readonly<Record<string, unknown>>): string[] {
  const own = ['permalink', 'url'].flatMap((name) => fields[name] ?? []).map((address) => `/${String(address).replace(/^\//, '')}`);
  const former = ['aliases', 'redirect_from'].flatMap((name) => fields[name] ?? []).filter((address) => String(address).startsWith('/'));
  return [...own, ...former.map(String)];
}

function routesOf(path: string, slugs: readonly string[]): string[] {
  const parts = path.replace(/\.[^./]*$/, '').split('/');
  const isIndex = /^(?:index|readme)$/i.test(parts.at(-1) ?? '');
  const own = `/${(isIndex ? parts.slice(0, -1) : parts).join('/')}`.replace(/(?<!\/)\/+$/, '');
  return [...new Set([...slugs.map((slug) => `/${slug}`.replace(/^\/+/, '/').replace(/(?<!\/)\/+$/, '')), own])];
}

const PUBLIC_FOLDERS = ['', 'public', 'static'];

function fileFinder(layout: TextFolder, skipped: ImportNote[]): NonNullable<Source['findFile']> {
  let files: readonly string[] | undefined;
  const known = (path: string): SourceFile | undefined => {
    const normal = posix.normalize(path).replace(/^\/+/, '');
    return normal.startsWith('..') || normal === '.' ? undefined : fileWithin(layout.root, normal, skipped);
  };
  return (fromPath, target) => {
    const path = target.replace(/[?#].*$/, '');
    const fromRoot = (): SourceFile | undefined => PUBLIC_FOLDERS.flatMap((folder) => known(posix.join(folder, path)) ?? [])[0];
    if (path.startsWith('/')) return fromRoot();
    const beside = known(posix.join(posix.dirname(fromPath), path));
    if (beside || layout.generator !== 'obsidian') return beside ?? (/^[\w-]/.test(path) ? fromRoot() : undefined);
    files ??= listFiles(layout.root, layout.root, (name) => IGNORED_FOLDER.test(name));
    const tail = `/${path.toLowerCase()}`;
    const nearest = files
      .filter((file) => `/${file.toLowerCase()}`.endsWith(tail))
      .sort((a, b) => commonFolders(b, fromPath) - commonFolders(a, fromPath))[0];
    return nearest === undefined ? undefined : known(nearest);
  };
}
