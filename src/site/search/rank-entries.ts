import type { SearchEntry } from '../../schemas/knowledge/search-entries.ts';
import { foldLetters, foldWord } from '../../search/analysis/fold-word.ts';
import { tokenise } from '../../search/analysis/tokenise.ts';
import type { PassagePart } from '../../search/passages/plain-passage.ts';
import type { TextRange } from '../../search/search-document.ts';

/** An entry that fits a query, with its summary in parts. */
export interface RankedEntry {
  readonly entry: SearchEntry;
  readonly passage: readonly PassagePart[];
}

/** How much a word counts by where it is. */
const WEIGHTS = { title: 4, tags: 3, summary: 1 } as const;

/** Share of a weight that a word with another ending counts. */
const OTHER_ENDING_SHARE = 0.75;

/** Shortest word that may have another ending: every text has words that begin with "i". */
const STEM_MIN_LENGTH = 3;

/** Most letters of an ending that the query has and the text lacks: the "s" of a plural. */
const ENDING_MAX_LENGTH = 2;

/** Share of the query, by weight of its words, that an entry must have. */
const LEAST_SHARE = 0.5;

/**
 * The entries that fit a query, best first. A word counts more in a title than in a summary, and more if few entries have it; words that no
 * entry has are ignored, unless there are no others.
 */
export function rankEntries(query: string, entries: readonly SearchEntry[]): RankedEntry[] {
  const words = [...new Set(wordsOf(query))];
  const points = entries.map((entry) => pointsOf(words, entry));
  const rarity = words.map((_, at) => {
    const count = points.filter((ofEntry) => (ofEntry[at] ?? 0) > 0).length;
    return count === 0 ? 0 : Math.log(1 + entries.length / count);
  });
  const whole = rarity.reduce((sum, weight) => sum + weight, 0);
  return entries
    .map((entry, number) => {
      const ofEntry = points[number] ?? [];
      const found = rarity.reduce((sum, weight, at) => sum + ((ofEntry[at] ?? 0) > 0 ? weight : 0), 0);
      const score = rarity.reduce((sum, weight, at) => sum + weight * (ofEntry[at] ?? 0), 0);
      return { entry, found, score };
    })
    .filter(({ found }) => found > 0 && found >= LEAST_SHARE * whole)
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => ({ entry, passage: highlighted(entry.summary, words) }));
}

/** What each word of a query counts in an entry. */
function pointsOf(words: readonly string[], { title, tags = [], summary }: SearchEntry): number[] {
  const fields = { title: wordsOf(title), tags: wordsOf(tags.join(' ')), summary: wordsOf(summary) };
  return words.map((word) =>
    (Object.keys(WEIGHTS) as (keyof typeof WEIGHTS)[]).reduce(
      (sum, field) => sum + WEIGHTS[field] * Math.max(0, ...fields[field].map((other) => likeness(word, other))),
      0,
    ),
  );
}

/** 1 for the same word, less for one with another ending, else 0. */
function likeness(word: string, other: string): number {
  if (word === other) return 1;
  const [short, long] = word.length < other.length ? [word, other] : [other, word];
  const isNear = short === word || long.length - short.length <= ENDING_MAX_LENGTH;
  return short.length >= STEM_MIN_LENGTH && isNear && long.startsWith(short) ? OTHER_ENDING_SHARE : 0;
}

function wordsOf(text: string): string[] {
  return tokenise(text)
    .map((range) => foldedWord(text, range))
    .filter((word) => word !== '');
}

function foldedWord(text: string, { start, end }: TextRange): string {
  return foldLetters(foldWord(text.slice(start, end)));
}

/** Splits a text into parts, and highlights those that resemble a word of the query. */
function highlighted(text: string, words: readonly string[]): PassagePart[] {
  const parts: PassagePart[] = [];
  let done = 0;
  for (const range of tokenise(text)) {
    const folded = foldedWord(text, range);
    // Pairs of characters of scripts without spaces overlap.
    if (range.start < done || !words.some((word) => likeness(word, folded) > 0)) continue;
    if (range.start > done) parts.push({ text: text.slice(done, range.start), isHighlighted: false });
    parts.push({ text: text.slice(range.start, range.end), isHighlighted: true });
    done = range.end;
  }
  return done < text.length ? [...parts, { text: text.slice(done), isHighlighted: false }] : parts;
}
