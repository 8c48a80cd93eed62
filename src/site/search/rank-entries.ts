import type { SearchEntry } from '../../schemas/knowledge/search-entries.ts';
import { foldLetters, foldWord, tokenise } from '../../search/analysis/tokenise.ts';
import type { PassagePart } from '../../search/passages/plain-text.ts';
import { placeNamed } from '../../search/query/place-named.ts';
import type { TextRange } from '../../search/search-document.ts';

/** An entry that fits a query, with its summary in parts. */
export interface RankedEntry {
  readonly entry: SearchEntry;
  readonly passage: readonly PassagePart[];
}

const FIELD_BOOSTS = { title: 4, tags: 3, summary: 1 } as const;

/** Weight of a match of words that differ in their ending. */
const PREFIX_MATCH_WEIGHT = 0.75;

/** Shortest word that may have another ending: every text has words that begin with "i". */
const PREFIX_MIN_LENGTH = 3;

/** Most letters of an ending that the query has and the text lacks: the "s" of a plural. */
const ENDING_MAX_LENGTH = 2;

/** Share of the query, by inverse document frequency of its words, that an entry must have. */
const MINIMUM_SHOULD_MATCH = 0.5;

/**
 * The entries that fit a query, best first. A word counts more in a title than in a summary, and more if few entries have it; words that no
 * entry has are ignored, unless there are no others. Superseded and retracted capsules follow everything else, unless the query names them.
 */
export function rankEntries(query: string, entries: readonly SearchEntry[]): RankedEntry[] {
  const words = [...new Set(wordsOf(query))];
  const scores = entries.map((entry) => termScores(words, entry));
  const idf = words.map((_, at) => {
    const count = scores.filter((scoresOfEntry) => (scoresOfEntry[at] ?? 0) > 0).length;
    return count === 0 ? 0 : Math.log(1 + entries.length / count);
  });
  const totalIdf = idf.reduce((sum, weight) => sum + weight, 0);
  const ranked = entries
    .map((entry, number) => {
      const scoresOfEntry = scores[number] ?? [];
      const found = idf.reduce((sum, weight, at) => sum + ((scoresOfEntry[at] ?? 0) > 0 ? weight : 0), 0);
      const score = idf.reduce((sum, weight, at) => sum + weight * (scoresOfEntry[at] ?? 0), 0);
      return { entry, found, score };
    })
    .filter(({ found }) => found > 0 && found >= MINIMUM_SHOULD_MATCH * totalIdf)
    .sort((a, b) => Number(a.entry.status !== undefined) - Number(b.entry.status !== undefined) || b.score - a.score)
    .map((one) => ({ ...one, isNamed: one.entry.status !== undefined && isNamedBy(query, one.entry) }));
  return placeNamed(ranked).map(({ entry }) => ({
    entry,
    passage: entry.note === undefined ? highlighted(entry.summary, words) : [{ text: entry.note, isHighlighted: false }],
  }));
}

/** Whether the title of an entry, or the id in its path, is all that a query asks for. */
function isNamedBy(query: string, { title, path }: SearchEntry): boolean {
  const [asked, ...names] = [query, title, path.slice(path.lastIndexOf('/') + 1)].map((name) => wordsOf(name).join(''));
  return names.some((name) => name === asked);
}

/** What each word of a query counts in an entry. */
function termScores(words: readonly string[], { title, tags = [], summary }: SearchEntry): number[] {
  const fields = { title: wordsOf(title), tags: wordsOf(tags.join(' ')), summary: wordsOf(summary) };
  return words.map((word) =>
    (Object.keys(FIELD_BOOSTS) as (keyof typeof FIELD_BOOSTS)[]).reduce(
      (sum, field) => sum + FIELD_BOOSTS[field] * Math.max(0, ...fields[field].map((other) => similarity(word, other))),
      0,
    ),
  );
}

/** 1 for the same word, less for one with another ending, else 0. */
function similarity(word: string, other: string): number {
  if (word === other) return 1;
  const [short, long] = word.length < other.length ? [word, other] : [other, word];
  const isNear = short === word || long.length - short.length <= ENDING_MAX_LENGTH;
  return short.length >= PREFIX_MIN_LENGTH && isNear && long.startsWith(short) ? PREFIX_MATCH_WEIGHT : 0;
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
    if (range.start < done || !words.some((word) => similarity(word, folded) > 0)) continue;
    if (range.start > done) parts.push({ text: text.slice(done, range.start), isHighlighted: false });
    parts.push({ text: text.slice(range.start, range.end), isHighlighted: true });
    done = range.end;
  }
  return done < text.length ? [...parts, { text: text.slice(done), isHighlighted: false }] : parts;
}
