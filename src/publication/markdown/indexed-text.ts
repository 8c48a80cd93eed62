import type { Root } from 'mdast';
import { digestOf, type KeptResults } from '../kept-results.ts';
import { headingsOf, plainText, withFootnotes } from '../lint/markdown.ts';
import { parseText } from './parse-text.ts';

/** What the search index has of a text. */
export interface IndexedText {
  /** Its headings, in order. */
  readonly headings: readonly string[];
  /** The text without markup. */
  readonly plain: string;
}

/** The tree of a text in which references to its sources are footnotes. */
export function parseWithSources(markdown: string, sourceKeys: readonly string[]): Root {
  return parseText(
    withFootnotes(
      markdown,
      sourceKeys.map((key) => ({ key, markdown: 'source' })),
    ),
  );
}

/** What the search index has of a text, by its tree of {@link parseWithSources}. */
export function indexText(root: Root): IndexedText {
  return { headings: headingsOf(root).map(({ text }) => text), plain: plainText(root) };
}

/** What the search index has of a text, without parsing it if it was read with the same kept results. */
export function indexedText(markdown: string, sourceKeys: readonly string[], kept: KeptResults | undefined): IndexedText {
  const known = kept?.shelf<IndexedText>(INDEXED_TEXTS).get(indexedTextKey(markdown, sourceKeys));
  return known ?? indexText(parseWithSources(markdown, sourceKeys));
}

/** Shelf of results of {@link indexText}. */
export const INDEXED_TEXTS = 'indexed-texts';

/** Everything that the {@link IndexedText} of a text is made from. */
export function indexedTextKey(markdown: string, sourceKeys: readonly string[]): string {
  return digestOf(markdown, ...sourceKeys);
}
