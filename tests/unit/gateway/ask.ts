import { expect } from 'vitest';
import type { Corpus } from '../../../src/gateway/knowledge/corpus.ts';
import { queryKnowledge } from '../../../src/gateway/knowledge/query-knowledge.ts';
import { QueryRequest, QueryResponse } from '../../../src/schemas/knowledge/query.ts';
import type { DescribedCapsule } from './random-generation.ts';
import { BASE_URL, expectValue } from './real-generation.ts';

/** The answer of a corpus to a query, which has the published form and nothing besides it. */
export async function ask(corpus: Corpus, request: Record<string, unknown>): Promise<QueryResponse> {
  const answer = expectValue(await queryKnowledge(QueryRequest.parse(request), corpus, BASE_URL));
  expect(QueryResponse.parse(answer)).toEqual(answer);
  return answer;
}

/** The pages of a query, of these sizes by turns. */
export async function allPages(corpus: Corpus, request: Record<string, unknown>, sizes: readonly number[]): Promise<QueryResponse[]> {
  const pages: QueryResponse[] = [];
  for (let cursor: string | null | undefined; cursor !== null; cursor = pages.at(-1)?.page.next_cursor ?? null)
    pages.push(
      await ask(corpus, { ...request, max_results: sizes[pages.length % sizes.length], ...(cursor === undefined ? {} : { cursor }) }),
    );
  return pages;
}

/** A capsule about caching, for corpora of a few that differ in what a test is about. */
export const CACHING: DescribedCapsule = {
  title: 'Cache',
  summary: 'About caching',
  sections: [['Fresh answers', 'A cache keeps fresh answers']],
  tags: ['http'],
  type: 'protocol',
  language: 'en',
  license: 'CC0-1.0',
  evidence: 'measured',
  status: 'current',
  day: 1,
};
