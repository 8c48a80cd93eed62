import type { Root } from 'mdast';
import type { Editorial, RangeRule, RuleLevel, TextRule } from '../../schemas/editorial.ts';
import { nearestName } from '../../search/nearest-name.ts';
import type { ContentLevel } from '../content-problem.ts';
import { ADMONITION_KINDS, DETAILS } from '../markdown/admonition-lines.ts';
import { findInstructions } from './find-instructions.ts';
import { findHiddenCharacters } from './hidden-characters.ts';
import { countWords, maskCode, walk, withFootnotes } from './markdown.ts';

/** A mistake in a markdown body; `line` is its line in the body, from 1. */
export interface TextFinding {
  readonly line: number;
  readonly message: string;
  /** An error, unless it is stated. */
  readonly level?: ContentLevel;
}

/** What a text is checked by. */
export interface TextRules {
  readonly levels: Pick<Editorial, TextRule>;
  /** Bounds of its length. */
  readonly words: RangeRule;
  /** Keys of the sources. The text must refer to each at least once as `[^key]`. If they are unknown, references are not checked. */
  readonly sourceKeys: readonly string[] | undefined;
  /** Parses the text. */
  readonly parse: (text: string) => Root;
}

/** A link in a text. */
export interface TextLink {
  readonly line: number;
  readonly url: string;
}

/** Ends of links that markdown shows as they are written, such as `](rye/Rye & Co (1).md#why)`, with the target and its title. */
const UNPARSED_TARGETS = /(?<!\\)\]\(((?:[^()<>\n]|\([^()<>\n]{0,80}\)){1,240})\)/g;

/** What a text contains. */
interface TextContents {
  readonly findings: TextFinding[];
  readonly links: readonly TextLink[];
  /** What looks like a link, and is none because its target has a blank. */
  readonly blankTargets: readonly TextLink[];
  /** The tree of the text, with a definition for every source. */
  readonly root: Root;
}

/** Message about a link that a text may not have; see `checkLink` for links between texts. */
export function linkForm(url: string): string {
  return `links to ${url}; begin links with https://, mailto:, # or /`;
}

/** The level of a finding of a rule; `undefined` if the rule is off. */
export function levelOf(rule: RuleLevel): ContentLevel | undefined {
  return rule === 'off' ? undefined : rule === 'warn' ? 'warning' : 'error';
}

/** Reads a markdown body once: mistakes in everything but its links, and the links themselves. */
export function readText(body: string, rules: TextRules): TextContents {
  const findings: TextFinding[] = [];
  const links: TextLink[] = [];
  const blankTargets: TextLink[] = [];
  const reported = new Set<string>();
  const sourceKeys = rules.sourceKeys ?? [];
  const bodyLines = body.split('\n').length;
  const { parse } = rules;
  const notes = sourceKeys.map((key) => ({ key, markdown: 'source' }));
  const root = parse(withFootnotes(body, notes));
  const referenced = new Set<string>();
  const add = (rule: TextRule, line: number, message: string): void => {
    const level = levelOf(rules.levels[rule]);
    if (level !== undefined) findings.push({ line, message, level });
  };
  walk(root, (node) => {
    const line = node.position?.start.line ?? 1;
    if (line > bodyLines) return;
    const report = (rule: TextRule, message: string): void => {
      if (!reported.has(`${line} ${message}`)) add(rule, line, message);
      reported.add(`${line} ${message}`);
    };
    switch (node.type) {
      case 'html':
        return report('html', 'contains raw HTML or an HTML comment; write markdown, and put code in backquotes');
      case 'image':
      case 'imageReference':
        return report('images', 'contains an image, which is not allowed; describe it in words');
      case 'heading':
        if (node.depth > 1) return undefined;
        return report('heading_levels', 'contains a first-level heading (#), which is reserved for the title; start at ##');
      case 'footnoteReference':
        return void referenced.add(node.identifier);
      case 'footnoteDefinition':
        if (!sourceKeys.some((key) => key.toLowerCase() === node.identifier))
          return report('footnotes', `defines the footnote [^${node.identifier}]; list the source under "sources" instead`);
        return void findings.push({
          line,
          message: `defines the footnote [^${node.identifier}], which is the key of a source; rename one of them`,
        });
      case 'text': {
        const source = body.slice(node.position?.start.offset ?? 0, node.position?.end.offset ?? 0);
        for (const { 1: written = '', index } of source.matchAll(UNPARSED_TARGETS)) {
          const title = written.search(/\s["']/);
          const url = (title === -1 ? written : written.slice(0, title)).trim();
          if (/\s/.test(url)) blankTargets.push({ line: line + source.slice(0, index).split('\n').length - 1, url });
        }
        // Characters that the file has only as a character reference such as &#8203;.
        for (const { character, codePoint, line: below } of findHiddenCharacters(node.value)) {
          if (!body.includes(character))
            add('hidden_characters', line + below - 1, `contains the hidden character ${codePoint}; delete it`);
        }
        if (rules.sourceKeys === undefined) return undefined;
        const unknown = /\[\^([^\][\s]{1,100})\]/.exec(node.value);
        return unknown
          ? report('cited_sources', `refers to [^${unknown[1]}], which is not among the sources; add it, or delete the reference`)
          : undefined;
      }
      case 'containerDirective':
        return isKnownBlock(node.name) ? undefined : void findings.push({ line, message: unknownBlock(node.name), level: 'warning' });
      case 'code':
        if (node.lang) return undefined;
        return report('code_languages', 'contains a code block without a language; write one after the fence, such as ```http');
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
      if (rule !== 'script-link') add('instructions', line, message);
    }
  for (const key of sourceKeys) {
    if (!referenced.has(key))
      add('cited_sources', 1, `never refers to its source [^${key}]; refer to it where it supports the text, or delete it`);
  }
  findings.push(...lengthFindings(countWords(notes.length === 0 ? root : parse(body)), rules.words));
  return { findings, links, blankTargets, root };
}

const BLOCKS = [...Object.keys(ADMONITION_KINDS), DETAILS];

function isKnownBlock(name: string): boolean {
  return BLOCKS.includes(name);
}

function unknownBlock(name: string): string {
  const near = nearestName(name, BLOCKS);
  return `begins a block with :::${name}, which is not known, so that only its content is shown. ${near === undefined ? `Use one of ${BLOCKS.join(', ')}` : `Did you mean ":::${near}"?`}`;
}

function lengthFindings(words: number, { level, min, max }: RangeRule): TextFinding[] {
  const problemLevel = levelOf(level);
  if (problemLevel === undefined || (words >= min && words <= max)) return [];
  return [{ line: 1, message: `has ${words} words; write ${min} to ${max}`, level: problemLevel }];
}

/**
 * Checks a markdown body by itself, in the order of its lines: the publisher's house rules, or those for strangers. Links must be addresses.
 *
 * @param linkExists Whether the target of a root-relative link such as `/capsules/http-caching` exists.
 */
export function checkText(body: string, rules: TextRules, linkExists: (path: string) => boolean): TextFinding[] {
  const { findings, links } = readText(body, rules);
  const level = levelOf(rules.levels.broken_links);
  const messages = new Map(
    links.flatMap(({ line, url }) => {
      const message = linkProblem(url, linkExists);
      return message === undefined || level === undefined ? [] : [[`${line} ${message}`, { line, message, level }] as const];
    }),
  );
  return [...findings, ...messages.values()];
}

function linkProblem(url: string, linkExists: (path: string) => boolean): string | undefined {
  if (url.startsWith('#') || url.startsWith('mailto:')) return undefined;
  if (url.startsWith('/') && !url.startsWith('//')) {
    const path = url.replace(/[?#].*$/, '');
    return linkExists(path) ? undefined : `links to ${path}, which is not a page of this site; correct or delete the link`;
  }
  return url.startsWith('https://') ? undefined : linkForm(url);
}
