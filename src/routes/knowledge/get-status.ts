import { reportStatus } from '../../gateway/knowledge/report-status.ts';
import { ok } from '../../gateway/result.ts';
import { defineRoute, jsonResponse } from '../../http/define-route.ts';
import { StatusResponse } from '../../schemas/knowledge/corpus-lists.ts';
import { PATHS } from '../../schemas/paths.ts';

export const getStatusRoute = defineRoute({
  id: 'getStatus',
  method: 'GET',
  path: `${PATHS.publicCapsules}/status`,
  summary: 'Get service status',
  description:
    'Corpus version, counts and the most recent change. A live service checks its main operations while it responds: a query, a capsule, keys and the database.',
  capability: 'capsules',
  access: 'open',
  edge: false,
  staticPath: `${PATHS.data}/status.json`,
  responses: [jsonResponse('The status.', StatusResponse)],
  errors: [],
  rateLimit: 'network',
  cache: 'no-store',
  handle: async (_input, { corpus, deployment, secrets, checkDatabase, budgets }) => {
    const status = await reportStatus(corpus, deployment.baseUrl, { keysConfigured: !('missing' in secrets), checkDatabase, budgets });
    return ok({ kind: 'json', status: 200, value: status });
  },
});
