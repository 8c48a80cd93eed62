import type { OperationExample, Publication } from '../../publication/publication.ts';
import type { SearchResponse } from '../../schemas/knowledge/search.ts';
import { answerEvents, writeAnswer } from './write-answer.ts';

const EXAMPLE_QUERY_ID = 'q-1';

/** Requests and responses of NLWeb, from the example of the keyless search; none for a corpus without a free capsule. */
export function nlwebExamples({ deployment, examples }: Publication): [string, OperationExample][] {
  const search = examples.get('searchKnowledge');
  const text = search?.parameters?.['q'];
  if (search === undefined || text === undefined) return [];
  const response = writeAnswer({ text, queryId: EXAMPLE_QUERY_ID }, search.response as SearchResponse, deployment.baseUrl);
  const answered = { response, otherForms: { 'text/event-stream': answerEvents(response) } };
  return [
    ['askSite', { parameters: { query: text, max_results: '2', query_id: EXAMPLE_QUERY_ID }, ...answered }],
    [
      'askSiteByPost',
      {
        request: {
          query: { text, max_results: 2 },
          prefer: { mode: 'list', streaming: false },
          meta: { version: '0.55' },
          query_id: EXAMPLE_QUERY_ID,
        },
        ...answered,
      },
    ],
  ];
}
