import type { CapsuleSummary } from '../../schemas/knowledge/capsule.ts';
import type { StoredVersion } from '../../schemas/knowledge/generation.ts';
import type { Explanation, QueryResult } from '../../schemas/knowledge/query.ts';
import { utf8Length } from '../../schemas/knowledge/token-estimates.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { relatedApiPath } from '../../schemas/paths.ts';
import { AnalysedText, countFieldFrequencies, type FieldFrequencies } from '../../search/passages/analysed-text.ts';
import { findHighlights, findPassages } from '../../search/passages/find-passages.ts';
import type { PassageQuery } from '../../search/passages/passage-query.ts';
import { explainScores, type ScoreContribution } from '../../search/query/explain-scores.ts';
import type { IndexReader } from '../../search/query/index-reader.ts';
import type { QueryPlan, QueryTerm } from '../../search/query/plan-query.ts';
import type { SearchOutcome } from '../../search/query/search.ts';
import { capsuleAddresses, summaryOf } from './capsule-response.ts';

type QueriedMembers = Pick<QueryResult, 'score' | 'quote' | 'highlights' | 'explanation'>;

/** JSON, and its length in UTF-8. */
export interface SerializedJson {
  readonly json: string;
  readonly bytes: number;
}

/** Renders one stored version as query results. Query-independent members are serialized once. */
export class ResultRenderer {
  /** Source of quotes: the markdown, or the summary of a paid capsule. */
  readonly text: AnalysedText;
  /** Indexed body; empty for a paid capsule. */
  readonly body: AnalysedText;
  readonly #metadata: StoredVersion['metadata'];
  /** JSON of the query-independent members, up to the comma after them. */
  #beginning: (SerializedJson & { readonly baseUrl: string }) | undefined;

  constructor({ metadata, markdown }: StoredVersion) {
    this.#metadata = metadata;
    this.text = new AnalysedText(markdown ?? metadata.summary, metadata.language, metadata.title);
    this.body = markdown === undefined ? new AnalysedText('', metadata.language) : this.text;
  }

  /** JSON of a {@link QueryResult}, with the best passage. */
  result(query: PassageQuery, score: number, explanation: Explanation | undefined, baseUrl: string): SerializedJson {
    const { text } = this;
    const [passage] = findPassages(text, query, { maxLength: LIMITS.quoteMaxLength, count: 1 });
    const { start, end } = passage ?? { start: 0, end: 0 };
    const queried: QueriedMembers = {
      score,
      quote: { start, end, text: text.text.slice(start, end) },
      highlights: findHighlights(text, query.terms, { start, end }),
      ...(explanation ? { explanation } : {}),
    };
    if (this.#beginning?.baseUrl !== baseUrl) this.#beginning = { ...this.#begin(baseUrl), baseUrl };
    const rest = JSON.stringify(queried).slice(1);
    return { json: this.#beginning.json + rest, bytes: this.#beginning.bytes + utf8Length(rest) };
  }

  #begin(baseUrl: string): SerializedJson {
    const capsule = summaryOf(this.#metadata);
    const members: Omit<QueryResult, keyof QueriedMembers> = {
      ...capsule,
      ...capsuleAddresses(capsule, baseUrl),
      related_url: baseUrl + relatedApiPath(capsule.capsule_id),
    };
    const json = `${JSON.stringify(members).slice(0, -1)},`;
    return { json, bytes: utf8Length(json) };
  }
}

/** Explains the scores of the results of one query. */
export class ExplainScores {
  readonly #query: string;
  readonly #plan: QueryPlan;
  readonly #terms: readonly string[];
  readonly #readAs: ReadonlyMap<string, string>;
  readonly #parts: ReadonlyMap<number, readonly ScoreContribution[]>;

  constructor(
    query: string,
    outcome: Pick<SearchOutcome, 'plan' | 'documentCount' | 'adjustments'>,
    index: IndexReader,
    numbers: readonly number[],
    terms: readonly string[],
  ) {
    this.#query = query;
    this.#plan = outcome.plan;
    this.#terms = terms;
    this.#readAs = new Map(outcome.plan.corrections.map(({ word, readAs }) => [word, readAs]));
    this.#parts = explainScores(index, outcome, numbers);
  }

  /** The parts of a document's score, in query order. */
  of(number: number, capsule: CapsuleSummary, text: AnalysedText): Explanation {
    const counts = countFieldFrequencies(capsule, text, this.#terms);
    return { parts: (this.#parts.get(number) ?? []).map((part) => this.#describe(part, counts)) };
  }

  #describe(
    { kind, terms, weight, impact, points }: ScoreContribution,
    counts: ReadonlyMap<string, FieldFrequencies>,
  ): Explanation['parts'][number] {
    const queryTerms = terms.map((position) => this.#plan.terms[position] as QueryTerm);
    const fields = kind === 'term' ? counts.get(queryTerms[0]?.term ?? '') : undefined;
    return {
      kind,
      points,
      ...(queryTerms.length > 0
        ? { words: queryTerms.flatMap((term) => this.#wordsOf(term)), terms: queryTerms.map(({ term }) => term) }
        : {}),
      ...(weight === undefined ? {} : { weight }),
      ...(impact === undefined ? {} : { level: impact }),
      ...(fields === undefined ? {} : { fields }),
    };
  }

  #wordsOf({ places }: QueryTerm): { word: string; read_as?: string }[] {
    return [...new Set(places.map(({ start, end }) => this.#query.slice(start, end)))].map((word) => {
      const readAs = this.#readAs.get(word);
      return { word, ...(readAs === undefined ? {} : { read_as: readAs }) };
    });
  }
}
