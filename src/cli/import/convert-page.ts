import GithubSlugger, { slug } from 'github-slugger';
import { anchorsOf } from '../../text/markdown/heading-anchors.ts';
import { leftOutOfHtml } from '../../text/markdown/html-elements.ts';
import { plainText, walk } from '../../text/markdown/markdown-tree.ts';
import { parseText } from '../../text/markdown/parse-text.ts';
import { textBelowTitle } from '../../text/markdown/title-and-summary.ts';
import { factsOfMarkdown, factsOfTree, loose } from './conversion-losses.ts';
import { languageTag, mapFields, type PartedText, plainLine } from './front-matter.ts';
import { nameOfEmbedded } from './html/convert-elements.ts';
import type { ConvertedHeading } from './html/html-to-markdown.ts';
import type { HtmlPage } from './html/read-html.ts';
import type { ImportNote, Source, SourcePage } from './import-source.ts';
import { sha256 } from './imported-capsules.ts';
import { admonition, destination, escapeText, outsideCode, tidyBlankLines, withRaisedHeadings } from './markdown/markdown-syntax.ts';
import { rewriteCallouts, rewriteObsidianMarks, rewriteWikiLinks } from './markdown/obsidian.ts';

/** Converts a page in HTML that was read: markdown of this engine already, in which what looks like another dialect is text. */
export function convertHtml(
  page: Omit<HtmlPage, 'links' | 'navigation' | 'frame'>,
  { path, source, line = 1, today }: Pick<SourcePage, 'path' | 'source'> & { readonly line?: number; readonly today: string },
): Omit<SourcePage, 'routes'> {
  const { markdown, facts, headings, topAnchors, leftOut, title, description, created, updated, author, tags, language, questions } = page;
  const fields = mapFields({ title, description, date: created, updated, author, tags }, { today, path, draftReason: page.draftReason });
  const notes = [...leftOut, ...fields.problems.map((message) => ({ line, message }))].map((note) => ({ path, ...note }));
  return {
    ...{ path, source, line, fields, title: fields.title ?? titleFromPath(path), text: tidyBlankLines(markdown), headings, topAnchors },
    // The frame of a site changes with every build, its texts do not.
    ...{ ids: [], facts, notes, questions, headTitle: page.headTitle, language: languageTag(language), sha256: sha256(markdown) },
  };
}

/** Converts a text in markdown, except for its links, images and anchors, which depend on the other pages. */
export function convertMarkdown(
  given: Pick<PartedText, 'fields' | 'body'> &
    Pick<SourcePage, 'path' | 'source' | 'sha256'> & { readonly isBroken?: boolean; readonly draftReason?: string | undefined },
  {
    generator,
    today,
    hasWikiLinks = true,
  }: { readonly generator: Source['generator']; readonly today: string; readonly hasWikiLinks?: boolean },
): Omit<SourcePage, 'routes'> {
  const { path, source, body, sha256: digest } = given;
  const fields = mapFields(given.fields, { today, path, draftReason: given.draftReason });
  const notes: ImportNote[] = [];
  const noteAt = (needle: string, message: string): void => void notes.push({ path, line: lineOf({ source, line: 1 }, needle), message });
  if (given.isBroken === true) noteAt('', 'has front matter that is not valid YAML; only fields with a value on their own line were read');
  for (const problem of fields.problems) noteAt('', problem);
  const understood = ofNotes(body, generator, hasWikiLinks);
  noteForeignSyntax(understood, noteAt);
  const written = withoutComponents(understood, noteAt);
  const shown = withoutDropped(written, noteAt);
  const whole = generator === 'plain' && fields.title === undefined ? withTitleOnTop(shown) : shown;
  const root = parseText(whole);
  const first = root.children.find(({ type }) => type !== 'html');
  const top = root.children.filter((node) => node.type === 'heading' && node.depth === 1);
  // In Obsidian, the name of the file is the title, unless the text begins with one.
  const [heading] = (top.length === 1 && generator !== 'obsidian') || top[0] === first ? top : [];
  const title = fields.title ?? plainLine(heading && plainText(heading)) ?? titleFromPath(path);
  walk(root, (node) => {
    if (node.type === 'html')
      for (const { index, message } of leftOutOfHtml(node.value)) noteAt(node.value.slice(index, node.value.indexOf('>', index)), message);
  });
  const text = tidyBlankLines(textBelowTitle(whole, title).markdown);
  const { links, ...others } = factsOfMarkdown(written);
  const ofTitle =
    loose(title) === loose(heading ? plainText(heading) : '') ? factsOfTree({ type: 'root', children: top.slice(0, 1) }).links : 0;
  if (ofTitle > 0) noteAt('# ', 'has links in its title, which stays without them');
  const facts = { ...others, links: links - ofTitle };
  return { path, source, line: 1, fields, title, text, ...headingsIn(text), topAnchors: [slug(title)], facts, notes, sha256: digest };
}

/** A text that begins with a heading which is above all others, with that on the first level: the title, as parts of books have it. */
function withTitleOnTop(text: string): string {
  const root = parseText(text);
  const first = root.children.find(({ type }) => type !== 'html');
  if (first?.type !== 'heading' || first.depth === 1 || text[first.position?.start.offset ?? 0] !== '#') return text;
  const depths: number[] = [];
  walk(root, (node) => void (node.type === 'heading' && depths.push(node.depth)));
  if (depths.filter((depth) => depth <= first.depth).length > 1) return text;
  return Array.from({ length: first.depth - 1 }).reduce<string>((raised) => withRaisedHeadings(raised, 2), text);
}

/** What other programs read, and what to do about it, if not to import the site that they write. */
const FOREIGN_SYNTAX: readonly (readonly [name: string, pattern: RegExp, remedy?: string])[] = [
  ['admonitions of MkDocs (!!!)', /^[ \t]*(?:!!!|\?\?\?\+?)[ \t]+[\w"]/gm],
  ['tabs of MkDocs (===)', /^[ \t]*===\+?!?[ \t]+"/gm],
  ['includes of MkDocs (--8<--)', /^[ \t]*-{2,}8<-{2,}/gm],
  ['attribute lists ({: .name })', /(?<![{$^_"])\{:?[ \t]*[.#][a-z][\w-]*[^{}\n]*\}/gi],
  ['blocks of PyMdown (/// name)', /^[ \t]*\/{3,}[ \t]*[a-z][\w-]*/gim],
  ['icons (:material-…:)', /(?<![\w:]):(?:material|fontawesome|octicons|simple)-[\w-]+:/g],
  ['tags of Liquid or Jinja ({% … %})', /\{%-?\s*\w/g],
  ['shortcodes of Hugo ({{< … >}})', /\{\{[<%]/g],
  ['values of a template ({{ … }})', /\{\{\s*(?:site|page|include|config)\b/g],
  ['directives of reStructuredText (.. name::)', /^\.\. [\w:-]+::/gm],
  ['includes of VitePress (<<<, @include)', /^[ \t]*(?:<<<[ \t]+\S|<!--[ \t]*@include:)/gm],
  ['directives of MyST (```{name})', /^```\{[\w:-]+\}/gm],
  ['parts of Discourse ([quote=…])', /^\[(?:quote|details|poll|spoiler|date|wrap)\b[^\]\n]*\]/gm, 'import the topics by their address'],
  ['tables of Pandoc', /^ {0,3}(?:-{2,}(?: +-{2,})+|\+[-=:]{3,}\+[-=:+]*)[ ]*$/gm, 'convert the document with "pandoc -t gfm"'],
  ['properties (name:: value)', /^[ \t]*(?:- )?[a-z][\w-]*::[ \t]/gim, 'write them as front matter, or delete them'],
  [
    'parts of Logseq ({{query …}}, ((id)), #+BEGIN)',
    /\{\{(?:embed|query|renderer|video)\b|\(\([\da-f-]{36}\)\)|^[ \t]*(?:- )?#\+BEGIN/gm,
    'write what they show',
  ],
  ['queries of Dataview', /^```dataview|(?<![`\w])`\$?=[ \t]*(?:this|dv)\b/gm, 'write what they show'],
  ['numbers of pages', /^Page \d+(?: of \d+)?$/gim, 'delete them'],
  ['words that end on another line (exam-…)', /\p{Ll}-\n[ \t]*(?=\p{Ll})/gu, 'join them'],
];

function noteForeignSyntax(body: string, noteAt: (needle: string, message: string) => void): void {
  const parts: string[] = [];
  outsideCode(body, (part) => String(parts.push(part)));
  // An id at the end of a heading is one here, too.
  const prose = parts.join('\n').replace(/^(#{1,6}[ \t].*)\{#[\w-]+\}[ \t]*$/gm, '$1');
  for (const [name, pattern, remedy = 'build its site and import the HTML'] of FOREIGN_SYNTAX) {
    const found = (pattern.source.startsWith('^```') ? body : prose).match(pattern) ?? [];
    const places = `${found.length} place${found.length === 1 ? '' : 's'}`;
    // Lines may break within a word that has a hyphen.
    const isOften = found.length > (pattern.flags.includes('u') ? 2 : 0);
    if (found[0] && isOften) noteAt(found[0].trim(), `has ${name} at ${places}, which stay as text; ${remedy}`);
  }
}

const EMPTY_COMPONENT = /<([A-Z][\w.]*|[a-z]+-[\w-]+)(?:\s[^<>]*)?(?:\/>|>\s*<\/\1\s*>)/g;
const COMPONENT_TAG = /<\/?([A-Z][\w.]*|[a-z]+-[\w-]+)(\s[^<>]*)?>/g;

function withoutComponents(text: string, noteAt: (needle: string, message: string) => void): string {
  if (!/<[!/A-Za-z]/.test(text)) return text;
  return outsideCode(text, (prose) => {
    const closed = new Set([...prose.matchAll(/<\/([A-Za-z][\w.-]*)\s*>/g)].map(([, name = '']) => name));
    const [first = '', ...commented] = prose.split('<!--');
    return [first, ...commented.map((part) => (part.includes('-->') ? part.slice(part.indexOf('-->') + 3) : `<!--${part}`))]
      .join('')
      .replace(EMPTY_COMPONENT, (tag, name: string) => {
        noteAt(tag, `the component <${name}> has no text, and is left out`);
        return '';
      })
      .replace(COMPONENT_TAG, (tag, name: string, attributes?: string) => (closed.has(name) || attributes?.includes('=') ? '' : tag));
  });
}

/** Elements that go with everything within them; of one that plays or shows something, a link to it stays. */
const DROPPED_ELEMENT = /<(script|style|template|svg|noscript|head|iframe|audio|video|button)\b/gi;

function withoutDropped(text: string, noteAt: (needle: string, message: string) => void): string {
  return outsideCode(text, (prose) => {
    const lower = prose.toLowerCase();
    const unended = new Set<string>();
    let result = '';
    let at = 0;
    for (const { index, 1: written = '' } of prose.matchAll(DROPPED_ELEMENT)) {
      const name = written.toLowerCase();
      if (index < at || unended.has(name)) continue;
      const closing = lower.indexOf(`</${name}`, index);
      const end = closing === -1 ? 0 : lower.indexOf('>', closing) + 1;
      if (end === 0) unended.add(name);
      if (end === 0) continue;
      const element = prose.slice(index, end);
      const address = name === 'script' ? undefined : /\ssrc="([^"]+)"/.exec(element)?.[1];
      const label = /\stitle="([^"]+)"/.exec(element)?.[1] ?? nameOfEmbedded(address ?? '');
      if (address === undefined) noteAt(element.slice(0, element.indexOf('>') + 1), `<${name}> is left out`);
      result += prose.slice(at, index) + (address === undefined ? '' : `[${escapeText(label)}](${destination(address)})`);
      at = end;
    }
    return result + prose.slice(at);
  });
}

function ofNotes(body: string, generator: string, hasWikiLinks: boolean): string {
  const named = outsideCode(body, (prose) =>
    prose
      // MkDocs, Pandoc and kramdown write classes beside the id of a heading.
      .replace(/^(#{1,6}[ \t].*?\{):?[ \t]*(#[\w-]+)(?:[ \t]+(?:\.[\w-]+|[\w-]+=[^\s{}]+))*[ \t]*\}[ \t]*$/gm, '$1$2}')
      // Docsify: ids of headings, and its remarks.
      .replace(/^(#{1,6}[ \t].*)[ \t]:id=([\w-]+)[ \t]*$/gm, '$1 {#$2}')
      .replace(/^([!?])>[ \t]+(.+(?:\n.+)*)/gm, (_, sign: string, text: string) =>
        admonition(sign === '!' ? 'important' : 'tip', '', text),
      ),
  );
  if (generator !== 'obsidian' && generator !== 'plain') return named;
  const text = rewriteCallouts(hasWikiLinks ? rewriteWikiLinks(named) : named);
  return generator === 'obsidian' ? rewriteObsidianMarks(text) : text;
}

function headingsIn(text: string): Pick<SourcePage, 'headings' | 'ids'> {
  const headings: ConvertedHeading[] = [];
  const slugger = new GithubSlugger();
  const root = parseText(text);
  walk(root, (node) => {
    if (node.type !== 'heading') return;
    const words = plainText(node).trim();
    const id = node.data?.hProperties?.['id'];
    const own = typeof id === 'string' ? id : undefined;
    headings.push({ text: words, id: own, anchors: [slugger.slug(words), ...(own === undefined ? [] : [own])] });
  });
  return { headings, ids: [...anchorsOf(root)].filter((id) => !headings.some(({ anchors }) => anchors.includes(id))) };
}

export function titleFromPath(path: string): string {
  const parts = path.split('/');
  const name = (parts.pop() ?? '').replace(/\.[^.]*$/, '');
  // The name of a note of one day is that day.
  const [, ...day] = /^(\d{4})[-_.](\d\d)[-_.](\d\d)$/.exec(name) ?? [];
  if (day.length > 0) return day.join('-');
  const unnumbered = (/^(?:index|readme)$/i.test(name) ? (parts.pop() ?? name) : name).replace(/^(?:\d{4}-\d\d-)?\d+[-_.]\s*/, '');
  const words = unnumbered.replace(/[-_]+/g, ' ').trim();
  return words === '' ? path : words.charAt(0).toUpperCase() + words.slice(1);
}

/** The line of some words in the file of a page, from 1; the one where it begins if they are not there. */
export function lineOf({ source, line }: Pick<SourcePage, 'source' | 'line'>, needle: string): number {
  const end = needle === '' ? -1 : source.indexOf(needle);
  let number = line;
  for (let at = source.indexOf('\n'); at !== -1 && at < end; at = source.indexOf('\n', at + 1)) number += 1;
  return number;
}
