import { analyse } from '../../../src/search/analysis/analyse.ts';
import { documentNames } from '../../../src/search/build/analyse-batch.ts';
import { fingerprint, hashTerm } from '../../../src/search/format/postings.ts';
import {
  BM25_B,
  BM25_K1,
  EXPANSION_COMPARED_TERMS,
  EXPANSION_NEIGHBOURS,
  EXPANSION_SIMILARITY_POWER,
  EXPANSION_TERMS,
  EXPANSION_WEIGHT,
  FIELD_WEIGHTS,
  NEIGHBOUR_COMPARED_TERMS,
  NEIGHBOUR_SIMILARITY_MAX,
  NEIGHBOUR_TRUST_TERMS,
  NEIGHBOURS_MAX,
  TITLE_SCORE_WEIGHT,
} from '../../../src/search/ranking-parameters.ts';
import type { SearchDocument } from '../../../src/search/search-document.ts';

const FIELDS = ['title', 'headings', 'tags', 'summary', 'body', 'questions'] as const;
const LEVEL_MAX = 127;
const IMPACT_MAX = (BM25_K1 + 1) * (1 + TITLE_SCORE_WEIGHT);
const FOLLOWERS_MAX = 24;

export interface NaiveDocument {
  /** Level of each term that it has, in the order in which the terms are first met. */
  readonly levels: Map<string, number>;
  readonly given: Map<string, number>;
  readonly following: Map<string, string[]>;
  readonly followers: Map<string, Set<number>>;
  readonly names: ReadonlyMap<string, number>;
  readonly words: Set<string>;
  neighbours: { number: number; similarity: number }[];
  trust: number;
}

/** All that is derived from documents before a query comes: no index, every list gone through from its beginning. */
export function naiveCorpus(documents: readonly SearchDocument[]): NaiveDocument[] {
  const texts = documents.map((document) =>
    FIELDS.map((field) => [document[field] ?? []].flat().map((text) => placesOf(text, document.language))),
  );
  const averages = FIELDS.map((_, field) => {
    const lengths = texts.map((fields) => lengthOf(fields[field])).filter((length) => length > 0);
    const average = lengths.length === 0 ? 1 : lengths.reduce((a, b) => a + b, 0) / lengths.length;
    const step = 2 ** (1 / 8);
    return step ** Math.round(Math.log(average) / Math.log(step));
  });
  const corpus = texts.map((fields, number): NaiveDocument => {
    const document = documents[number] as SearchDocument;
    const terms = [...new Set(fields.flat(3))];
    const scale = FIELDS.map((_, field) => 1 / (1 - BM25_B + (BM25_B * lengthOf(fields[field])) / (averages[field] ?? 1)));
    const levels = new Map(terms.map((term) => [term, levelOf(impact(fields, scale, term))]));
    const following = new Map(terms.map((term) => [term, followingOf(fields.flat(), term)]));
    const followers = new Map([...following].map(([term, after]) => [term, keptFingerprints(after)]));
    return {
      levels,
      given: new Map(),
      following,
      followers,
      names: documentNames(document),
      words: wordsOf(document),
      neighbours: [],
      trust: 0,
    };
  });
  addNeighbours(corpus);
  expand(corpus);
  return corpus;
}

export const idf = (documents: number, having: number): number => Math.log(1 + (documents - having + 0.5) / (having + 0.5));

/** In how many documents each of their terms or words is. */
export function frequencies(sets: readonly Iterable<string>[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const set of sets) for (const one of set) counts.set(one, (counts.get(one) ?? 0) + 1);
  return counts;
}

function placesOf(text: string, language: string): string[][] {
  const places = new Map<number, Set<string>>();
  for (const { term, start } of analyse(text, language)) places.set(start, (places.get(start) ?? new Set()).add(term));
  return [...places.values()].map((terms) => [...terms]);
}

function lengthOf(texts: string[][][] | undefined): number {
  return (texts ?? []).flat(2).length;
}

function impact(fields: string[][][][], scale: number[], term: string): number {
  const saturate = (frequency: number): number => (frequency * (BM25_K1 + 1)) / (BM25_K1 + frequency);
  const counts = fields.map((texts, field) =>
    Math.min(texts.flat(2).filter((other) => other === term).length, [31, 63, 31, 31, 255, 7][field] ?? 0),
  );
  const weighted = FIELDS.reduce((sum, name, field) => sum + (counts[field] ?? 0) * FIELD_WEIGHTS[name] * (scale[field] ?? 0), 0);
  return saturate(weighted) + TITLE_SCORE_WEIGHT * saturate((counts[0] ?? 0) * (scale[0] ?? 0));
}

function levelOf(value: number): number {
  return Math.min(LEVEL_MAX, Math.max(1, Math.round((value / IMPACT_MAX) * LEVEL_MAX)));
}

function followingOf(texts: string[][][], term: string): string[] {
  return texts.flatMap((places) => places.flatMap((here, at) => (here.includes(term) ? (places[at + 1] ?? []) : [])));
}

function keptFingerprints(after: readonly string[]): Set<number> {
  const distinct = [...new Set(after.map((follower) => fingerprint(hashTerm(follower))))];
  return new Set(distinct.sort((a, b) => a - b).slice(0, FOLLOWERS_MAX));
}

function wordsOf(document: SearchDocument): Set<string> {
  const texts = FIELDS.flatMap((field) => document[field] ?? []);
  const words = texts.flatMap((text) => analyse(text, document.language).map(({ start, end }) => text.slice(start, end).toLowerCase()));
  return new Set(words.filter((word) => /^[\p{L}\p{M}]{4,32}$/u.test(word)));
}

function similarDocuments(corpus: readonly NaiveDocument[], compared: number, most: number, similarityMax: number) {
  const having = frequencies(corpus.map(({ levels }) => levels.keys()));
  const frequent = Math.min(3_000, Math.max(200, corpus.length / 10));
  const weight = (term: string): number => {
    const documents = having.get(term) ?? 0;
    return documents < 2 || documents > frequent ? 0 : idf(corpus.length, documents);
  };
  return corpus.map(({ levels }, number) => {
    const characteristic = [...levels]
      .map(([term, level]) => ({ term, weight: weight(term), worth: weight(term) * level }))
      .filter(({ worth }) => worth > 0)
      .sort((a, b) => b.worth - a.worth)
      .slice(0, compared);
    const whole = characteristic.reduce((sum, { worth }) => sum + worth, 0);
    return corpus
      .map((other, otherNumber) => {
        const sum = characteristic.reduce((all, one) => all + one.weight * (other.levels.get(one.term) ?? 0), 0);
        return { number: otherNumber, similarity: Math.min(1, sum / whole) };
      })
      .filter((other) => other.number !== number && other.similarity > 0 && other.similarity <= similarityMax)
      .sort((a, b) => b.similarity - a.similarity || a.number - b.number)
      .slice(0, most)
      .map((other) => ({ ...other, similarity: Math.fround(other.similarity) }));
  });
}

function addNeighbours(corpus: readonly NaiveDocument[]): void {
  const similar = similarDocuments(corpus, NEIGHBOUR_COMPARED_TERMS, NEIGHBOURS_MAX, NEIGHBOUR_SIMILARITY_MAX);
  corpus.forEach((document, number) => {
    document.neighbours = (similar[number] ?? [])
      .filter((other) => similar[other.number]?.some((back) => back.number === number))
      .map((other) => ({ number: other.number, similarity: Math.round(other.similarity * 127) / 127 }));
    const terms = document.levels.size;
    document.trust = document.neighbours.length === 0 ? 0 : Math.round((255 * terms) / (terms + NEIGHBOUR_TRUST_TERMS)) / 255;
  });
}

function expand(corpus: readonly NaiveDocument[]): void {
  const similar = similarDocuments(corpus, EXPANSION_COMPARED_TERMS, EXPANSION_NEIGHBOURS, 1);
  const having = frequencies(corpus.map(({ levels }) => levels.keys()));
  const before = corpus.map(({ levels }) => new Map(levels));
  const impactOf = (level: number): number => (level / LEVEL_MAX) * IMPACT_MAX;
  // A term is met before those that follow it, and they before the next term.
  const met = new Set(corpus.flatMap(({ following }) => [...following].flatMap(([term, after]) => [term, ...after])));
  const order = new Map([...met].map((term, place) => [term, place]));
  corpus.forEach(({ levels, given }, number) => {
    const near = (similar[number] ?? []).map((other) => ({
      levels: before[other.number],
      weight: other.similarity ** EXPANSION_SIMILARITY_POWER,
    }));
    const total = near.reduce((sum, { weight }) => sum + weight, 0);
    const terms = [...new Set(near.flatMap((other) => [...(other.levels?.keys() ?? [])]))];
    const gains = terms.map((term) => {
      const gathered = near.reduce((sum, other) => sum + other.weight * impactOf(other.levels?.get(term) ?? 0), 0);
      const lacking = Math.max(0, 1 - impactOf(levels.get(term) ?? 0) / (BM25_K1 + 1));
      const gain = (EXPANSION_WEIGHT * gathered * lacking) / total;
      return { term, gain, worth: (having.get(term) ?? 0) < 2 ? 0 : gain * idf(corpus.length, having.get(term) ?? 0) };
    });
    const kept = gains
      .filter(({ worth }) => worth > 0)
      .sort((a, b) => b.worth - a.worth || (order.get(a.term) ?? 0) - (order.get(b.term) ?? 0));
    for (const { term, gain } of kept.slice(0, EXPANSION_TERMS)) {
      const own = levels.get(term);
      if (own === undefined) given.set(term, levelOf(gain));
      else levels.set(term, levelOf(impactOf(own) + gain));
    }
  });
}
