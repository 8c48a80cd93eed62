import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { expectPackages } from '../../../build/engine-package.ts';
import { UserError } from '../../../publication/content-problem.ts';
import { decoded } from '../../../text/markdown/resolve-links.ts';
import { loose } from '../conversion-losses.ts';
import { convertHtml, titleFromPath } from '../convert-page.ts';
import { readHtml } from '../html/read-html.ts';
import { attempt, FILE_MAX_BYTES, type ImportNote, type OpenOptions, type Source, type SourcePage } from '../import-source.ts';
import { detectLicense } from './detect-site-and-license.ts';
import { elementText, quoted } from './read-export.ts';
import { firstReason, NOWHERE } from './read-html-folder.ts';
import { fileWithin, listFiles, openWithin } from './read-within-folder.ts';

/** Word (ECMA-376); a name that begins with a tilde is of a file that Word has open. */
export const WORD_FILE = /(?:^|[\\/])(?!~\$)[^\\/]+\.docx$/i;

/** Files of Word below a folder that has no other texts; beside others, they may be what these offer as downloads. */
export function wordFilesIn(root: string): string[] {
  const files = listFiles(root, root, (name) => /^(?:\..*|node_modules)$/.test(name));
  return files.some((path) => /\.(?:mdx?|markdown|x?html?)$/i.test(path)) ? [] : files.filter((path) => WORD_FILE.test(path));
}

/** What styles of Word, LibreOffice and Pandoc become, by the English names that files have in every language; `!` leaves the paragraph out. */
const STYLES = [
  "p[style-name='Title'] => h1.title:fresh",
  ...['Quote', 'Intense Quote', 'Block Text', 'Quotations'].map((name) => `p[style-name='${name}'] => blockquote > p:fresh`),
  ...['HTML Preformatted', 'Preformatted Text', 'Source Code', 'Code'].map((name) => `p[style-name='${name}'] => pre:separator('\\n')`),
  ...['HTML Code', 'Source Text', 'Verbatim Char', 'Code'].map((name) => `r[style-name='${name}'] => code`),
  ...["='TOC Heading'", "^='toc '", "='table of figures'", "^='index '"].map((name) => `p[style-name${name}] => !`),
];

/** Elements of a text that no HTML shows, as its file names them. */
const NOT_SHOWN: readonly (readonly [RegExp, name: string])[] = [
  [/<m:oMath[ >]/g, 'formulas'],
  [/<c:chart[ >]/g, 'charts'],
  [/<dgm:relIds[ >]/g, 'SmartArt drawings'],
  [/<o:OLEObject[ >]/g, 'embedded objects'],
  [/<w:fldSimple[ >]/g, 'fields (such as numbers of figures)'],
];

const DAMAGED = 'is no file of Word, or a damaged or encrypted one; open it, and save it again';

/** Uncompressed, a file may have so many times the bytes of the largest one that is read: more is an attack on memory. */
const UNPACKED_MAX_BYTES = 10 * FILE_MAX_BYTES;

/**
 * Reads files of Word below a folder, each as one text.
 *
 * @see {@link https://github.com/mwilliamson/mammoth.js mammoth}, an optional package that makes HTML of them.
 * @throws {UserError} If the package is missing, or no file has a text.
 */
export async function readWordFiles(root: string, paths: readonly string[], options: OpenOptions): Promise<Source> {
  await expectPackages(paths.map((path) => ({ name: 'mammoth', neededBy: path })));
  const { default: mammoth } = await import('mammoth');
  const skipped: ImportNote[] = [];
  const pages: SourcePage[] = [];
  for (const [index, path] of paths.entries()) {
    options.onProgress('Reading', index, paths.length);
    const opened = openWithin(root, path, FILE_MAX_BYTES) ?? { refused: 'cannot be read' };
    const parts = 'bytes' in opened ? partsOf(opened.bytes) : undefined;
    // What the package says of a damaged file is about its code.
    const convert = (buffer: Buffer) =>
      mammoth.convertToHtml({ buffer }, { styleMap: STYLES, externalFileAccess: false }).catch(() => undefined);
    const shown = 'bytes' in opened && parts !== undefined ? await convert(opened.bytes) : undefined;
    if (parts === undefined || shown === undefined) {
      skipped.push({ path, line: 1, message: 'refused' in opened ? opened.refused : DAMAGED });
      continue;
    }
    const make = (): SourcePage => {
      const text = parts('word/document.xml');
      const { html, bold } = documentOf(withTableHeads(shown.value, text), parts('docProps/core.xml'), path);
      const read = readHtml(html, { url: `${NOWHERE}/${path.split('/').map(encodeURIComponent).join('/')}`, origin: NOWHERE });
      const lost = NOT_SHOWN.flatMap(([pattern, name]) => {
        const { length } = text.match(pattern) ?? [];
        return length === 0 ? [] : [{ line: 1, message: `has ${name}, ${length} in all, which are left out`, grade: 'lost' as const }];
      });
      const headings = { line: 1, message: `has no headings; its bold lines, ${bold} in all, became some`, grade: 'changed' as const };
      const leftOut = [...read.leftOut, ...lost, ...(bold > 0 ? [headings] : [])];
      const page = convertHtml({ ...read, leftOut }, { path, source: html, today: options.today });
      return { ...page, routes: [`/${path.replace(/\.docx$/i, '')}`] };
    };
    const page = attempt(make, path, skipped);
    if (page !== undefined) pages.push(page);
  }
  if (pages.length === 0) throw new UserError(`${root} has no file of Word that could be read${firstReason(skipped)}`);
  return {
    generator: 'word',
    from: basename(root),
    folder: root,
    pages,
    findFile: (_fromPath, target) => fileWithin(root, decoded(target.replace(/[?#].*$/s, ''), decodeURI).replace(/^\/+/, ''), skipped),
    isGone: (path) => !existsSync(join(root, path)),
    site: options.site,
    license: detectLicense(root, root, options.root),
    skipped,
  };
}

/** A line in bold letters, which is the title or a heading in files whose author uses no styles. */
const BOLD_LINE = /<p>(?:<a id="[^"<>]*"><\/a>)*<strong>([^<]{1,100}(?<![.,;\s]))\s*<\/strong><\/p>/g;

/** The HTML of a file with the headings and the title that its author may mean by bold lines, which in tables are only bold. */
function withHeadings(html: string, title: string): { readonly html: string; readonly bold: number } {
  let bold = 0;
  const headed = outsideTables(html, (part) =>
    part.replace(BOLD_LINE, (_, words: string) => {
      bold += 1;
      return `<h2>${words}</h2>`;
    }),
  );
  const isUnstyled = bold > 0 && bold * 2 < html.split('<p>').length && !/<h[1-6]/.test(html);
  const shown = isUnstyled ? headed : html;
  const [first = '', words = ''] = /^<(?:p|h2)>((?:(?!<\/(?:p|h2)>).)*)<\/(?:p|h2)>/s.exec(shown) ?? [];
  const isTitle = first !== '' && ((isUnstyled && first.startsWith('<h2>')) || loose(words.replace(/<[^<>]*>/g, ' ')) === loose(title));
  return { html: isTitle ? `<h1 class="title">${words}</h1>${shown.slice(first.length)}` : shown, bold: isUnstyled ? bold : 0 };
}

function outsideTables(html: string, change: (part: string) => string): string {
  let depth = 0;
  const parts = html.split(/(<\/?table>)/).map((part) => {
    depth += Number(part === '<table>') - Number(part === '</table>');
    return depth === 0 ? change(part) : part;
  });
  return parts.join('');
}

/** The HTML of a file with heads of those of its tables whose first row is marked as one (ECMA-376, part 1, 17.4.55). */
function withTableHeads(html: string, text: string): string {
  const [, ...tables] = text.split('<w:tbl>').map((table) => table.slice(0, Math.max(0, table.search(/<w:tr[ >]/))));
  const [before = '', ...parts] = html.split('<table>');
  if (tables.length !== parts.length) return html;
  const headed = parts.map((part, at) => {
    const end = part.indexOf('</tr>');
    const isMarked = /<w:tblLook [^<>]*w:firstRow="(?:1|true|on)"/.test(tables[at] ?? '') && part.includes('<tr>', end);
    return isMarked && end > 0 ? part.slice(0, end).replace(/(<\/?)td\b/g, '$1th') + part.slice(end) : part;
  });
  return [before, ...headed].join('<table>');
}

/** A page with the properties of a file in its head. A single heading of the first level at the beginning of a text is its title. */
function documentOf(shown: string, properties: string, path: string) {
  const values = properties.replace(/<(dcterms:(?:created|modified))\s[^<>]*>/g, '<$1>').replace(/_x000[dD]_/g, ' ');
  const property = (name: string): string => quoted(elementText(values, name)?.trim() ?? '');
  const { html, bold } = withHeadings(shown, property('dc:title'));
  const [, styled] = /^(?:<a id="[^"<>]*"><\/a>)*<h1( class="title")?>/.exec(html) ?? [''];
  const hasTitle = styled !== undefined || (/^(?:<a id="[^"<>]*"><\/a>)*<h1>/.test(html) && html.split('<h1').length === 2);
  const metas = Object.entries({
    author: 'dc:creator',
    description: 'dc:description',
    'dcterms.created': 'dcterms:created',
    'dcterms.modified': 'dcterms:modified',
  }).map(([name, of]) => `<meta name="${name}" content="${property(of)}">`);
  const tags = property('cp:keywords').split(/[,;]/);
  const head = [...metas, ...tags.map((tag) => `<meta property="article:tag" content="${tag}">`)].join('');
  const title = hasTitle ? '' : `<h1>${property('dc:title') || quoted(titleFromPath(path))}</h1>`;
  const text = html
    .replace(/ ?<a href="#(?:foot|end)note-ref-\d+">↑<\/a>/g, '')
    .replace(/(?<=(?:id|href)="#?)endnote-(?=(?:ref-)?\d+")/g, 'footnote-end-')
    .replace(/<ol>(?=<li id="footnote-)/g, '<ol role="doc-endnotes">')
    .replace(/<\/(?:p|h\d|li|tr|pre)>/g, '$&\n');
  return { html: `<html><head>${head}</head><body><main>${title}${text}</main></body></html>`, bold };
}

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const DEFLATED = 8;

/** Reads parts of an archive by their names, as text; empty if it lacks them, or they are damaged. `undefined` if it is none, or too large. @see PKWARE APPNOTE 6.3.10, 4.3 */
function partsOf(bytes: Buffer): ((name: string) => string) | undefined {
  const end = bytes.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'));
  if (end === -1 || end + 20 > bytes.length || bytes.readUInt32LE(end) !== END_OF_DIRECTORY) return undefined;
  const entries = new Map<string, { readonly method: number; readonly size: number; readonly at: number }>();
  let unpacked = 0;
  for (let at = bytes.readUInt32LE(end + 16); at + 46 <= end && bytes.readUInt32LE(at) === DIRECTORY_ENTRY; ) {
    const nameEnd = at + 46 + bytes.readUInt16LE(at + 28);
    const [method, size, full] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20), bytes.readUInt32LE(at + 24)];
    entries.set(bytes.toString('utf8', at + 46, nameEnd), { method, size, at: bytes.readUInt32LE(at + 42) });
    unpacked += full;
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  if (unpacked > UNPACKED_MAX_BYTES || !entries.has('[Content_Types].xml')) return undefined;
  return (name) => {
    const entry = entries.get(name);
    if (entry === undefined || entry.at + 30 > bytes.length) return '';
    const start = entry.at + 30 + bytes.readUInt16LE(entry.at + 26) + bytes.readUInt16LE(entry.at + 28);
    const data = bytes.subarray(start, start + entry.size);
    try {
      return (entry.method === DEFLATED ? inflateRawSync(data, { maxOutputLength: UNPACKED_MAX_BYTES }) : data).toString('utf8');
    } catch {
      return '';
    }
  };
}
