import { ok } from '../../../gateway/result.ts';
import { PATHS } from '../../../schemas/paths.ts';
import { UcpProfile } from '../schemas/profile.ts';
import { defineRoute } from '../../../http/define-route.ts';

export const getUcpProfileRoute = defineRoute({
  id: 'getUcpProfile',
  method: 'GET',
  path: PATHS.ucpWellKnown,
  summary: 'Discover the Universal Commerce Protocol',
  description:
    'Business profile of the Universal Commerce Protocol, version 2026-08-25: its transports, what can be done over them, and that no payment is taken by them.',
  capability: 'commerce',
  access: 'open',
  servedBy: 'function',
  edge: true,
  responses: [{ status: 200, description: 'The profile.', content: { type: 'application/json', schema: UcpProfile } }],
  errors: [],
  rateLimit: 'network',
  cache: 300,
  handle: async (_input, { documents }) => ok({ kind: 'document', document: documents.ucpWellKnown }),
});
