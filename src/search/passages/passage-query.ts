import { inverseDocumentFrequency } from '../bm25.ts';
import type { QueryPlan } from '../query/plan-query.ts';
import { type AnswerType, answerTypeOf, definedName } from './answer-type.ts';

/** What passages are searched for. */
export interface PassageQuery {
  /** The question as asked. */
  readonly question: string;
  /** Its distinct terms in the form of the index. */
  readonly terms: readonly string[];
  /** The information of each term: its inverse document frequency in the corpus, less for a corrected word. */
  readonly weights: readonly number[];
  /** The type of answer that the question asks for. */
  readonly answerType?: AnswerType | undefined;
  /** The name that the question asks the meaning of, in lower case. */
  readonly definedName?: string | undefined;
  /** Whether the question is only a name that documents have: texts with it in their title are asked what they are about. */
  readonly isBareName?: boolean | undefined;
}

/**
 * The passage query of a planned query.
 *
 * @param documentCount Documents of the index.
 */
export function passageQuery(question: string, { terms, names }: Pick<QueryPlan, 'terms' | 'names'>, documentCount: number): PassageQuery {
  return {
    question,
    terms: terms.map(({ term }) => term),
    weights: terms.map(({ indexed, weight }) => Math.min(1, weight) * inverseDocumentFrequency(documentCount, indexed.documentFrequency)),
    answerType: answerTypeOf(question),
    definedName: definedName(question),
    isBareName: names.some(({ isWhole, places: [{ start, end }] }) => isWhole && question.slice(start, end).trim() === question.trim()),
  };
}
