import type { Nodes, Root } from 'mdast';
import { plainText, walk } from '../lint/markdown.ts';
import { parseText } from '../markdown/parse-text.ts';
import { readableFormula } from './readable-formula.ts';

/** Longest summary that is made from a text, in characters. */
const SUMMARY_MAX_LENGTH = 280;

/** A sentence is kept whole if the sentences before its end have this share of the length. */
const SENTENCE_MIN_SHARE = 0.25;

/** Lines of markdown dialects that are no prose: imports, markers of containers, templates. */
const NO_PROSE = /^(?:import\s|export\s|:{3,}|!{3}\s|\?{3}\+?\s|\{%|\{\{|\[\[toc\]\]$|@\w+)/i;

/** A summary from the first paragraph with prose, as plain text; `undefined` if the text has none. */
export function summaryOfText(root: Root): string | undefined {
  const paragraph = root.children.map(proseOf).find((text) => text !== '') ?? firstProse(root);
  return paragraph === undefined ? undefined : cutSummary(paragraph);
}

/** A text of at most `maxLength` characters: whole sentences where they fit, otherwise whole words and an ellipsis. */
export function cutSummary(text: string, maxLength = SUMMARY_MAX_LENGTH): string {
  const line = text.replace(/\s+/g, ' ').trim();
  if (line.length <= maxLength) return line;
  const beginning = line.slice(0, maxLength + 1);
  const ends = [...beginning.matchAll(/[^\s.][.!?…]["')\]»”’]*(?= )|[。！？]/gu)].map(({ 0: end, index }) => index + end.length);
  const sentenceEnd = ends
    .filter((end) => end <= maxLength && !/\b(?:e\.g|i\.e|z\. ?B|d\. ?h|vs|etc|cf|[A-Z])\.$/.test(line.slice(0, end)))
    .at(-1);
  if (sentenceEnd !== undefined && sentenceEnd >= maxLength * SENTENCE_MIN_SHARE) return line.slice(0, sentenceEnd).trim();
  const words = line.slice(0, maxLength).replace(/\s+\S*$/, '');
  // A surrogate pair is never cut: the ellipsis replaces a whole character.
  return `${(
    words.length > 0 && words.length < maxLength
      ? words
      : Array.from(line)
          .slice(0, maxLength / 2)
          .join('')
  ).replace(/(?<![\s,;:–-])[\s,;:–-]+$/, '')}…`;
}

/** The prose of a paragraph; empty for anything else. */
function proseOf(node: Nodes): string {
  if (node.type !== 'paragraph') return '';
  if (!node.children.some((child) => child.type !== 'inlineMath' && /\p{L}/u.test(proseOfPhrase(child)))) return '';
  const text = node.children
    .map(proseOfPhrase)
    .join('')
    .split('\n')
    .filter((line) => !NO_PROSE.test(line.trim()))
    .join(' ')
    .replace(/\s+/g, ' ')
    .replace(/ ?\[\^[^[\]\s]+\]/g, '')
    .trim();
  return /\p{L}/u.test(text) ? text : '';
}

/** The words of a part of a paragraph, with formulas as people read them, and without images. */
function proseOfPhrase(node: Nodes): string {
  if (node.type === 'inlineMath') return readableFormula(node.value);
  if (node.type === 'image' || node.type === 'imageReference') return '';
  // Left out with the blank before it.
  if (node.type === 'footnoteReference') return `[^${node.identifier}]`;
  const isNested = 'children' in node && node.type !== 'footnoteDefinition';
  return isNested ? node.children.map(proseOfPhrase).join('') : plainText(node);
}

/**
 * Whether a text begins with its summary, which a page above it need not show then.
 *
 * @param markdown The text without its title.
 */
export function beginsWithSummary(markdown: string, summary: string): boolean {
  // A formula above the first paragraph does not part it from the summary.
  const first = parseText(markdown).children.find((node) => node.type !== 'math' && (node.type !== 'paragraph' || proseOf(node) !== ''));
  const prose = first === undefined ? '' : proseOf(first);
  return prose !== '' && (prose.startsWith(summary) || cutSummary(prose) === summary);
}

/** The first prose within quotes, lists and tables. */
function firstProse(root: Root): string | undefined {
  let found: string | undefined;
  walk(root, (node) => {
    if (found === undefined && node.type === 'paragraph') found = proseOf(node) || undefined;
  });
  return found;
}
