import { slug } from 'github-slugger';
import type { Heading } from 'mdast';
import { plainText, walk } from '../../text/markdown/markdown-tree.ts';
import { parseText } from '../../text/markdown/parse-text.ts';
import { factsOfMarkdown, loose, type TextFacts } from './compare-texts.ts';
import { partText } from './front-matter.ts';
import type { ConvertedHeading } from './html/html-to-markdown.ts';
import { type MappedFields, mapFields, plainLine } from './map-fields.ts';
import { rewriteCallouts, rewriteContainers } from './markdown/containers.ts';
import { reduceHtml } from './markdown/html-markup.ts';
import { leftOut } from './markdown/markdown-forms.ts';
import { rewriteObsidianMarks, rewriteWikiLinks } from './markdown/prose-syntax.ts';
import { ANCHOR_MARK, anchorMark, applyEdits, outsideCode, scanLines, type TextEdit, tidyBlankLines } from './markdown/text-edits.ts';
import type { ImportNote, SourcePage } from './source-page.ts';

/** A page as markdown of this engine, but with the links of its source. */
export interface ConvertedPage {
  readonly page: SourcePage;
  readonly fields: MappedFields;
  readonly title: string;
  readonly text: string;
  readonly headings: readonly ConvertedHeading[];
  /** Anchors above the first heading. */
  readonly topAnchors: readonly string[];
  /** What a reader of the original sees. */
  readonly facts: TextFacts;
  readonly notes: readonly ImportNote[];
}

/** What a conversion needs besides the page. */
export interface ConvertOptions {
  readonly generator: string;
  /** `YYYY-MM-DD`. */
  readonly today: string;
}

/**
 * Maximum lines of a text, levels of lists and quotes on a line, and marks (of emphasis, links and tags) in a paragraph. Parsing time grows with
 * the square of each.
 */
const LINES_MAX = 20_000;
const NESTING_MAX = 100;
const MARKS_MAX = 20_000;

/** @throws {Error} If a text would take very long to parse, or more than the stack. */
function requireBounds(text: string): void {
  let marks = 0;
  for (const [index, { text: line, isCode }] of scanLines(text).entries()) {
    if (index > LINES_MAX) throw new Error(`it has more than ${LINES_MAX} lines`);
    if (isCode || line.trim() === '') marks = 0;
    else marks += line.match(/[*_~[\]<$]/g)?.length ?? 0;
    if (marks > MARKS_MAX) throw new Error(`the paragraph that ends at line ${index + 1} has more than ${MARKS_MAX} marks of markdown`);
    const markers = isCode ? '' : (/^(?:[ \t]*(?:>|(?:[*+-]|\d{1,9}[.)])(?=[ \t])))+/.exec(line)?.[0] ?? '');
    if ((markers.match(/[>*+.)-]/g)?.length ?? 0) > NESTING_MAX)
      throw new Error(`line ${index + 1} nests more than ${NESTING_MAX} lists and quotes`);
  }
}

/** Converts a page, except for its links, images and anchors, which depend on the other pages. */
export function convertPage(page: SourcePage, options: ConvertOptions): ConvertedPage {
  const { fields: raw, body, isBroken } = partText(page.text, { numbersAsWritten: true });
  const fields = mapFields(raw, { today: options.today, path: page.path });
  const notes: ImportNote[] = [];
  const note = (line: number, message: string): void => void notes.push({ path: page.path, line, message });
  const noteAt = (needle: string, message: string): void => note(lineOf(page, needle), message);
  if (isBroken) note(1, 'has front matter that is not valid YAML; only fields with a value on their own line were read');
  if (page.html === undefined) noteForeignSyntax(body, noteAt);
  for (const { line, message } of page.notes ?? []) note(line, message);
  for (const problem of fields.problems) note(1, problem);
  requireBounds(body);
  // HTML became markdown of this engine when it was read; what looks like another dialect in it is text.
  const dialect = page.html === undefined ? withoutDialect(body, options.generator) : body;
  const facts = page.html?.facts ?? factsOfMarkdown(outsideCode(dialect, (prose) => prose.replace(COMPONENT_TAG, '')));
  const reduced =
    page.html === undefined
      ? reduceHtml(dialect, (name, tag) => noteAt(page.text.includes(tag) ? tag : tag.replace(/\/>$/, ''), leftOut(name)))
      : dialect;
  const { text: withoutTitle, title: heading } =
    page.html === undefined ? takeTitle(reduced, fields.title) : { text: reduced, title: undefined };
  const marked = page.html === undefined ? rewriteHeadings(withoutTitle) : { ...page.html, text: withoutTitle };
  return {
    page,
    fields,
    title: fields.title ?? heading ?? titleFromPath(page.path),
    text: tidyBlankLines(marked.text),
    headings: marked.headings,
    topAnchors: marked.topAnchors,
    facts,
    notes,
  };
}

/** What only some generator reads, and would stay as text. */
const FOREIGN_SYNTAX: readonly { readonly pattern: RegExp; readonly name: string }[] = [
  { pattern: /^[ \t]*(?:!!!|\?\?\?\+?)[ \t]+[\w"]/gm, name: 'admonitions of MkDocs (!!!)' },
  { pattern: /^[ \t]*===\+?!?[ \t]+"/gm, name: 'tabs of MkDocs (===)' },
  { pattern: /^[ \t]*-{2,}8<-{2,}/gm, name: 'includes of MkDocs (--8<--)' },
  { pattern: /\{:[ \t]*[.#][\w-]/g, name: 'attribute lists ({: .name })' },
  { pattern: /(?<![\w:]):(?:material|fontawesome|octicons|simple)-[\w-]+:/g, name: 'icons (:material-…:)' },
  { pattern: /\{%-?\s*\w/g, name: 'tags of Liquid or Jinja ({% … %})' },
  { pattern: /\{\{[<%]/g, name: 'shortcodes of Hugo ({{< … >}})' },
  { pattern: /\{\{\s*(?:site|page|include|config)\b/g, name: 'values of a template ({{ … }})' },
  { pattern: /^\.\. [\w:-]+::/gm, name: 'directives of reStructuredText (.. name::)' },
  { pattern: /^[ \t]*(?:<<<[ \t]+\S|<!--[ \t]*@include:)/gm, name: 'includes of VitePress (<<<, @include)' },
  { pattern: /^```\{[\w:-]+\}/gm, name: 'directives of MyST (```{name})' },
];

/** Reports the syntax of a generator in a text that is read without it. */
function noteForeignSyntax(body: string, noteAt: (needle: string, message: string) => void): void {
  let prose = '';
  outsideCode(body, (part) => {
    prose += `${part}\n`;
    return part;
  });
  for (const { pattern, name } of FOREIGN_SYNTAX) {
    const found = (name.includes('MyST') ? body : prose).match(pattern) ?? [];
    if (found[0] !== undefined)
      noteAt(
        found[0].trim(),
        `has ${name} at ${found.length} place${found.length === 1 ? '' : 's'}, which stay as text; build its site and import the HTML`,
      );
  }
}

/** A tag of a component, which no reader sees. */
const COMPONENT_TAG = /<\/?(?:[A-Z][\w.]*(?=[\s/])|[a-z]+-[\w-]+(?=[\s/>]))[^<>]*>/g;

/** The text of a page without what only notes and other engines read as markdown. */
function withoutDialect(body: string, generator: string): string {
  const isNotes = generator === 'obsidian' || generator === 'plain';
  let text = outsideCode(body, (prose) =>
    prose.replace(
      /^(#{1,6}[ \t].*?)[ \t]*\{[ \t]*#([\w:.-]+)[ \t]*\}[ \t]*$/gm,
      (_, heading: string, id: string) => `${heading} ${anchorMark(id)}`,
    ),
  );
  text = rewriteContainers(text);
  if (isNotes) text = rewriteCallouts(rewriteWikiLinks(text));
  return generator === 'obsidian' ? rewriteObsidianMarks(text) : text;
}

/** Takes the first heading out of a text if it is the title; other first-level headings move all headings one level down. */
function takeTitle(text: string, title: string | undefined): { readonly text: string; readonly title: string | undefined } {
  const root = parseText(text);
  const top = root.children.filter((node): node is Heading => node.type === 'heading' && node.depth === 1);
  const [first] = top;
  if (first === undefined) return { text, title: undefined };
  const edits: TextEdit[] = [];
  const own = plainLine(plainText(first).replace(ANCHOR_MARK, ''));
  const isBeforeText = root.children.slice(0, root.children.indexOf(first)).every(({ type }) => type === 'html' || type === 'image');
  const isTitle = own !== undefined && isBeforeText && (title === undefined || loose(title) === loose(own) || top.length === 1);
  if (isTitle)
    edits.push({
      ...rangeOf(first),
      text: [...text.slice(rangeOf(first).start, rangeOf(first).end).matchAll(ANCHOR_MARK)].map(([mark]) => mark).join(''),
    });
  if (top.length > 1 || !isTitle) {
    walk(root, (node) => {
      if (node.type !== 'heading' || (node === first && isTitle)) return;
      const { start, end } = rangeOf(node);
      const source = text.slice(start, end);
      if (/^#{1,5}(?!#)/.test(source)) edits.push({ start, end: start, text: '#' });
      else if (!source.startsWith('#'))
        edits.push({ start, end, text: `${'#'.repeat(node.depth + 1)} ${source.split('\n').slice(0, -1).join(' ')}` });
    });
  }
  return { text: applyEdits(text, edits), title: own };
}

/** Nodes whose anchors belong to the section that they are in. */
const ANCHORED: ReadonlySet<string> = new Set(['paragraph', 'html', 'defListTerm', 'tableCell']);

/** Finds the headings of a text with the names of their anchors, and takes the marks of these names out of the text. */
function rewriteHeadings(text: string): { readonly text: string; readonly headings: ConvertedHeading[]; readonly topAnchors: string[] } {
  const topAnchors: string[] = [];
  const headings: ConvertedHeading[] = [];
  const slugs = new Map<string, number>();
  const waiting: string[] = [];
  const root = parseText(text);
  const isMarked = ANCHOR_MARK.test(text);
  ANCHOR_MARK.lastIndex = 0;
  walk(root, (node) => {
    if (node.type === 'heading') {
      const { start, end } = rangeOf(node);
      const own = [...text.slice(start, end).matchAll(ANCHOR_MARK)].map(([, id = '']) => id);
      const title = plainText(node).replace(ANCHOR_MARK, '').trim();
      const base = slug(title);
      const count = slugs.get(base) ?? 0;
      slugs.set(base, count + 1);
      headings.push({ depth: node.depth, text: title, anchors: [count === 0 ? base : `${base}-${count}`, ...own, ...waiting.splice(0)] });
    } else if (isMarked && ANCHORED.has(node.type)) {
      const { start, end } = rangeOf(node);
      const source = text.slice(start, end);
      const own = [...source.matchAll(ANCHOR_MARK)].map(([, id = '']) => id);
      // A mark alone belongs to the heading below, one within text to the section that it is in.
      if (
        source
          .replace(ANCHOR_MARK, '')
          .replace(/<[^<>]*>/g, '')
          .trim() === ''
      )
        waiting.push(...own);
      else if (own.length > 0) {
        const section = headings.at(-1);
        if (section === undefined) topAnchors.push(...own);
        else headings[headings.length - 1] = { ...section, anchors: [...section.anchors, ...own] };
      }
    }
  });
  return {
    text: isMarked ? text.replace(/[ \t]*\uE010[^\uE011]*\uE011[ \t]*$/gm, '').replace(ANCHOR_MARK, '') : text,
    headings,
    topAnchors,
  };
}

function titleFromPath(path: string): string {
  const parts = path.split('/');
  const name = (parts.pop() ?? '').replace(/\.[^.]*$/, '');
  const words = (/^(?:index|readme)$/i.test(name) ? (parts.pop() ?? name) : name)
    .replace(/^\d+[-_.]\s*/, '')
    .replace(/[-_]+/g, ' ')
    .trim();
  return words === '' ? path : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The line of some words in the file of a page, from 1; 1 if they are not there. */
export function lineOf({ html, text: own }: SourcePage, needle: string): number {
  const text = html?.source ?? own;
  const at = needle === '' ? -1 : text.indexOf(needle);
  return at === -1 ? 1 : text.slice(0, at).split('\n').length;
}

function rangeOf(node: {
  readonly position?: { readonly start: { offset?: number | undefined }; readonly end: { offset?: number | undefined } } | undefined;
}): {
  readonly start: number;
  readonly end: number;
} {
  return { start: node.position?.start.offset ?? 0, end: node.position?.end.offset ?? 0 };
}
