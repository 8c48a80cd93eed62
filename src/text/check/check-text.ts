import type { Root } from 'mdast';
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
import { countWords, isPreviewEnd, maskCode, walk, withFootnotes, withoutComments } from '../markdown/markdown-tree.ts';
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
  const findings = new Map<string, TextFinding>();
  const links: TextLink[] = [];
  const blankTargets: TextLink[] = [];
  const sourceKeys = rules.sourceKeys ?? [];
  const bodyLines = body.split('\n').length;
  const { parse } = rules;
  const notes = sourceKeys.map((key) => ({ key, markdown: 'source' }));
  const root = parse(withFootnotes(body, notes));
  const referenced = new Set<string>();
  const defined: { readonly name: string; readonly line: number }[] = [];
  const add = (line: number, message: string, level: ContentLevel | undefined): void => {
    const key = `${line} ${message}`;
    if (level !== undefined && !findings.has(key)) findings.set(key, { line, message, level });
  };
  const report = (rule: TextRule, line: number, message: string): void => add(line, message, levelOf(rules.levels[rule]));
  const warn = (line: number, message: string): void => add(line, message, 'warning');
  walk(root, (node) => {
    const line = node.position?.start.line ?? 1;
    if (line > bodyLines) return;
    switch (node.type) {
      case 'html':
        if (isPreviewEnd(node)) return;
        for (const { index, message } of leftOutOfHtml(withoutComments(node.value)))
          warn(line + lineBreaks(withoutComments(node.value).slice(0, index)), message);
        return report('html', line, 'contains raw HTML or an HTML comment; write markdown, and put code in backquotes');
      case 'image':
      case 'imageReference':
        return report('images', line, 'contains an image, which is not allowed; describe it in words');
      case 'heading':
        if (node.depth > 1) return undefined;
        return report('heading_levels', line, 'contains a first-level heading (#), which is reserved for the title; start at ##');
      case 'footnoteReference':
        return void referenced.add(node.identifier);
      case 'footnoteDefinition':
        defined.push({ name: node.identifier, line });
        if (!sourceKeys.some((key) => key.toLowerCase() === node.identifier))
          return report('footnotes', line, `defines the footnote [^${node.identifier}]; list the source under "sources" instead`);
        return add(line, `defines the footnote [^${node.identifier}], which is the key of a source; rename one of them`, 'error');
      case 'text': {
        const source = body.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
        for (const { 1: written = '', index } of source.matchAll(UNPARSED_TARGETS)) {
          const title = written.search(/\s["']/);
          const url = (title === -1 ? written : written.slice(0, title)).trim();
          if (/\s/.test(url)) blankTargets.push({ line: line + lineBreaks(source.slice(0, index)), url });
        }
        // Characters that the file has only as a character reference such as &#8203;.
        for (const { character, codePoint, line: below } of findHiddenCharacters(node.value)) {
          if (!body.includes(character))
            report('hidden_characters', line + below - 1, `contains the hidden character ${codePoint}; delete it`);
        }
        for (const { index, message } of shownAsText(source)) warn(line + lineBreaks(source.slice(0, index)), message);
        if (rules.sourceKeys === undefined) return undefined;
        for (const { 1: name = '', index } of source.matchAll(UNKNOWN_NOTES)) {
          // Code without an end contains the definitions of all sources.
          if (sourceKeys.includes(name)) continue;
          const at = line + lineBreaks(source.slice(0, index));
          if (levelOf(rules.levels.cited_sources) === undefined) {
            const remedy = `write the note in a line \`[^${name}]: …\`, ${sourceKeys.length === 0 ? '' : 'list it under "sources", '}or delete the reference`;
            warn(at, `refers to [^${name}], which is not defined, so that it is shown as text; ${remedy}`);
          } else report('cited_sources', at, `refers to [^${name}], which is not among the sources; add it, or delete the reference`);
        }
        return undefined;
      }
      case 'table': {
        const columns = node.children[0]?.children.length ?? 0;
        for (const { children, position } of node.children)
          if (children.length > columns)
            warn(
              position?.start.line ?? line,
              `has ${children.length} cells in a table of ${columns} columns, and pages show only ${columns}; delete the others, or write \\| for a bar within a cell`,
            );
        return undefined;
      }
      case 'containerDirective':
        return BLOCKS.includes(node.name) ? undefined : warn(line, unknownBlock(node.name));
      case 'code':
        if (isUnended(body.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0)))
          warn(line, 'begins code that nothing ends, so that the rest of the text is code; add a line with the same marks after the code');
        if (node.lang) return undefined;
        return report('code_languages', line, 'contains a code block without a language; write one after the fence, such as ```http');
      case 'link':
      case 'definition':
        return void links.push({ line, url: node.url });
      default:
        return undefined;
    }
  });
  if (rules.levels.instructions !== 'off')
    for (const { rule, line, message } of findInstructions(maskCode(body, root))) {
      // Links to scripts are reported with the links.
      if (rule !== 'script-link') report('instructions', line, message);
    }
  for (const { name, line } of defined)
    if (!referenced.has(name))
      warn(
        line,
        `defines the footnote [^${name}], which nothing refers to, so that pages do not show it; write [^${name}] where it belongs, or delete it`,
      );
  for (const key of sourceKeys) {
    if (!referenced.has(key))
      report('cited_sources', 1, `never refers to its source [^${key}]; refer to it where it supports the text, or delete it`);
  }
  const { level, min, max } = rules.words;
  const words = countWords(notes.length === 0 ? root : parse(body));
  if (words < min || words > max) add(1, `has ${words} words; write ${min} to ${max}`, levelOf(level));
  return { findings: [...findings.values()], links, blankTargets, root };
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
