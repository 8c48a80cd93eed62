import { queryKnowledgeText } from '../../gateway/knowledge/query-knowledge.ts';
import { ok } from '../../gateway/result.ts';
import { PATHS } from '../../schemas/paths.ts';
import { QueryResponse, QueryRequest } from '../../schemas/knowledge/query.ts';
import { defineRoute } from '../../http/define-route.ts';

export const queryKnowledgeRoute = defineRoute<undefined, undefined, QueryRequest>({
  id: 'queryKnowledge',
  method: 'POST',
  path: `${PATHS.gateway}/query`,
  summary: 'Ask the capsule index a question',
  description:
    'Ranks the public capsules for a question or keywords. Each result names the capsule, its version and the digest of its text, and quotes the passage that fits best, with exact offsets. Ranking uses no model and no randomness: the same request on the same corpus_version gives the same bytes.',
  capability: 'knowledge',
  access: 'read',
  servedBy: 'function',
  edge: true,
  body: QueryRequest,
  responses: [{ status: 200, description: 'Capsules found, best first.', content: { type: 'application/json', schema: QueryResponse } }],
  errors: ['invalid_cursor', 'corpus_superseded', 'index_unavailable'],
  rateLimit: 'query',
  cache: 'no-store',
  handle: async ({ body, degrade }, { corpus, deployment }) => {
    const result = await queryKnowledgeText(body, corpus, deployment.baseUrl, () => degrade('index'));
    return result.ok ? ok({ kind: 'text', contentType: 'application/json', body: result.value }) : result;
  },
});
