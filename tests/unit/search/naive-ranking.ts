import { fingerprint, hashTerm } from '../../../src/search/format/postings.ts';
import {
  NAME_WEIGHT,
  NEIGHBOUR_SCORE_WEIGHT,
  OPERATOR_WEIGHT,
  PAIR_SCORE_WEIGHT,
  PLAIN_NAME_WEIGHT,
  RESCORED_DOCUMENTS,
  WHOLE_NAME_WEIGHT,
} from '../../../src/search/ranking-parameters.ts';
import type { SearchDocument } from '../../../src/search/search-document.ts';
import { frequencies, idf, type NaiveDocument, naiveCorpus } from './naive-corpus.ts';
import { type NaivePlan, naivePlan } from './naive-plan.ts';

/** Level that an occurrence in a document of average length has: what a pair counts. */
const PAIR_LEVEL = 29;

/** Terms of a query among which pairs are looked for. */
const PAIRED_TERMS = 32;

/** A name of more documents is the name of none. */
const NAMED_MAX = 64;

/** A document of a ranking. */
export interface NaiveResult {
  readonly number: number;
  readonly score: number;
  readonly tier: number;
  readonly isReplaced: boolean;
  readonly isNamed: boolean;
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

  /** Every document that matches. */
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
        const percent = isReplaced && !named.asked.has(number) ? 92 : 100;
        const kept = score > 0 ? Math.max(1, Math.floor((score * percent) / 100)) : 0;
        return { number, score: kept, tier: isReplaced ? 0 : tier, isReplaced, isNamed: tier > 1 && named.asked.has(number) };
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
          (isWhole ? WHOLE_NAME_WEIGHT : isOperator ? OPERATOR_WEIGHT : isMarked ? NAME_WEIGHT : PLAIN_NAME_WEIGHT) *
            idf(this.#corpus.length, owners.length),
        );
        for (const { number, impact } of owners) {
          points[number] = (points[number] ?? 0) + weight * impact;
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
