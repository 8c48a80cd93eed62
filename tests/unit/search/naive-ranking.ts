import { analyse, type Token } from '../../../src/search/analysis/analyse.ts';
import { tokenise } from '../../../src/search/analysis/tokenise.ts';
import { fingerprint, hashTerm } from '../../../src/search/format/postings.ts';
import { isCommonWord } from '../../../src/search/format/spelling.ts';
import { nameCandidates, quotedRanges, readQueryText } from '../../../src/search/query/analyse-query.ts';
import { SPELLINGS } from '../../../src/search/query/plan-query.ts';
import {
  COMPOUND_WEIGHT,
  CORRECTED_TERM_WEIGHT,
  CORRECTED_WORDS_MAX,
  NAME_WEIGHT,
  NEIGHBOUR_SCORE_WEIGHT,
  OPERATOR_WEIGHT,
  PAIR_SCORE_WEIGHT,
  PHRASE_WEIGHT,
  RESCORED_DOCUMENTS,
  WHOLE_NAME_WEIGHT,
} from '../../../src/search/ranking-parameters.ts';
import type { SearchDocument, TextRange } from '../../../src/search/search-document.ts';
import { frequencies, idf, type NaiveDocument, naiveCorpus } from './naive-corpus.ts';
import { naiveNearest } from './naive-distance.ts';

interface NaivePlan {
  readonly weights: Map<string, number>;
  readonly pairs: { first: string; second: string; weight: number }[];
  readonly corrections: { word: string; readAs: string }[];
  readonly names: readonly {
    readonly terms: readonly string[];
    readonly isWhole: boolean;
    readonly isMarked: boolean;
    readonly isOperator?: true;
  }[];
}

/** Languages of which the tests make documents and that have rules; the others are read as unknown. */
const KNOWN = ['en', 'de', 'es', 'fr'];

/**
 * A query in every language of the documents, with unknown words put right.
 *
 * @param languages Of the documents; of at most six readings.
 * @param having The number of documents with each term.
 * @param words Words that may be meant, and in how many documents each is.
 */
function naivePlan(
  query: string,
  languages: readonly string[],
  having: ReadonlyMap<string, number>,
  words: ReadonlyMap<string, number>,
): NaivePlan {
  const isKnown = (term: string): boolean => having.has(term);
  const rules = new Set(languages.map((language) => KNOWN.find((known) => known === language.split('-')[0]) ?? 'und'));
  const readings = [...rules].sort((a, b) => (a === 'en' ? -1 : b === 'en' ? 1 : a < b ? -1 : 1));
  const read = readIn(query, readings);
  const corrected = new Map<string, { word: string; readAs: string; terms: string[][] }>();
  const spelled = new Map(
    unknownPlaces(read, isKnown)
      .slice(0, CORRECTED_WORDS_MAX)
      .map(({ start, end }) => query.slice(start, end))
      .map((word): [string, string | undefined] => [word, otherSpelling(word.toLowerCase())]),
  );
  const candidates = unknownPlaces(read, isKnown)
    .map((place) => ({ ...place, word: query.slice(place.start, place.end) }))
    .filter(({ word }) => spelled.get(word) !== undefined || !isCommonWord(word));
  const divided = new Set<string>();
  for (const { start, end, word } of candidates.slice(0, CORRECTED_WORDS_MAX)) {
    const nearest = spelled.get(word) ?? naiveNearest(word.toLowerCase(), words);
    const isOtherName = /^\p{Lu}/u.test(word) && word.slice(0, 1).toLowerCase() !== nearest?.slice(0, 1);
    const isOther = isOtherName || (hasOwnLastVowel(word) && word.slice(0, -1).toLowerCase() === nearest);
    const isDivisible = (nearest === undefined || isOther) && word.length <= 20;
    if (isDivisible && divided.size < 2) divided.add(word.toLowerCase());
    const isDivided = isDivisible && divided.has(word.toLowerCase());
    const readAs = isDivided ? division(word.toLowerCase()) : isOther ? undefined : nearest;
    if (readAs === undefined) continue;
    const terms = readIn(readAs, readings).map((tokens) => tokens.map(({ term }) => term).filter(isKnown));
    if (terms.flat().length > 0) corrected.set(`${start} ${end}`, { word, readAs, terms });
  }
  const weights = new Map<string, number>();
  const pairs = new Map<string, NaivePlan['pairs'][number]>();
  const counted = new Set<string>();
  read.forEach((tokens, reading) => {
    const places = new Map<number, { term: string; weight: number; start: number; end: number }[]>();
    const joined = joinedWords(readings[reading] ?? '').filter(({ term }) => isKnown(term));
    for (const token of [...joined, ...tokens].sort((a, b) => a.start - b.start)) {
      const { term, start, end } = token;
      const found = isKnown(term)
        ? joined.includes(token)
          ? [{ term, weight: COMPOUND_WEIGHT }]
          : [{ term, weight: 1 }, ...respelled(query.slice(start, end).toLowerCase(), term, readings[reading] ?? '')]
        : (corrected.get(`${start} ${end}`)?.terms[reading] ?? []).map((other) => ({ term: other, weight: CORRECTED_TERM_WEIGHT }));
      for (const one of found) {
        places.set(start, [...(places.get(start) ?? []), { ...one, start, end }]);
        if (!counted.has(`${start} ${one.term}`)) weights.set(one.term, (weights.get(one.term) ?? 0) + one.weight);
        counted.add(`${start} ${one.term}`);
      }
    }
    const ordered = [...places.values()];
    ordered.forEach((here, at) => {
      for (const second of here) {
        for (const first of ordered[at - 1] ?? []) {
          const key = `${first.term} ${second.term}`;
          const isPhrase = quotedRanges(query).some(({ start, end }) => start <= first.start && second.end <= end);
          const weight = first.weight * second.weight * (isPhrase ? PHRASE_WEIGHT : 1);
          if (!pairs.has(key)) pairs.set(key, { first: first.term, second: second.term, weight });
        }
      }
    });
  });
  return {
    weights,
    pairs: [...pairs.values()],
    corrections: [...corrected.values()].map(({ word, readAs }) => ({ word, readAs })),
    names: nameCandidates(readQueryText(query), readings, read),
  };

  /** A word with two spellings in the other one, if three times as many documents have that. */
  function respelled(word: string, term: string, reading: string): { term: string; weight: number }[] {
    const isSpelledTwoWays =
      /.{3}(?:is|iz)(?:es?|ed|ing|ations?)$|.{2}ly[sz](?:es?|ed|ing)$|^(?:col|behavi|fav|flav|hon|lab|neighb|harb)ou?r|^(?:cent|met|lit|fib|theat)(?:er|re)s?$|^(?:def|off|lic)en[cs]es?$|^(?:catal|dial|anal)og(?:ue)?s?$/;
    if (!/^[\p{L}\p{M}]{4,32}$/u.test(word) || !isSpelledTwoWays.test(word)) return [];
    const other = SPELLINGS.map(([from, to]) => word.replace(from, to)).findLast((spelling) => spelling !== word);
    const [first] = other === undefined ? [] : analyse(other, reading);
    return first === undefined || (having.get(first.term) ?? 0) < 3 * (having.get(term) ?? 0)
      ? []
      : [{ term: first.term, weight: CORRECTED_TERM_WEIGHT }];
  }

  /** At most six pairs of words with a space or a hyphen between them, as one word. */
  function joinedWords(reading: string): Token[] {
    const content = read.flat().map(({ start }) => start);
    const isShort = ({ start, end }: TextRange): boolean => /^(?:(?![\u0e00-\u{3ffff}])[\p{L}\p{N}]){1,12}$/u.test(query.slice(start, end));
    const words = tokenise(query).filter(isShort);
    return words
      .filter(({ start }) => content.includes(start))
      .flatMap(({ start, end }) => {
        const second = words.find((word) => word.start === end + 1 && ' -'.includes(query.charAt(end)));
        const whole = second && analyse(query.slice(start, end) + query.slice(second.start, second.end), reading)[0];
        return whole === undefined ? [] : [{ term: whole.term, start, end: second?.end ?? end }];
      })
      .slice(0, 6);
  }

  /** A word as two: the first of three letters or more, the second of two or more, so that the rarer one is in most documents. */
  function division(word: string): string | undefined {
    const halves = Array.from({ length: word.length }, (_, at) => [word.slice(0, at), word.slice(at)]).slice(3, -1);
    const rated = halves.map((parts) => {
      const terms = parts.map((part) => readings.flatMap((reading) => analyse(part, reading).slice(0, 1)));
      const known = terms.map((ofPart) => Math.max(...ofPart.map(({ term }) => having.get(term) ?? 0)));
      const first = terms[0]?.length === 0 ? 0 : (known[0] ?? 0);
      return { readAs: parts.join(' '), documents: Math.min(first, terms[1]?.length === 0 ? Number.POSITIVE_INFINITY : (known[1] ?? 0)) };
    });
    return rated.sort((a, b) => b.documents - a.documents).find(({ documents }) => documents > 0)?.readAs;
  }

  function otherSpelling(word: string): string | undefined {
    const others = SPELLINGS.map(([from, to]) => word.replace(from, to)).filter((other) => other !== word);
    return others.find((other) => readIn(other, readings).some((tokens) => tokens.some(({ term }) => isKnown(term))));
  }

  function unknownPlaces(all: readonly Token[][], known: (term: string) => boolean): { start: number; end: number }[] {
    const places = all.flat().map(({ start, end }) => ({ start, end }));
    const distinct = [...new Map(places.map((place) => [`${place.start} ${place.end}`, place])).values()];
    return distinct
      .filter((place) => /^[\p{L}\p{M}]{4,32}$/u.test(query.slice(place.start, place.end).toLowerCase()))
      .filter((place) => all.every((tokens) => isUnknownIn(tokens, place, known)))
      .sort((a, b) => a.start - b.start || b.end - a.end);
  }
}

/** Whether a vowel ends a word that the letter before does not repeat: "pasta" is no "past". */
function hasOwnLastVowel(word: string): boolean {
  const [last = '', before = ''] = [...word.toLowerCase()].reverse();
  return 'aeiouy'.includes(last) && last !== before;
}

function readIn(query: string, readings: readonly string[]): Token[][] {
  const read = readings.map((reading) => analyse(query, reading));
  const fewest = [...read].sort((a, b) => a.length - b.length)[0] ?? [];
  if (fewest.length === 0) return read;
  return read.map((tokens) => tokens.filter((token) => fewest.some(({ start, end }) => start === token.start && end === token.end)));
}

/**
 * A name is unknown if its whole is and a part of it; a part if it and the whole are. A run of which each character begins a pair is
 * unknown if all pairs are, and then there is nothing to put right.
 */
function isUnknownIn(tokens: readonly Token[], place: { start: number; end: number }, isKnown: (term: string) => boolean): boolean {
  const here = tokens.find(({ start, end }) => start === place.start && end === place.end);
  if (here === undefined) return true;
  const whole = tokens.find((token) => token.start <= here.start && here.end <= token.end) ?? here;
  const parts = tokens.filter((token) => token !== whole && whole.start <= token.start && token.end <= whole.end);
  if (isKnown(whole.term)) return false;
  if (here !== whole) return !isKnown(here.term);
  return parts.length === 0 || parts.some(({ term }) => !isKnown(term));
}

/** Level that an occurrence in a document of average length has: what a pair counts. */
const PAIR_LEVEL = 29;

const PAIRED_TERMS = 32;
const NAMED_MAX = 64;

export interface NaiveResult {
  readonly number: number;
  readonly score: number;
  readonly tier: number;
  readonly isReplaced: boolean;
  readonly isNamed: boolean;
  readonly namePoints: number;
}

/** The published ranking, straight from the documents: nothing is looked up, everything is counted anew. */
export class NaiveRanking {
  readonly #documents: readonly SearchDocument[];
  readonly #corpus: readonly NaiveDocument[];
  readonly #having: ReadonlyMap<string, number>;

  constructor(documents: readonly SearchDocument[]) {
    this.#documents = documents;
    this.#corpus = naiveCorpus(documents);
    this.#having = frequencies(this.#corpus.map(({ levels }) => levels.keys()));
  }

  plan(query: string): NaivePlan {
    return naivePlan(
      query,
      this.#documents.map(({ language }) => language),
      this.#having,
      frequencies(this.#corpus.map(({ words }) => words)),
    );
  }

  search(query: string): NaiveResult[] {
    const plan = this.plan(query);
    const ofWords = this.#score(plan);
    const named = this.#named(plan);
    const isNamed = (number: number): boolean => (named.points[number] ?? 0) > 0;
    // A document that has only the name takes part in the rescoring with one point, which it loses again.
    const scores = this.#smooth(ofWords.map((score, number) => (score === 0 && isNamed(number) ? 1 : score))).map(
      (score, number) => score + (named.points[number] ?? 0) - (ofWords[number] === 0 && isNamed(number) ? 1 : 0),
    );
    const ranked = scores
      .map((score, number) => {
        const tier = this.#documents[number]?.tier ?? 0;
        const isReplaced = tier === 1;
        const percent = isReplaced && !named.asked.has(number) ? 89 : 100;
        const kept = score > 0 ? Math.max(1, Math.floor((score * percent) / 100)) : 0;
        const isAskedFor = tier > 1 && named.asked.has(number);
        const namePoints = named.points[number] ?? 0;
        return { number, score: kept, tier: isReplaced ? 0 : tier, isReplaced, isNamed: isAskedFor, namePoints };
      })
      .filter(({ score }) => score > 0)
      .sort((a, b) => a.tier - b.tier || b.score - a.score || a.number - b.number);
    const others = ranked.filter(({ isNamed }) => !isNamed);
    others.splice(2, 0, ...ranked.filter(({ isNamed }) => isNamed));
    return others;
  }

  #named({ names }: NaivePlan): { points: number[]; asked: Set<number> } {
    const asked = new Set<number>();
    const points = this.#corpus.map(() => 0);
    const seen = new Set<string>();
    for (const { terms, isWhole, isMarked, isOperator } of names) {
      for (const term of terms) {
        const owners = this.#corpus.flatMap(({ names: own }, number) => (own.has(term) ? [{ number, impact: own.get(term) ?? 0 }] : []));
        if (owners.length > NAMED_MAX || seen.has(term)) continue;
        seen.add(term);
        const weight = integer(
          (isWhole ? WHOLE_NAME_WEIGHT : isOperator ? OPERATOR_WEIGHT : NAME_WEIGHT) * idf(this.#corpus.length, owners.length),
        );
        for (const { number, impact } of owners) {
          // A word of the title (4) that is the query counts 70; of what nothing marks, only code (40) and definitions (80) count in full.
          const counted = isMarked || impact === 40 || impact === 80 ? impact : 1;
          points[number] = (points[number] ?? 0) + weight * (isWhole && impact === 4 ? 70 : counted);
          if (isWhole && impact === 127) asked.add(number);
        }
      }
    }
    return { points, asked };
  }

  #score({ weights, pairs }: NaivePlan): number[] {
    const total = this.#corpus.length;
    const having = (term: string): number => this.#having.get(term) ?? 0;
    const scores = this.#corpus.map(({ levels, given }) =>
      [...weights].reduce(
        (sum, [term, weight]) => sum + integer(weight * idf(total, having(term))) * (levels.get(term) ?? given.get(term) ?? 0),
        0,
      ),
    );
    const paired = [...weights.keys()].sort((a, b) => having(a) - having(b)).slice(0, PAIRED_TERMS);
    for (const { first, second, weight } of pairs) {
      if (!paired.includes(first) || !paired.includes(second)) continue;
      const wanted = fingerprint(hashTerm(second));
      const matches = this.#corpus.map(({ levels, followers }) => levels.has(second) && followers.get(first)?.has(wanted) === true);
      const worth = integer(PAIR_SCORE_WEIGHT * weight * idf(total, matches.filter(Boolean).length)) * PAIR_LEVEL;
      matches.forEach((does, number) => {
        if (does) scores[number] = (scores[number] ?? 0) + worth;
      });
    }
    return scores;
  }

  #smooth(scores: readonly number[]): number[] {
    const scoreOf = (number: number): number => scores[number] ?? 0;
    const nearOf = (number: number) => this.#corpus[number]?.neighbours ?? [];
    const top = scores
      .map((_, number) => number)
      .filter((number) => scoreOf(number) > 0)
      .sort((a, b) => scoreOf(b) - scoreOf(a) || a - b)
      .slice(0, RESCORED_DOCUMENTS);
    const support = (number: number): number | undefined => {
      const near = nearOf(number);
      const all = near.reduce((sum, { similarity }) => sum + similarity, 0);
      return all === 0 ? undefined : near.reduce((sum, other) => sum + other.similarity * scoreOf(other.number), 0) / all;
    };
    const supported = top.filter((number) => support(number) !== undefined);
    const sum = supported.reduce((all, number) => all + scoreOf(number), 0);
    if (sum === 0) return [...scores];
    const expected = supported.reduce((all, number) => all + (support(number) ?? 0), 0) / sum;
    const rescored = new Set([...supported, ...top.flatMap(nearOf).map(({ number }) => number)]);
    return scores.map((score, number) => {
      if (score === 0 || !rescored.has(number)) return score;
      const trust = this.#corpus[number]?.trust ?? 0;
      const usual = expected * score;
      const mixed =
        (1 - NEIGHBOUR_SCORE_WEIGHT) * score + NEIGHBOUR_SCORE_WEIGHT * (trust * (support(number) ?? usual) + (1 - trust) * usual);
      return Math.max(1, Math.round(mixed / (1 - NEIGHBOUR_SCORE_WEIGHT + NEIGHBOUR_SCORE_WEIGHT * expected)));
    });
  }
}

function integer(weight: number): number {
  return Math.max(1, Math.round(weight * 64));
}
