import type { StoredVersion } from '../../schemas/generation.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { relatedApiPath } from '../../schemas/paths.ts';
import type { QueryResult } from '../../schemas/query.ts';
import type { AnalysedText } from '../../search/analysed-text.ts';
import { findBestPassage, findHighlights } from '../../search/passages.ts';
import { capsuleAddresses, summaryOf } from '../capsules/capsule-answer.ts';

/**
 * A capsule as a query answers with it, with the passage that fits best.
 *
 * @param text Its markdown.
 * @param terms What the query asks for, in every reading and with its corrections.
 */
export function queryResult(
  { metadata }: StoredVersion,
  text: AnalysedText,
  terms: readonly string[],
  score: number,
  baseUrl: string,
): QueryResult {
  const capsule = summaryOf(metadata);
  const { start, end } = findBestPassage(text, terms, LIMITS.quoteMaxLength);
  return {
    ...capsule,
    ...capsuleAddresses(capsule, baseUrl),
    related_url: baseUrl + relatedApiPath(capsule.capsule_id),
    score,
    quote: { start, end, text: text.text.slice(start, end) },
    highlights: findHighlights(text, terms, { start, end }),
  };
}
