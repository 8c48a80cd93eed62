import { fetchCapsules } from '../../gateway/knowledge/fetch-capsules.ts';
import { ok } from '../../gateway/result.ts';
import { FetchResponse, FetchRequest } from '../../schemas/knowledge/fetch.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { defineRoute } from '../../http/define-route.ts';

export const fetchCapsulesRoute = defineRoute<undefined, undefined, FetchRequest>({
  id: 'fetchCapsules',
  method: 'POST',
  path: `${PATHS.capsulesApi}/fetch`,
  summary: 'Read several capsules at once',
  description: `Up to ${LIMITS.fetchItemsMax} capsules in one request, whole, with an outcome for each in the order asked for: what is not found does not keep back the rest. Superseded and retracted capsules are given with their state and the reason, and no other in their place. token_budget bounds what the capsules cost together.`,
  capability: 'capsules',
  access: 'open',
  servedBy: 'function',
  edge: true,
  body: FetchRequest,
  responses: [{ status: 200, description: 'What became of each capsule.', content: { type: 'application/json', schema: FetchResponse } }],
  errors: ['index_unavailable'],
  rateLimit: 'network',
  cache: 'no-store',
  handle: async ({ body }, { corpus, deployment }) => {
    const result = await fetchCapsules(body, corpus, deployment.baseUrl);
    return result.ok ? ok({ kind: 'json', status: 200, value: result.value }) : result;
  },
});
