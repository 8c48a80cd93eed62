import { reportStatus } from '../../gateway/knowledge/report-status.ts';
import { ok } from '../../gateway/result.ts';
import { PATHS } from '../../schemas/paths.ts';
import { StatusResponse } from '../../schemas/knowledge/corpus-lists.ts';
import { defineRoute } from '../../http/define-route.ts';

export const getStatusRoute = defineRoute({
  id: 'getStatus',
  method: 'GET',
  path: `${PATHS.publicCapsules}/status`,
  summary: 'See what is published and whether it works',
  description:
    'Corpus version, counts and newest change. A live service tries its main operations while answering: a query, a capsule, keys and the database.',
  capability: 'capsules',
  access: 'open',
  servedBy: 'function',
  edge: false,
  staticPath: `${PATHS.data}/status.json`,
  responses: [{ status: 200, description: 'The status.', content: { type: 'application/json', schema: StatusResponse } }],
  errors: [],
  rateLimit: 'network',
  cache: 'no-store',
  handle: async (_input, { corpus, deployment, secrets, checkDatabase, budgets }) => {
    const status = await reportStatus(corpus, deployment.baseUrl, { keysConfigured: !('missing' in secrets), checkDatabase, budgets });
    return ok({ kind: 'json', status: 200, value: status });
  },
});
