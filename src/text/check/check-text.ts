import type { Nodes, Root } from 'mdast';
import {
  type ContentLevel,
  type Editorial,
  type RangeRule,
  type RuleLevel,
  TEXT_RULES,
  type TextRule,
} from '../../schemas/editorial-rules.ts';
import { PROPOSAL_BOUNDS } from '../../schemas/intake/proposals.ts';
import { SUBMITTED_TEXT_BOUNDS } from '../../schemas/limits.ts';
import { suggestName } from '../../search/did-you-mean.ts';
import { ADMONITION_KINDS, DETAILS, TAB } from '../markdown/admonition-lines.ts';
import { leftOutOfHtml } from '../markdown/html-elements.ts';
import { countWords, isPreviewEnd, maskCode, nodesOf, withFootnotes, withoutComments } from '../markdown/markdown-tree.ts';
import { refuseMarkup } from '../markdown/parsing-limits.ts';
import { findInstructions } from './find-instructions.ts';
import { findHiddenCharacters } from './hidden-characters.ts';

/** Begins every sentence of a template that its author must replace. */
export const PLACEHOLDER = 'FILL IN';
export const PLACEHOLDER_DE = 'AUSFÜLLEN';

export interface TextFinding {
  readonly line: number;
  readonly message: string;
  readonly level: ContentLevel;
}

interface TextRules {
  readonly levels: Pick<Editorial, TextRule>;
  readonly words: RangeRule;
  /** Keys of the sources. The text must refer to each at least once as `[^key]`. If they are unknown, references are not checked. */
  readonly sourceKeys: readonly string[] | undefined;
  readonly parse: (text: string) => Root;
}

export interface TextLink {
  readonly line: number;
  readonly url: string;
}

/** Ends of links that markdown shows as they are written, such as `](rye/Rye & Co (1).md#why)`, with the target and its title. */
const UNPARSED_TARGETS = /(?<!\\)\]\(((?:[^()<>\n]|\([^()<>\n]{0,80}\)){1,240})\)/g;

export function linkForm(url: string): string {
  return `links to ${url}; begin links with https://, mailto:, # or /`;
}

export function levelOf(rule: RuleLevel): ContentLevel | undefined {
  return rule === 'off' ? undefined : rule === 'warn' ? 'warning' : 'error';
}

/** Reads a markdown body once: mistakes in everything but its links, and the links themselves. */
export function readText(body: string, rules: TextRules) {
  const { levels, words, sourceKeys = [], parse } = rules;
  const notes = sourceKeys.map((key) => ({ key, markdown: 'source' }));
  const root = parse(withFootnotes(body, notes));
  const bodyLines = body.split('\n').length;
  const nodes = nodesOf(root).flatMap((node): PlacedNode[] => {
    const { start, end } = node.position ?? { start: { line: 1, offset: 0 }, end: { offset: 0 } };
    return start.line > bodyLines ? [] : [{ node, line: start.line, source: body.slice(start.offset, end.offset) }];
  });
  const count = countWords(notes.length === 0 ? root : parse(body));
  const wordsLevel = count < words.min || count > words.max ? levelOf(words.level) : undefined;
  const found: Found[] = [
    ...nodes.flatMap((placed) => findInNode(placed, body, rules)),
    ...(levels.instructions === 'off' ? [] : findInstructions(maskCode(body, root))).flatMap(({ rule, line, message }): Found[] =>
      // Links to scripts are reported with the links.
      rule === 'script-link' ? [] : [{ line, message, level: levelOf(levels.instructions) }],
    ),
    ...findUnusedNotes(nodes, sourceKeys, levels),
    ...(wordsLevel ? [{ line: 1, message: `has ${count} words; write ${words.min} to ${words.max}`, level: wordsLevel }] : []),
  ];
  const findings = new Map<string, TextFinding>();
  for (const { line, message, level } of found) {
    const key = `${line} ${message}`;
    if (level !== undefined && !findings.has(key)) findings.set(key, { line, message, level });
  }
  return {
    findings: [...findings.values()],
    links: nodes.flatMap(({ node, line }) => (node.type === 'link' || node.type === 'definition' ? [{ line, url: node.url }] : [])),
    blankTargets: nodes.flatMap(({ node, line, source }) => (node.type === 'text' ? blankTargets(source, line) : [])),
    root,
  };
}

/** A node that begins in the text itself, with its source. */
interface PlacedNode {
  readonly node: Nodes;
  readonly line: number;
  readonly source: string;
}

/** A finding whose rule may be off. */
interface Found extends Omit<TextFinding, 'level'> {
  readonly level: ContentLevel | undefined;
}

function findInNode({ node, line, source }: PlacedNode, body: string, rules: TextRules): Found[] {
  const { levels } = rules;
  switch (node.type) {
    case 'html': {
      if (isPreviewEnd(node)) return [];
      const html = withoutComments(node.value);
      return [
        ...leftOutOfHtml(html).map(
          ({ index, message }): Found => ({ line: line + lineBreaks(html.slice(0, index)), message, level: 'warning' }),
        ),
        { line, message: 'contains raw HTML or an HTML comment; write markdown, and put code in backquotes', level: levelOf(levels.html) },
      ];
    }
    case 'image':
    case 'imageReference':
      return [{ line, message: 'contains an image, which is not allowed; describe it in words', level: levelOf(levels.images) }];
    case 'heading': {
      const message = 'contains a first-level heading (#), which is reserved for the title; start at ##';
      return node.depth > 1 ? [] : [{ line, message, level: levelOf(levels.heading_levels) }];
    }
    case 'footnoteDefinition': {
      const defines = `defines the footnote [^${node.identifier}]`;
      return rules.sourceKeys?.some((key) => key.toLowerCase() === node.identifier)
        ? [{ line, message: `${defines}, which is the key of a source; rename one of them`, level: 'error' }]
        : [{ line, message: `${defines}; list the source under "sources" instead`, level: levelOf(levels.footnotes) }];
    }
    case 'text':
      return findInProse(node.value, source, line, body, rules);
    case 'table': {
      const columns = node.children[0]?.children.length ?? 0;
      return node.children.flatMap(({ children, position }): Found[] => {
        const message = `has ${children.length} cells in a table of ${columns} columns, and pages show only ${columns}; delete the others, or write \\| for a bar within a cell`;
        return children.length > columns ? [{ line: position?.start.line ?? line, message, level: 'warning' }] : [];
      });
    }
    case 'containerDirective':
      return BLOCKS.includes(node.name) ? [] : [{ line, message: unknownBlock(node.name), level: 'warning' }];
    case 'code':
      return findInCode(source, line, node.lang, levels);
    default:
      return [];
  }
}

function findInCode(source: string, line: number, language: string | null | undefined, levels: TextRules['levels']): Found[] {
  const findings: Found[] = [];
  const unended = 'begins code that nothing ends, so that the rest of the text is code; add a line with the same marks after the code';
  if (isUnended(source)) findings.push({ line, message: unended, level: 'warning' });
  const unnamed = 'contains a code block without a language; write one after the fence, such as ```http';
  if (!language) findings.push({ line, message: unnamed, level: levelOf(levels.code_languages) });
  return findings;
}

/** @param value What readers see of the source. */
function findInProse(value: string, source: string, line: number, body: string, { sourceKeys, levels }: TextRules): Found[] {
  const lineAt = (index: number): number => line + lineBreaks(source.slice(0, index));
  // Characters that the file has only as a character reference such as &#8203;.
  const hidden = findHiddenCharacters(value).filter(({ character }) => !body.includes(character));
  // Code without an end contains the definitions of all sources.
  const unknown =
    sourceKeys === undefined ? [] : [...source.matchAll(UNKNOWN_NOTES)].filter(({ 1: name = '' }) => !sourceKeys.includes(name));
  const citedLevel = levelOf(levels.cited_sources);
  return [
    ...hidden.map(({ codePoint, line: below }): Found => {
      return {
        line: line + below - 1,
        message: `contains the hidden character ${codePoint}; delete it`,
        level: levelOf(levels.hidden_characters),
      };
    }),
    ...shownAsText(source).map(({ index, message }): Found => ({ line: lineAt(index), message, level: 'warning' })),
    ...unknown.map(({ 1: name = '', index }): Found => {
      const remedy = `write the note in a line \`[^${name}]: …\`, ${sourceKeys?.length === 0 ? '' : 'list it under "sources", '}or delete the reference`;
      const message = citedLevel
        ? `refers to [^${name}], which is not among the sources; add it, or delete the reference`
        : `refers to [^${name}], which is not defined, so that it is shown as text; ${remedy}`;
      return { line: lineAt(index), message, level: citedLevel ?? 'warning' };
    }),
  ];
}

function blankTargets(source: string, line: number): TextLink[] {
  return [...source.matchAll(UNPARSED_TARGETS)].flatMap(({ 1: written = '', index }) => {
    const title = written.search(/\s["']/);
    const url = (title === -1 ? written : written.slice(0, title)).trim();
    return /\s/.test(url) ? [{ line: line + lineBreaks(source.slice(0, index)), url }] : [];
  });
}

function findUnusedNotes(nodes: readonly PlacedNode[], sourceKeys: readonly string[], levels: TextRules['levels']): Found[] {
  const referenced = new Set(nodes.flatMap(({ node }) => (node.type === 'footnoteReference' ? [node.identifier] : [])));
  const ofNotes = nodes.flatMap(({ node, line }): Found[] => {
    if (node.type !== 'footnoteDefinition' || referenced.has(node.identifier)) return [];
    const message = `defines the footnote [^${node.identifier}], which nothing refers to, so that pages do not show it; write [^${node.identifier}] where it belongs, or delete it`;
    return [{ line, message, level: 'warning' }];
  });
  const ofSources = sourceKeys.flatMap((key): Found[] => {
    const message = `never refers to its source [^${key}]; refer to it where it supports the text, or delete it`;
    return referenced.has(key) ? [] : [{ line: 1, message, level: levelOf(levels.cited_sources) }];
  });
  return [...ofNotes, ...ofSources];
}

/** References to footnotes that are text, because nothing defines them. Classes of characters such as `[^a-z]` are none. */
const UNKNOWN_NOTES = /(?<!\\)\[\^(?![a-z]-[a-z]\]|[A-Z]-[A-Z]\]|\d-\d\])([\p{L}\p{N}_][^\][\s]{0,99})\]/gu;

/** Links to definitions that are text, because nothing defines them; indexes such as `row[i][j]` are none. */
const UNDEFINED_LINK = /(?<![\w\\\])])\[(?![\^\w]-\w)([^\][\n]{1,200})\]\[([^\][\n]{0,200})\]/g;

/** Tags of components: opening ones with attributes, self-closing ones, and closing ones. */
const COMPONENT_TAG = /<(?:\/([A-Za-z][\w-]*)\s*|([A-Za-z][\w-]*)(?:\s[^<>=]*=[^<>]*|\s*\/))>/g;

/** Lines of other programs: name of the syntax and what to write instead, by how it begins. */
const DIALECTS: readonly (readonly [pattern: RegExp, what: string, remedy: string])[] = [
  [/^[ \t>]*!!!\+?[ \t]+[\w"]/gm, 'begins an admonition of MkDocs (!!!)', 'write it between lines of :::note and :::'],
  [/^[ \t>]*\?\?\?\+?[ \t]+[\w"]/gm, 'begins a block of MkDocs that opens (???)', 'write it between lines of :::details and :::'],
  [/^[ \t>]*===[+!]?[ \t]+"/gm, 'begins a tab of MkDocs (===)', 'write it between lines of :::tab[Label] and :::'],
  [/\{\{[<%][ \t]*\/?[ \t]*\w/g, 'contains a shortcode of Hugo', 'write what it stands for in markdown'],
  [/\{%-?[ \t]*\w/g, 'contains a tag of Liquid or Jinja ({%)', 'write what it stands for in markdown'],
];

/** Markup that stays as it is written, because nothing defines what it refers to or because another program reads it. */
function shownAsText(source: string): { readonly index: number; readonly message: string }[] {
  const of = (pattern: RegExp, message: (match: RegExpExecArray) => string) =>
    [...source.matchAll(pattern)].map((match) => ({ index: match.index, message: message(match) }));
  return [
    ...of(UNDEFINED_LINK, ([whole, text = '', label = '']) => {
      const name = label === '' ? text : label;
      return `contains "${whole}", but nothing defines [${name}], so that it is shown as text; add a line such as \`[${name}]: https://…\``;
    }),
    ...of(COMPONENT_TAG, ([whole, ended, begun]) => {
      const name = ended ?? begun ?? '';
      return `contains ${whole.length > 60 ? `<${name} …>` : whole}, which is no element of HTML and is shown as text; put it in backquotes, or delete it`;
    }),
    ...DIALECTS.flatMap(([pattern, what, remedy]) => of(pattern, () => `${what}, which is shown as text; ${remedy}`)),
  ];
}

function isUnended(source: string): boolean {
  const fence = /^(`{3,}|~{3,})/.exec(source)?.[1];
  if (fence === undefined) return false;
  const last = /\n[ \t>]*(`{3,}|~{3,})[ \t]*$/.exec(source)?.[1];
  return last?.startsWith(fence) !== true;
}

function lineBreaks(text: string): number {
  return text.split('\n').length - 1;
}

const BLOCKS = [...Object.keys(ADMONITION_KINDS), DETAILS, TAB];

function unknownBlock(name: string): string {
  const near = suggestName(name, BLOCKS);
  return `begins a block with :::${name}, which is not known, so that only its content is shown. ${near === undefined ? `Use one of ${BLOCKS.join(', ')}` : `Did you mean ":::${near}"?`}`;
}

/** @param linkExists Whether the target of a root-relative link such as `/capsules/http-caching` exists. */
export function checkText(body: string, rules: TextRules, linkExists: (path: string) => boolean): TextFinding[] {
  const { findings, links } = readText(body, rules);
  const level = levelOf(rules.levels.broken_links);
  const broken = links.flatMap(({ line, url }) => {
    const message = linkProblem(url, linkExists);
    return message === undefined || level === undefined ? [] : [{ line, message, level }];
  });
  return [...findings, ...new Map(broken.map((finding) => [`${finding.line} ${finding.message}`, finding])).values()];
}

function linkProblem(url: string, linkExists: (path: string) => boolean): string | undefined {
  if (url.startsWith('#') || url.startsWith('mailto:')) return undefined;
  if (url.startsWith('/') && !url.startsWith('//')) {
    const path = url.replace(/[?#].*$/, '');
    return linkExists(path) ? undefined : `links to ${path}, which is not a page of this site; correct or delete the link`;
  }
  return url.startsWith('https://') ? undefined : linkForm(url);
}

/** The rules for texts of strangers: every one is in force. */
export const STRICT_TEXT = Object.fromEntries(TEXT_RULES.map((rule) => [rule, 'error'])) as Pick<Editorial, TextRule>;

/** The parts of a capsule whose rules are not in its schema. */
interface AuthoredText {
  readonly sources:
    | readonly { readonly key: string; readonly retrieved?: string | undefined; readonly quote?: string | undefined }[]
    | undefined;
  readonly markdown: string;
}

export interface AuthoredFinding {
  readonly path: readonly PropertyKey[];
  readonly line?: number;
  readonly message: string;
}

interface AuthoredRules {
  readonly linkExists: (path: string) => boolean;
  /** `YYYY-MM-DD`; later dates are mistakes. */
  readonly today: string;
  readonly parse: (text: string) => Root;
}

export function checkAuthored({ sources, markdown }: AuthoredText, { linkExists, today, parse }: AuthoredRules): AuthoredFinding[] {
  const findings = checkSources(sources, today);
  const sourceKeys = sources?.map(({ key }) => key);
  const tooComplex = refuseMarkup(markdown, SUBMITTED_TEXT_BOUNDS);
  const inText = tooComplex
    ? [tooComplex]
    : // Every rule is an error here; a warning is advice for authors who look at their pages.
      checkText(
        markdown,
        { levels: STRICT_TEXT, words: { level: 'error', ...PROPOSAL_BOUNDS.words }, sourceKeys, parse },
        linkExists,
      ).filter(({ level }) => level !== 'warning');
  return [...findings, ...inText.map(({ line, message }) => ({ path: ['markdown'], line, message }))];
}

export function checkSources(sources: AuthoredText['sources'], today: string): AuthoredFinding[] {
  const findings: AuthoredFinding[] = [];
  const keys = sources?.map(({ key }) => key);
  for (const [index, { key, retrieved, quote = '' }] of sources?.entries() ?? []) {
    if (keys?.indexOf(key) !== index)
      findings.push({ path: ['sources', index, 'key'], message: `"${key}" is the key of two sources; rename one` });
    if (retrieved !== undefined && retrieved > today)
      findings.push({ path: ['sources', index, 'retrieved'], message: `${retrieved} is in the future; use a date until today` });
    if (/^["'“„«].*["'”“»]$/.test(quote))
      findings.push({ path: ['sources', index, 'quote'], message: 'is in quotation marks, which pages add; write the words alone' });
  }
  return findings;
}

interface FieldSize {
  readonly field: string;
  readonly rule: RangeRule;
  /** Characters of a text, items of a list; a field of unknown size is not checked. */
  readonly size: number | undefined;
  /** Name of an item, with its plural; a text has characters. */
  readonly item?: readonly [one: string, many: string];
}

export interface FieldRules {
  readonly complete: readonly string[];
  readonly sizes: readonly FieldSize[];
}

/** @param written Names of the fields that are in the file; `undefined` if it could not be read. */
export function checkFields(
  { complete, sizes }: FieldRules,
  written: ReadonlySet<string> | undefined,
  { complete_front_matter }: Pick<Editorial, 'complete_front_matter'>,
): (AuthoredFinding & { readonly level: ContentLevel })[] {
  const completeLevel = levelOf(complete_front_matter);
  const missing = completeLevel === undefined || written === undefined ? [] : complete.filter((name) => !written.has(name));
  return [
    ...missing.map((name) => ({ path: [name], message: 'is missing', level: completeLevel ?? 'error' })),
    ...sizes.flatMap(({ field, rule: { level, min, max }, size, item }) => {
      const sizeLevel = levelOf(level);
      if (sizeLevel === undefined || size === undefined || (size >= min && size <= max) || missing.includes(field)) return [];
      const message =
        item === undefined
          ? `has ${size} characters; write ${min} to ${max}`
          : `names ${size} ${item[size === 1 ? 0 : 1]}; name ${min} to ${max}`;
      return [{ path: [field], message, level: sizeLevel }];
    }),
  ];
}
