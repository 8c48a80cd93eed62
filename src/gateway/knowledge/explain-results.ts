import type { Explanation } from '../../schemas/knowledge/query.ts';
import { analyse } from '../../search/analysis/analyse.ts';
import type { AnalysedText } from '../../search/passages/analysed-text.ts';
import { explainScores, type ScoreContribution } from '../../search/query/explain-scores.ts';
import type { IndexReader } from '../../search/query/index-reader.ts';
import type { QueryTerm } from '../../search/query/plan-query.ts';
import type { SearchOutcome } from '../../search/query/search.ts';
import { SEARCH_FIELDS, type SearchDocument, type SearchField } from '../../search/search-document.ts';
import type { RankedCapsule, SearchedText } from './rank-capsules.ts';

export type ExplainedFields = Pick<SearchDocument, 'language' | 'title' | 'tags' | 'summary' | 'questions'>;

/** Explains the scores of a page of results by the first text that was searched. Scripts of pages leave this file out (`UNREACHED` in functions-worker.ts). */
export function explainResults(
  [searched]: readonly SearchedText[],
  page: readonly RankedCapsule[],
): (ranked: RankedCapsule, fields: ExplainedFields, body: AnalysedText) => Explanation | undefined {
  if (searched === undefined) return () => undefined;
  const { text, outcome, query } = searched;
  const explained = outcome.segments.map(({ index, first, outcome: ofSegment }) => {
    const own = page.map(({ number }) => number - first).filter((number) => number >= 0 && number < index.head.documents);
    return { first, explain: scoreExplainer(text, ofSegment, index, own, query.terms) };
  });
  return ({ number, sentencePoints = 0 }, fields, body) => {
    const segment = explained.findLast(({ first }) => first <= number);
    const explanation = segment?.explain(number - segment.first, fields, body);
    if (explanation === undefined || sentencePoints === 0) return explanation;
    return { parts: [...explanation.parts, { kind: 'sentence', points: sentencePoints }] };
  };
}

function scoreExplainer(
  query: string,
  outcome: Pick<SearchOutcome, 'plan' | 'documentCount' | 'adjustments' | 'priors'>,
  index: IndexReader,
  numbers: readonly number[],
  terms: readonly string[],
): (number: number, fields: ExplainedFields, text: AnalysedText) => Explanation {
  const { names, terms: planned, corrections } = outcome.plan;
  const readings = new Map(corrections.map(({ word, readAs }) => [word, readAs]));
  const parts = explainScores(index, outcome, numbers);
  const wordsOf = ({ places }: QueryTerm): { word: string; read_as?: string }[] =>
    [...new Set(places.map(({ start, end }) => query.slice(start, end)))].map((word) => {
      const readAs = readings.get(word);
      return { word, ...(readAs === undefined ? {} : { read_as: readAs }) };
    });
  const describe = (
    { kind, terms: positions, name, weight, impact, points }: ScoreContribution,
    counts: ReadonlyMap<string, FieldFrequencies>,
  ): Explanation['parts'][number] => {
    const queryTerms = name === undefined ? positions.map((position) => planned[position] as QueryTerm) : names.slice(name, name + 1);
    const fields = kind === 'term' ? counts.get(queryTerms[0]?.term ?? '') : undefined;
    return {
      kind,
      points,
      ...(queryTerms.length > 0 ? { words: queryTerms.flatMap(wordsOf), terms: queryTerms.map(({ term }) => term) } : {}),
      ...(weight === undefined ? {} : { weight }),
      ...(impact === undefined ? {} : { level: impact }),
      ...(fields === undefined ? {} : { fields }),
    };
  };
  return (number, fields, text) => {
    const counts = countFieldFrequencies(fields, text, terms);
    return { parts: (parts.get(number) ?? []).map((part) => describe(part, counts)) };
  };
}

type FieldFrequencies = Partial<Record<SearchField, number>>;

/** Frequencies of some indexed terms in each field. Only visible text counts, so that a word with markup inside may differ from the index. */
function countFieldFrequencies(document: ExplainedFields, body: AnalysedText, terms: readonly string[]): Map<string, FieldFrequencies> {
  const occurrences: Record<SearchField, readonly string[]> = {
    title: termsOf([document.title], document.language),
    headings: body.visibleTerms(terms, 'heading'),
    tags: termsOf(document.tags, document.language),
    summary: termsOf([document.summary], document.language),
    body: body.visibleTerms(terms),
    questions: termsOf(document.questions ?? [], document.language),
  };
  const frequencies = new Map(terms.map((term): [string, FieldFrequencies] => [term, {}]));
  for (const field of SEARCH_FIELDS) {
    for (const term of occurrences[field]) {
      const ofTerm = frequencies.get(term);
      if (ofTerm !== undefined) ofTerm[field] = (ofTerm[field] ?? 0) + 1;
    }
  }
  return frequencies;
}

/** The terms of some texts; a name and its part with the same term at one position count once. */
function termsOf(texts: readonly string[], language: string): string[] {
  return texts.flatMap((text) => {
    const atPlace = new Map(analyse(text, language).map(({ term, start }) => [`${start} ${term}`, term]));
    return [...atPlace.values()];
  });
}
