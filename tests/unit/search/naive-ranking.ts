import { analyse, type Token } from '../../../src/search/analyse.ts';
import type { SearchDocument } from '../../../src/search/types.ts';

/** Places at which terms begin, each with the distinct terms that begin there, in order. */
type Places = string[][];

const FIELDS = ['title', 'headings', 'tags', 'summary', 'body'] as const;
const WEIGHTS = { title: 3, headings: 1, tags: 1, summary: 1, body: 1 };
const K1 = 1.2;
const B = 0.65;

interface Scored {
  id: string;
  score: number;
  matchedTerms: string[];
}

/** The published formula over the documents themselves: no index, every term and pair counted anew. English only. */
export function naiveRanking(documents: readonly SearchDocument[], query: string): Scored[] {
  const corpus = [...documents].sort((a, b) => (a.id < b.id ? -1 : 1));
  const places = corpus.map((document) => FIELDS.map((field) => [document[field]].flat().map(placesOf)));
  const termsOf = (number: number): string[] => (places[number] ?? []).flat(3);
  const dictionary = new Map<string, number>();
  corpus.forEach((_, number) => {
    for (const term of new Set(termsOf(number))) dictionary.set(term, (dictionary.get(term) ?? 0) + 1);
  });

  const length = (number: number, field: number): number => (places[number]?.[field] ?? []).flat(2).length;
  const weightedLength = (number: number): number => FIELDS.reduce((sum, name, field) => sum + WEIGHTS[name] * length(number, field), 0);
  const scale = (own: number, all: number[]): number => {
    const present = all.filter((value) => value > 0);
    const average = present.length === 0 ? 1 : present.reduce((a, b) => a + b, 0) / present.length;
    return 1 / (1 - B + (B * own) / average);
  };
  const fieldScale = (number: number, field: number): number =>
    scale(
      length(number, field),
      corpus.map((_, other) => length(other, field)),
    );

  const { weights, pairs } = naivePlan(query, dictionary);
  const scored = corpus.map(({ id }, number) => {
    let score = 0;
    const matchedTerms: string[] = [];
    for (const [term, weight] of weights) {
      const counts = FIELDS.map((_, field) => (places[number]?.[field] ?? []).flat(2).filter((t) => t === term).length);
      if (counts.every((count) => count === 0)) continue;
      matchedTerms.push(term);
      const frequency = counts.reduce((sum, count, field) => sum + count * WEIGHTS[FIELDS[field] ?? 'body'] * fieldScale(number, field), 0);
      const inTitle = saturate((counts[0] ?? 0) * fieldScale(number, 0));
      score += weight * idf(corpus.length, dictionary.get(term) ?? 0) * (saturate(frequency) + 0.25 * inTitle);
    }
    for (const [first, second, weight] of pairs) {
      const count = (other: number): number => (places[other] ?? []).flat().reduce((sum, text) => sum + neighbours(text, first, second), 0);
      const having = corpus.filter((_, other) => count(other) > 0).length;
      const totals = corpus.map((_, other) => weightedLength(other));
      const frequency = count(number) * scale(weightedLength(number), totals);
      score += 0.15 * weight * idf(corpus.length, having) * saturate(frequency);
    }
    return { id, score, matchedTerms };
  });
  return scored.filter(({ matchedTerms }) => matchedTerms.length > 0);
}

function placesOf(text: string): Places {
  const places = new Map<number, string[]>();
  for (const { term, start } of analyse(text, 'en')) {
    const here = places.get(start) ?? [];
    if (!here.includes(term)) here.push(term);
    places.set(start, here);
  }
  return [...places.values()];
}

function neighbours(text: Places, first: string, second: string): number {
  return text.filter((here, at) => here.includes(first) && text[at + 1]?.includes(second)).length;
}

function naivePlan(query: string, dictionary: ReadonlyMap<string, number>) {
  const tokens = analyse(query, 'en');
  const weights = new Map<string, number>();
  const pairs: [string, string, number][] = [];
  const places = new Map<number, [string, number][]>();
  let corrections = 0;
  for (const whole of tokens) {
    if (tokens.some((other) => other !== whole && covers(other, whole))) continue;
    const word = tokens.filter((token) => covers(whole, token));
    const known = word.some(({ term }) => dictionary.has(term));
    const correction = known || corrections++ >= 8 ? undefined : naiveCorrection(whole.term, dictionary);
    for (const token of word) {
      if (!places.has(token.start)) places.set(token.start, []);
      const found = dictionary.has(token.term) ? token.term : token === whole ? correction : undefined;
      if (found === undefined) continue;
      const weight = dictionary.has(token.term) ? 1 : 0.8;
      places.get(token.start)?.push([found, weight]);
    }
  }
  const counted = new Set<string>();
  for (const [start, here] of places) {
    for (const [term, weight] of here) {
      const range = `${start} ${term}`;
      if (!counted.has(range)) weights.set(term, (weights.get(term) ?? 0) + weight);
      counted.add(range);
    }
  }
  const ordered = [...places.values()];
  ordered.forEach((here, at) => {
    for (const [second, b] of here) {
      for (const [first, a] of ordered[at - 1] ?? []) {
        if (!pairs.some(([x, y]) => x === first && y === second)) pairs.push([first, second, a * b]);
      }
    }
  });
  return { weights, pairs };
}

function covers(outer: Token, inner: Token): boolean {
  return outer.start <= inner.start && inner.end <= outer.end;
}

function naiveCorrection(unknown: string, dictionary: ReadonlyMap<string, number>): string | undefined {
  const letters = /^[\p{L}\p{M}]+$/u;
  if (unknown.length < 4 || !letters.test(unknown)) return undefined;
  const limit = unknown.length >= 8 ? 2 : 1;
  return [...dictionary]
    .filter(([term]) => letters.test(term))
    .map(([term, having]) => ({ term, having, edits: naiveDistance(unknown, term) }))
    .filter(({ edits }) => edits <= limit)
    .sort((a, b) => a.edits - b.edits || b.having - a.having || (a.term < b.term ? -1 : 1))[0]?.term;
}

/** Optimal string alignment distance by its recursive definition. */
export function naiveDistance(a: string, b: string): number {
  const known = new Map<string, number>();
  const distance = (i: number, j: number): number => {
    if (i === 0 || j === 0) return i + j;
    const key = `${i} ${j}`;
    const done = known.get(key);
    if (done !== undefined) return done;
    const ways = [distance(i - 1, j) + 1, distance(i, j - 1) + 1];
    ways.push(distance(i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1));
    if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) ways.push(distance(i - 2, j - 2) + 1);
    known.set(key, Math.min(...ways));
    return Math.min(...ways);
  };
  return distance(a.length, b.length);
}

function saturate(frequency: number): number {
  return (frequency * (K1 + 1)) / (K1 + frequency);
}

function idf(documents: number, having: number): number {
  return Math.log(1 + (documents - having + 0.5) / (having + 0.5));
}
