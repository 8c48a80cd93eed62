import type { Nodes, Root } from 'mdast';
import { headingsOf, plainText, walk, withFootnotes } from '../../text/markdown/markdown-tree.ts';
import { parseText } from '../../text/markdown/parse-text.ts';
import { type BuildCache, type CachedResults, digestOf } from '../build-cache.ts';

export interface IndexedText extends DefinedNames {
  readonly headings: readonly string[];
  readonly plain: string;
}

/** The tree of a text in which references to its sources are footnotes. */
export function parseWithSources(markdown: string, sourceKeys: readonly string[]): Root {
  const notes = sourceKeys.map((key) => ({ key, markdown: 'source' }));
  return parseText(withFootnotes(markdown, notes));
}

export function indexText(root: Root): IndexedText {
  return { headings: headingsOf(root).map(({ text }) => text), plain: plainText(root), ...definedNames(root) };
}

export type IndexedTextCache = Pick<CachedResults<IndexedText>, 'get' | 'set'>;

export function indexedTextCache(cache: BuildCache): IndexedTextCache {
  return cache.results<IndexedText>('indexed-texts');
}

/** Everything that the {@link IndexedText} of a text is made from. */
export function indexedTextKey(markdown: string, sourceKeys: readonly string[]): string {
  return digestOf(markdown, ...sourceKeys);
}

interface DefinedNames {
  /** Terms of definition lists, bold words, and code that a paragraph, item or row begins with. */
  readonly names: readonly string[];
  /** Its other inline code, and the header fields of its HTTP messages. */
  readonly codes: readonly string[];
}

/** Longer text is a sentence or a program. */
const NAME_MAX_LENGTH = 64;

const HEADER_FIELD = /^([A-Za-z][A-Za-z0-9-]*):(?: |$)/gm;

function definedNames(root: Root): DefinedNames {
  const names = new Set<string>();
  const codes = new Set<string>();
  const add = (to: Set<string>, text: string): void => {
    const name = text.trim();
    if (name !== '' && name.length <= NAME_MAX_LENGTH && !name.includes('\n')) to.add(name);
  };
  walk(root, (node) => {
    if (node.type === 'defListTerm' || node.type === 'strong') add(names, plainText(node));
    else if (node.type === 'inlineCode') add(codes, node.value);
    else if (node.type === 'code' && node.lang === 'http')
      for (const [, field = ''] of node.value.matchAll(HEADER_FIELD)) add(codes, field);
    else {
      const opening = openingNode(node);
      if (opening?.type === 'inlineCode') add(names, opening.value);
    }
  });
  for (const name of names) codes.delete(name);
  return { names: [...names], codes: [...codes] };
}

/** The beginning of a paragraph or a row of a table, which the rest may explain. */
function openingNode(node: Nodes): Nodes | undefined {
  if (node.type === 'tableRow') return node.children[0]?.children[0];
  return node.type === 'paragraph' ? node.children[0] : undefined;
}
