import { queryKnowledgeText } from '../../gateway/knowledge/query-knowledge.ts';
import { ok } from '../../gateway/result.ts';
import { defineRoute, jsonResponse } from '../../http/define-route.ts';
import { QueryRequest } from '../../schemas/knowledge/query.ts';
import { SearchResponse } from '../../schemas/knowledge/search.ts';
import { PATHS } from '../../schemas/paths.ts';

export const queryKnowledgeRoute = defineRoute({
  id: 'queryKnowledge',
  method: 'POST',
  path: `${PATHS.gateway}/query`,
  summary: 'Search the capsules',
  description:
    'Ranks the public capsules for a question or keywords. Each result names the capsule, its version and the digest of its text, and quotes the best matching passage with exact offsets. Ranking uses no model and no randomness: the same request on the same corpus_version returns the same bytes.',
  capability: 'knowledge',
  access: 'read',
  body: QueryRequest,
  responses: [jsonResponse('Matching capsules, or other kinds that were asked for, best first.', SearchResponse)],
  errors: ['invalid_cursor', 'corpus_superseded', 'index_unavailable'],
  rateLimit: 'query',
  handle: async ({ body, degrade }, { corpus, deployment }) => {
    const result = await queryKnowledgeText(body, corpus, deployment, () => degrade('index'));
    return result.ok ? ok({ kind: 'text', contentType: 'application/json', body: result.value }) : result;
  },
});
