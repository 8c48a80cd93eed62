import type { OperationExample, Publication } from '../../publication/publication.ts';
import type { SearchResponse } from '../../schemas/knowledge/search.ts';
import { PATHS } from '../../schemas/paths.ts';
import { NLWEB_VERSION, type ProtocolModule } from '../protocol-module.ts';
import { answerEvents, askByGetRoute, askByPostRoute, writeAnswer } from './routes.ts';
import { AskFailure, AskRequest, AskResponse, AskResult } from './schemas.ts';

/** NLWeb: questions in natural language at `/ask`. It needs functions. */
export const nlwebProtocol: ProtocolModule = {
  capability: ({ mode, baseUrl }) =>
    mode === 'static'
      ? undefined
      : { name: 'NLWeb', version: NLWEB_VERSION, document: `${baseUrl}${PATHS.openApiAgent}`, services: ['list'] },
  documents: [],
  operations: () => [askByGetRoute, askByPostRoute],
  examples: nlwebExamples,
  schemas: { requests: { AskRequest }, responses: { AskResponse, AskResult, AskFailure } },
};

const EXAMPLE_QUERY_ID = 'q-1';

/** Requests and responses of NLWeb, from the example of the keyless search; none for a corpus without a free capsule. */
function nlwebExamples({ deployment, examples }: Publication): [string, OperationExample][] {
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
