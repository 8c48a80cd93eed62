import { fetchCapsules } from '../../gateway/knowledge/fetch-capsules.ts';
import { defineRoute, jsonOutcome, jsonResponse } from '../../http/define-route.ts';
import { FetchRequest, FetchResponse } from '../../schemas/knowledge/fetch.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';

export const fetchCapsulesRoute = defineRoute<undefined, undefined, FetchRequest>({
  id: 'fetchCapsules',
  method: 'POST',
  path: `${PATHS.capsulesApi}/fetch`,
  summary: 'Fetch several capsules',
  description: `Up to ${LIMITS.fetchItemsMax} complete capsules in one request, with an outcome for each in the order requested; one that is not found does not affect the others. Superseded and retracted capsules are returned with their status and the reason, and are never substituted. token_budget limits their total size.`,
  capability: 'capsules',
  access: 'open',
  edge: true,
  body: FetchRequest,
  responses: [jsonResponse('An outcome for each capsule.', FetchResponse)],
  errors: ['index_unavailable'],
  rateLimit: 'network',
  cache: 'no-store',
  handle: async ({ body }, { corpus, deployment }) => jsonOutcome(await fetchCapsules(body, corpus, deployment.baseUrl)),
});
