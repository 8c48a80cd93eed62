import { slug } from 'github-slugger';
import type { Heading } from 'mdast';
import { parseMarkdownOnce, plainText, walk } from '../../text/markdown/markdown-tree.ts';
import { partText } from './front-matter.ts';
import { type MappedFields, mapFields, plainLine } from './map-fields.ts';
import { rewriteCallouts, rewriteContainers } from './markdown/containers.ts';
import { reduceHtml } from './markdown/html-markup.ts';
import { escapeText, leftOut, link } from './markdown/markdown-forms.ts';
import { MdxSyntaxError, mdxToMarkdown } from './markdown/mdx-to-markdown.ts';
import {
  ANCHOR_MARK,
  anchorMark,
  removeTemplateTags,
  rewriteFences,
  rewriteIncludes,
  rewriteObsidianMarks,
  rewriteWikiLinks,
} from './markdown/prose-syntax.ts';
import { applyEdits, outsideCode, replaceEnclosed, scanLines, type TextEdit, tidyBlankLines } from './markdown/text-edits.ts';
import type { ImportNote, SourcePage } from './source-page.ts';

/** A heading of a converted text, and the names that links of the source may use for it. */
export interface ConvertedHeading {
  readonly depth: number;
  readonly text: string;
  readonly anchors: readonly string[];
}

/** A page as markdown of this engine, but with the links of its source. */
export interface ConvertedPage {
  readonly page: SourcePage;
  readonly fields: MappedFields;
  readonly title: string;
  readonly text: string;
  readonly headings: readonly ConvertedHeading[];
  /** Anchors above the first heading. */
  readonly topAnchors: readonly string[];
  readonly notes: readonly ImportNote[];
}

/** What a conversion needs besides the page. */
export interface ConvertOptions {
  readonly generator: string;
  /** `YYYY-MM-DD`. */
  readonly today: string;
  /** Text of a file that the page includes. */
  readonly readFile: (fromPath: string, target: string) => string | undefined;
  /** Text of an operation of an OpenAPI document of the source, as the front matter of Mintlify names it: `openapi.json GET /pets`. */
  readonly describeOperation?: ((reference: string) => string | undefined) | undefined;
}

/** Maximum depth of files that include files. */
const INCLUDES_MAX = 5;

/** Maximum characters that a page includes. */
const INCLUDED_MAX_LENGTH = 2_000_000;

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
  const { fields: raw, body, bodyLine, isBroken } = partText(page.text, { numbersAsWritten: true });
  const fields = mapFields(raw, options.today);
  const notes: ImportNote[] = [];
  const note = (line: number, message: string): void => void notes.push({ path: page.path, line, message });
  if (isBroken) note(1, 'has front matter that is not valid YAML; only fields with a value on their own line were read');
  const noteAt = (needle: string, message: string): void => note(lineOf(page.text, needle), message);
  let included = 0;
  const readFile: ConvertOptions['readFile'] = (fromPath, target) => {
    const content = options.readFile(fromPath, target);
    included += content?.length ?? 0;
    if (included > INCLUDED_MAX_LENGTH) throw new Error(`it includes more than ${INCLUDED_MAX_LENGTH} characters of other files`);
    return content;
  };
  for (const problem of fields.dateProblems) note(1, problem);
  let text = markdownOf(body, page, bodyLine, { ...options, readFile }, note, noteAt, 0, new Map());
  text = homeText(raw, text);
  const operation = typeof raw['openapi'] === 'string' ? options.describeOperation?.(raw['openapi']) : undefined;
  if (operation !== undefined) text = [operation, text].filter((part) => part.trim() !== '').join('\n\n');
  const { text: withoutTitle, title: heading } = takeTitle(text, fields.title);
  const marked = rewriteHeadings(withoutTitle);
  return {
    page,
    fields,
    title: fields.title ?? heading ?? titleFromPath(page.path),
    text: tidyBlankLines(marked.text),
    headings: marked.headings,
    topAnchors: marked.topAnchors,
    notes,
  };
}

function markdownOf(
  body: string,
  page: SourcePage,
  bodyLine: number,
  options: ConvertOptions,
  note: (line: number, message: string) => void,
  noteAt: (needle: string, message: string) => void,
  depth: number,
  properties: ReadonlyMap<string, unknown>,
): string {
  const include = (target: string, isRaw: boolean, given: ReadonlyMap<string, unknown>): string | undefined => {
    const content = depth < INCLUDES_MAX ? options.readFile(page.path, target) : undefined;
    if (content === undefined || isRaw || !/\.mdx?$/.test(target)) return content;
    const isMdx = target.endsWith('x') || options.generator === 'docusaurus';
    const part: SourcePage = { ...page, syntax: isMdx ? 'mdx' : 'markdown' };
    // Lines within an included file say nothing about the page.
    return markdownOf(partText(content).body, part, bodyLine, options, (_line, message) => note(1, message), noteAt, depth + 1, given);
  };
  requireBounds(body);
  let text = outsideCode(body, (prose) =>
    prose.replace(/^(#{1,6}[ \t].*?)[ \t]*\{#([\w:.-]+)\}[ \t]*$/gm, (_, heading: string, id: string) => `${heading} ${anchorMark(id)}`),
  );
  if (options.generator === 'vitepress')
    text = rewriteIncludes(
      text,
      (target, isRaw) => include(target, isRaw, new Map()),
      (line) => noteAt(line, `includes a file that is missing: ${line}`),
    );
  // Attributes of containers would be expressions of MDX.
  text = outsideCode(text, (prose) => prose.replace(/^([ \t>]*:{3,}[ \t]*[\w-]+(?:\[[^\]\n]*\])?)[ \t]*\{[^}\n]*\}/gm, '$1'));
  const isMdx = page.syntax === 'mdx' || (options.generator === 'plain' && /^import\s[^\n]*\sfrom\s+['"]/m.test(text));
  if (isMdx) {
    try {
      text = mdxToMarkdown(text, { note: (line, message) => note(line + bodyLine - 1, message), include }, properties);
    } catch (error) {
      if (!(error instanceof MdxSyntaxError)) throw error;
      // Most often markdown whose file name says MDX, or a brace without a partner.
      text = withoutModules(text);
    }
  }
  text = rewriteContainers(text);
  if (options.generator === 'obsidian' || options.generator === 'plain') text = rewriteCallouts(rewriteWikiLinks(text));
  if (options.generator === 'obsidian') text = rewriteObsidianMarks(text);
  if (options.generator !== 'vitepress')
    text = removeTemplateTags(text, (tag) => noteAt(tag, `the template tag ${shortened(tag)} is left out`));
  if (options.generator === 'vitepress') text = outsideCode(text, (prose) => prose.replace(/^[ \t]*\[\[toc\]\][ \t]*$/gim, ''));
  text = reduceHtml(text, (name, tag) => noteAt(page.text.includes(tag) ? tag : tag.replace(/\/>$/, ''), leftOut(name)));
  if (options.generator === 'vitepress')
    text = outsideCode(text, (prose) =>
      prose.replace(/\{\{([^{}\n]+)\}\}/g, (whole) => {
        noteAt(whole, `the expression ${shortened(whole)} has no value without running it, and is left out`);
        return '';
      }),
    );
  return rewriteFences(text);
}

/** Imports, exports and comments of an MDX file that does not parse. */
function withoutModules(text: string): string {
  return outsideCode(text, (prose) =>
    replaceEnclosed(prose, '{/*', '*/}', () => '')
      .replace(/^import\s[^\n]*?from\s+['"][^'"\n]+['"];?[ \t]*$/gm, '')
      .replace(/^import\s+['"][^'"\n]+['"];?[ \t]*$/gm, '')
      .replace(/^export\s+(?:const|default)\s[^\n]*$/gm, ''),
  );
}

/** What a home page states in its front matter: what its text is missing, and lists of links and features. */
function homeText(fields: Readonly<Record<string, unknown>>, text: string): string {
  const hero = recordOf(fields['hero']);
  const tagline = text.trim() === '' ? [hero['text'], hero['tagline']].filter((part): part is string => typeof part === 'string') : [];
  const actions = listOf(hero['actions']).flatMap(({ text: label, link: address }) =>
    typeof label === 'string' && typeof address === 'string' ? [`- ${link(escapeText(label), address)}`] : [],
  );
  const features = listOf(fields['features']).flatMap(({ title, details }) =>
    typeof title === 'string' ? [`- **${title}**${typeof details === 'string' ? `: ${details}` : ''}`] : [],
  );
  return [...tagline, actions.join('\n'), features.join('\n'), text].filter((part) => part.trim() !== '').join('\n\n');
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(recordOf) : [];
}

/** Takes the first heading out of a text if it is the title; other first-level headings move all headings one level down. */
function takeTitle(text: string, title: string | undefined): { readonly text: string; readonly title: string | undefined } {
  const root = parseMarkdownOnce(text);
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

/** Finds the headings of a text with the names of their anchors, and takes the marks of these names out of the text. */
function rewriteHeadings(text: string): { readonly text: string; readonly headings: ConvertedHeading[]; readonly topAnchors: string[] } {
  const topAnchors: string[] = [];
  const headings: ConvertedHeading[] = [];
  const slugs = new Map<string, number>();
  const waiting: string[] = [];
  const root = parseMarkdownOnce(text);
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
    } else if (isMarked && (node.type === 'paragraph' || node.type === 'html') && !('children' in node && node.children.length > 20)) {
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
  return { text: isMarked ? text.replace(/[ \t]*\uE010[^\uE011]*\uE011/g, '') : text, headings, topAnchors };
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

/** The line of a text in a file, from 1; 1 if it is not there. */
export function lineOf(text: string, needle: string): number {
  const at = text.indexOf(needle);
  return at === -1 ? 1 : text.slice(0, at).split('\n').length;
}

/** Letters and digits alone, to compare names that differ in case and punctuation. */
export function loose(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

function rangeOf(node: {
  readonly position?: { readonly start: { offset?: number | undefined }; readonly end: { offset?: number | undefined } } | undefined;
}): {
  readonly start: number;
  readonly end: number;
} {
  return { start: node.position?.start.offset ?? 0, end: node.position?.end.offset ?? 0 };
}

function shortened(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > 40 ? `${line.slice(0, 40)}…` : line;
}
