import { analyse } from '../analysis/analyse.ts';
import { analyserFor, IRREGULAR_BEGINNINGS, UNKNOWN_ANALYSER } from '../analysis/analysers.ts';
import { isPair, PAIRED_LETTERS } from '../analysis/tokenise.ts';
import type { TextRange } from '../search-document.ts';

export interface Hit extends TextRange {
  /** Position of its term among the distinct terms of the search. */
  readonly term: number;
}

export interface Occurrences {
  readonly hits: readonly Hit[];
  /** Occurrences of related terms, see {@link areRelated}. None of them is a hit. */
  readonly related: readonly Hit[];
}

/** Words, with the vowel signs of scripts that write these as marks, but no names with digits and no pairs of Chinese characters. */
const WORD = /^[\p{L}\p{M}]{3,}$/u;

/** Terms that begin with so many equal letters may be forms of one word, and are if these are most of the longer one. */
const STEM_MIN_LENGTH = 5;
const STEM_MIN_SHARE = 0.6;

/** The length of the shortest term that is related to others: less in languages with compounds, least with articles and prepositions in words. */
function relatedMinLength(language: string): number {
  const analyser = analyserFor(language);
  if (analyser === 'ar') return 3;
  return analyser === 'en' || analyser === UNKNOWN_ANALYSER ? STEM_MIN_LENGTH : 4;
}

export function isRelatable(term: string, minLength: number): boolean {
  return term.length >= minLength && WORD.test(term);
}

/**
 * Whether two relatable terms have a word in common: one begins with the other, `signatur` with `sign`, or both with a stem, `popular` and
 * `popularitat`. Where shorter terms are relatable one may also end with the other, as `eisenbahn` with `bahn`.
 */
function areRelated(a: string, b: string, minLength: number): boolean {
  const [short, long] = a.length < b.length ? [a, b] : [b, a];
  let common = 0;
  while (common < short.length && short.charCodeAt(common) === long.charCodeAt(common)) common++;
  if (common === long.length) return false;
  if (common === short.length || (common >= STEM_MIN_LENGTH && common >= STEM_MIN_SHARE * long.length)) return true;
  return minLength < STEM_MIN_LENGTH && long.endsWith(short);
}

/** What a token is to the terms of a search: the position of its own term, or -1, and of those that it is related to. */
interface TokenMatch {
  readonly own: number;
  readonly related: readonly number[];
}

/** The tokens of a word that match, with offsets from its beginning. */
type WordMatches = readonly (TokenMatch & TextRange)[];

/** Longer words are rarely met twice. In UTF-16 code units. */
const REMEMBERED_WORD_LENGTH = 32;

/** A search for some terms in texts of one language, which remembers what it found in words. */
class TermSearch {
  readonly terms: readonly string[];
  readonly language: string;
  readonly #relatedMinLength: number;
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #relatable: readonly string[];
  /** What every word with a term begins with, or with a related one, by its first character; `undefined` if all words are analysed. */
  readonly #beginnings: readonly (readonly string[] | undefined)[] | undefined;
  readonly #matches = new Map<string, TokenMatch>();
  readonly #words = new Map<string, WordMatches>();

  constructor(terms: readonly string[], language: string) {
    this.terms = terms;
    this.language = language;
    this.#relatedMinLength = relatedMinLength(language);
    this.#numbers = new Map([...new Set(terms)].map((term, number) => [term, number]));
    this.#relatable = [...this.#numbers.keys()].filter((term) => isRelatable(term, this.#relatedMinLength));
    const analyser = analyserFor(language);
    if (analyser === 'en' || analyser === UNKNOWN_ANALYSER) this.#beginnings = this.#beginningsByCharacter();
  }

  find(text: string): Occurrences {
    const found = { hits: [] as Hit[], related: [] as Hit[] };
    if (this.#beginnings === undefined) this.#add(this.#matchesIn(text), 0, found);
    else this.#findInWords(text, this.#beginnings, found);
    return found;
  }

  /** Searches only words that may contain a term; each gives the same tokens alone as within its text. */
  #findInWords(text: string, beginnings: readonly (readonly string[] | undefined)[], found: { hits: Hit[]; related: Hit[] }): void {
    const { length } = text;
    let at = 0;
    while (at < length) {
      let kind = KINDS[text.charCodeAt(at)];
      if (kind === NO_WORD) {
        at++;
        continue;
      }
      const start = at;
      let isCandidate = false;
      // At each turn a part of a word begins, or what joins parts: no part begins with a small letter after another letter.
      do {
        if (!isCandidate) {
          const possible = beginnings[text.charCodeAt(at)];
          isCandidate = kind === FOLDED || (possible !== undefined && beginsWithOneOf(possible, text, at));
        }
        at++;
        if (kind <= CAPITAL) while (at < length && KINDS[text.charCodeAt(at)] === SMALL_LETTER) at++;
        if (at === length) break;
        if (dividesNumber(text, at)) at++;
        kind = KINDS[text.charCodeAt(at)];
      } while (kind !== NO_WORD);
      if (isCandidate) this.#add(this.#matchesInWord(text.slice(start, at)), start, found);
    }
  }

  #add(matches: WordMatches, offset: number, { hits, related }: { hits: Hit[]; related: Hit[] }): void {
    for (const match of matches) {
      const [start, end] = [offset + match.start, offset + match.end];
      if (match.own >= 0) hits.push({ term: match.own, start, end });
      for (const term of match.related) related.push({ term, start, end });
    }
  }

  #matchesInWord(word: string): WordMatches {
    if (word.length > REMEMBERED_WORD_LENGTH) return this.#matchesIn(word);
    const known = this.#words.get(word);
    if (known !== undefined) return known;
    const matches = this.#matchesIn(word);
    this.#words.set(word, matches);
    return matches;
  }

  #matchesIn(text: string): WordMatches {
    return analyse(text, this.language).flatMap(({ term, start, end }) => {
      const match = this.#matchOf(term);
      return match.own < 0 && match.related.length === 0 ? [] : [{ ...match, start, end }];
    });
  }

  #matchOf(term: string): TokenMatch {
    const known = this.#matches.get(term);
    if (known !== undefined) return known;
    const own = this.#numbers.get(term) ?? -1;
    const isRelated = (of: string): boolean => areRelated(term, of, this.#relatedMinLength);
    const relatable = own < 0 && isRelatable(term, this.#relatedMinLength) ? this.#relatable.filter(isRelated) : [];
    const match = { own, related: relatable.map((of) => this.#numbers.get(of) as number) };
    this.#matches.set(term, match);
    return match;
  }

  /**
   * In English and in languages without rules a word starts with its term except the last letter, and so does a related one with the first
   * letters; others are listed as such. Of scripts without spaces the term itself is in the text.
   *
   * @see Porter, An algorithm for suffix stripping (1980): no rule changes a letter before the last one of its stem.
   */
  #beginningsByCharacter(): readonly (readonly string[] | undefined)[] {
    const minLength = this.#relatedMinLength;
    const beginningOf = (term: string): string =>
      isPair(term) ? term : term.slice(0, Math.max(1, (isRelatable(term, minLength) ? minLength : term.length) - 1));
    const irregular = IRREGULAR_BEGINNINGS.filter(
      ([, stem]) => this.#numbers.has(stem) || this.#relatable.some((term) => areRelated(stem, term, minLength)),
    );
    const byCharacter: string[][] = [];
    for (const beginning of new Set([...Array.from(this.#numbers.keys(), beginningOf), ...irregular.map(([form]) => form)])) {
      const code = beginning.charCodeAt(0);
      const codes = KINDS[code] === SMALL_LETTER ? [code, code - CASE_BIT] : [code];
      for (const first of codes) byCharacter[first] = [...(byCharacter[first] ?? []), beginning];
    }
    return byCharacter;
  }
}

// What a character is in words and in what joins them.
const NO_WORD = 0;
const SMALL_LETTER = 1;
const CAPITAL = 2;
const DIGIT = 3;
/** Joins names or the thousands of a number: their term is without it. */
const JOINER = 4;
/** Folding changes it beyond its case. */
const FOLDED = 5;
const OTHER = 6;
/** A letter of Chinese, Japanese or Korean that folding leaves as it is; two of them are a term. */
const PAIRED = 7;

const KINDS = new Uint8Array(2 ** 16).fill(FOLDED, 128);
const KINDS_OF: readonly (readonly [kind: number, characters: string])[] = [
  [SMALL_LETTER, 'abcdefghijklmnopqrstuvwxyz'],
  [CAPITAL, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  [DIGIT, '0123456789'],
  [JOINER, "_.,'"],
  [OTHER, '+#-'],
];
for (const [kind, characters] of KINDS_OF) for (const character of characters) KINDS[character.charCodeAt(0)] = kind;
for (let code = 0x3000; code < 0xd7a4; code++) if (PAIRED_LETTERS[code] === 1) KINDS[code] = PAIRED;
// Punctuation between them: marks and brackets, and the full-width forms of ASCII.
KINDS.fill(NO_WORD, 0x3000, 0x3005).fill(NO_WORD, 0x3008, 0x3021).fill(NO_WORD, 0xff01, 0xff10).fill(NO_WORD, 0xff1a, 0xff21);

const CASE_BIT = 0x20;
const SPACE = 0x20;
const UNDERSCORE = 0x5f;

/** Whether a space is between the thousands of a number. */
function dividesNumber(text: string, at: number): boolean {
  return text.charCodeAt(at) === SPACE && KINDS[text.charCodeAt(at - 1)] === DIGIT && KINDS[text.charCodeAt(at + 1)] === DIGIT;
}

function beginsWithOneOf(beginnings: readonly string[], text: string, start: number): boolean {
  for (const beginning of beginnings) if (beginsWith(beginning, text, start)) return true;
  return false;
}

/** Any number of underscores joins words, and one of the others: a superset of what analysis joins. */
function joinsWords(text: string, at: number, code: number): boolean {
  return code === UNDERSCORE || (KINDS[code] === JOINER ? KINDS[text.charCodeAt(at - 1)] !== JOINER : dividesNumber(text, at));
}

/** Whether a text that has the first letter of a beginning at a place has all of it there, in any case, also with joiners in between. */
function beginsWith(beginning: string, text: string, start: number): boolean {
  let at = start;
  for (let letter = 1; letter < beginning.length; letter++) {
    const wanted = beginning.charCodeAt(letter);
    let code = text.charCodeAt(++at);
    while (code !== wanted && joinsWords(text, at, code)) code = text.charCodeAt(++at);
    if ((KINDS[code] === CAPITAL ? code | CASE_BIT : code) !== wanted) return false;
  }
  return true;
}

/** Many texts are searched for the same terms, one after the other. */
let lastSearch: TermSearch | undefined;

/** The occurrences of some terms, in the order of {@link analyse}. */
export function findOccurrences(text: string, language: string, terms: readonly string[]): Occurrences {
  if (lastSearch?.terms !== terms || lastSearch.language !== language) lastSearch = new TermSearch(terms, language);
  return lastSearch.find(text);
}

/** Tokens by their numbers, ascending for each, and the start of those of each number. @param numbers Of each token, less than `count`. */
export function tokensByNumber(numbers: readonly number[], count: number): { readonly tokens: Uint32Array; readonly firsts: Uint32Array } {
  const firsts = new Uint32Array(count + 1);
  for (const number of numbers) firsts[number + 1] += 1;
  for (let number = 0; number < count; number++) firsts[number + 1] += firsts[number];
  const tokens = new Uint32Array(numbers.length);
  const next = firsts.slice();
  for (let token = 0; token < numbers.length; token++) tokens[next[numbers[token]]++] = token;
  return { tokens, firsts };
}

/** Where the tokens of some terms are in an array of tokens by term. */
export interface TokenLists {
  /** For each term: start and end of its tokens. Short typed arrays take longer to allocate. */
  readonly hits: readonly number[];
  /** For each related term, none of which is searched for: the number of its term, start and end of its tokens. */
  readonly related: readonly number[];
}

/** The numbers of the terms of a search. */
interface NumberedTerms {
  readonly terms: readonly string[];
  /** Terms that were numbered then: later ones may be among those of the search. */
  readonly size: number;
  /** -1 for a term that no text has. */
  readonly own: readonly number[];
  /** For each related term: the position of its term in the search, and its number. */
  readonly related: readonly number[];
}

interface NumberedTerm {
  readonly term: string;
  readonly number: number;
}

/** Terms of searches whose related terms are kept. */
const RELATED_TERMS_MAX = 4_000;

/** Numbers for the terms of texts: a search resolves its terms once, and finds them in each text by their numbers. */
class TermNumbers {
  readonly #relatedMinLength: number;
  readonly #numbers = new Map<string, number>();
  /** The terms that may be related to others, by what they begin with, and by what they end with. */
  readonly #beginnings = new Map<string, NumberedTerm[]>();
  readonly #endings = new Map<string, NumberedTerm[]>();
  /** The terms that are related to a term, of so many that begin or end alike: half of the time of a quote in German and Arabic. */
  readonly #related = new Map<string, { readonly alike: number; readonly numbers: readonly number[] }>();
  #resolved: NumberedTerms | undefined;

  constructor(relatedMinLength: number) {
    this.#relatedMinLength = relatedMinLength;
  }

  get size(): number {
    return this.#numbers.size;
  }

  numberOf(term: string): number {
    const known = this.#numbers.get(term);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(term, number);
    if (isRelatable(term, this.#relatedMinLength)) {
      add(this.#beginnings, term.slice(0, this.#relatedMinLength), { term, number });
      if (this.#relatedMinLength < STEM_MIN_LENGTH) add(this.#endings, term.slice(-this.#relatedMinLength), { term, number });
    }
    return number;
  }

  /** Many texts are searched for the same terms, one after the other. */
  resolve(terms: readonly string[]): NumberedTerms {
    if (this.#resolved?.terms === terms && this.#resolved.size === this.size) return this.#resolved;
    const own = terms.map((term) => this.#numbers.get(term) ?? -1);
    const related: number[] = [];
    for (let position = 0; position < terms.length; position++)
      for (const number of this.#relatedTo(terms[position])) if (!own.includes(number)) related.push(position, number);
    this.#resolved = { terms, size: this.size, own, related };
    return this.#resolved;
  }

  #relatedTo(term: string): readonly number[] {
    const beginning = term.slice(0, this.#relatedMinLength);
    const begin = this.#beginnings.get(beginning) ?? [];
    const end = this.#endings.get(term.slice(-this.#relatedMinLength)) ?? [];
    const alike = begin.length + end.length;
    const known = this.#related.get(term);
    if (alike === 0 || known?.alike === alike) return known?.numbers ?? [];
    const all = isRelatable(term, this.#relatedMinLength) ? [...begin, ...end.filter((other) => !other.term.startsWith(beginning))] : [];
    const numbers = all.filter((other) => areRelated(other.term, term, this.#relatedMinLength)).map(({ number }) => number);
    if (this.#related.size >= RELATED_TERMS_MAX) this.#related.clear();
    this.#related.set(term, { alike, numbers });
    return numbers;
  }
}

function add(lists: Map<string, NumberedTerm[]>, key: string, term: NumberedTerm): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [term]);
  else list.push(term);
}

/** Terms that are numbered together: of some hundred texts, in a few megabytes. Texts that come later get numbers of their own. */
const NUMBERED_MAX = 50_000;

/** By the length of the shortest term that is related to others. */
const numbered = new Map<number, TermNumbers>();

function termNumbers(relatedMinLength: number): TermNumbers {
  const known = numbered.get(relatedMinLength);
  if (known !== undefined && known.size <= NUMBERED_MAX) return known;
  const terms = new TermNumbers(relatedMinLength);
  numbered.set(relatedMinLength, terms);
  return terms;
}

/** An inverted index of one text, with the same hits as `findOccurrences`. */
export class TextOccurrences {
  /** Start and end of each token, in the order of {@link analyse}. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Numbers of tokens by term, ascending. One array for all lists takes a fraction of the memory of many. */
  readonly tokensByTerm: Uint32Array;
  readonly #terms: TermNumbers;
  /** The position of each term among those of the text, by the number of the term. */
  readonly #positions = new Map<number, number>();
  /** Start of the tokens of each term in {@link tokensByTerm}, and their end. */
  readonly #firsts: Uint32Array;
  /** A query searches a text for the same terms more than once. */
  #last: { readonly numbers: NumberedTerms; readonly lists: TokenLists } | undefined;

  constructor(text: string, language: string) {
    this.#terms = termNumbers(relatedMinLength(language));
    const tokens = analyse(text, language);
    this.starts = Uint32Array.from(tokens, ({ start }) => start);
    this.ends = Uint32Array.from(tokens, ({ end }) => end);
    const termOfToken = tokens.map(({ term }) => {
      const number = this.#terms.numberOf(term);
      const position = this.#positions.get(number) ?? this.#positions.size;
      this.#positions.set(number, position);
      return position;
    });
    const { firsts, tokens: byTerm } = tokensByNumber(termOfToken, this.#positions.size);
    this.#firsts = firsts;
    this.tokensByTerm = byTerm;
  }

  lists(terms: readonly string[]): TokenLists {
    const numbers = this.#terms.resolve(terms);
    if (this.#last?.numbers === numbers) return this.#last.lists;
    const hits: number[] = [];
    const related: number[] = [];
    for (const number of numbers.own) {
      const position = this.#positions.get(number);
      if (position === undefined) hits.push(0, 0);
      else hits.push(this.#firsts[position], this.#firsts[position + 1]);
    }
    for (let at = 0; at < numbers.related.length; at += 2) {
      const position = this.#positions.get(numbers.related[at + 1]);
      if (position !== undefined) related.push(numbers.related[at], this.#firsts[position], this.#firsts[position + 1]);
    }
    this.#last = { numbers, lists: { hits, related } };
    return this.#last.lists;
  }

  /** The occurrences of some distinct terms, in the order of {@link analyse}; hits have the position of their term. */
  find(terms: readonly string[]): Occurrences {
    const { hits, related } = this.lists(terms);
    return { hits: this.#inOrder(terms.flatMap((_, term) => [term, hits[2 * term], hits[2 * term + 1]])), related: this.#inOrder(related) };
  }

  /** @param lists Number of a term, start and end of its tokens, of each list. */
  #inOrder(lists: readonly number[]): Hit[] {
    const hits: { token: number; term: number }[] = [];
    for (let list = 0; list < lists.length; list += 3)
      for (const token of this.tokensByTerm.subarray(lists[list + 1], lists[list + 2])) hits.push({ token, term: lists[list] });
    hits.sort((a, b) => a.token - b.token || a.term - b.term);
    return hits.map(({ token, term }) => ({ term, start: this.starts[token], end: this.ends[token] }));
  }
}
