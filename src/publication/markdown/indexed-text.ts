import type { Root } from 'mdast';
import { type BuildCache, type CachedResults, digestOf } from '../build-cache.ts';
import { headingsOf, plainText, withFootnotes } from '../lint/markdown.ts';
import { type DefinedNames, definedNames } from './defined-names.ts';
import { parseText } from './parse-text.ts';

/** What the search index has of a text. */
export interface IndexedText extends DefinedNames {
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
  return { headings: headingsOf(root).map(({ text }) => text), plain: plainText(root), ...definedNames(root) };
}

/** Results of {@link indexText} that are kept, by {@link indexedTextKey}. */
export type KeptIndexedTexts = Pick<CachedResults<IndexedText>, 'get' | 'set'>;

/** What reading has kept for the search index, so that it need not be parsed again. */
export function keptIndexedTexts(kept: BuildCache): KeptIndexedTexts {
  return kept.results<IndexedText>('indexed-texts');
}

/** Everything that the {@link IndexedText} of a text is made from. */
export function indexedTextKey(markdown: string, sourceKeys: readonly string[]): string {
  return digestOf(markdown, ...sourceKeys);
}
