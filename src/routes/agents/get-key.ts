import { readKey } from '../../gateway/agents/key-standing.ts';
import { callerOf, defineRoute, jsonOutcome, jsonResponse } from '../../http/define-route.ts';
import { KeyDetails } from '../../schemas/agents/agent-keys.ts';
import { PATHS } from '../../schemas/paths.ts';

export const getKeyRoute = defineRoute({
  id: 'getKey',
  method: 'GET',
  path: `${PATHS.agentKeys}/self`,
  summary: "Check a key's permissions",
  description:
    'Agent, scopes, expiry and what the registry holds about the agent, including scopes that the publisher granted. The key itself is never returned.',
  capability: 'agents',
  access: 'key',
  edge: true,
  responses: [jsonResponse('Details of the key.', KeyDetails)],
  errors: [],
  rateLimit: 'keys',
  cache: 'no-store',
  handle: async (input, deps) => jsonOutcome(await readKey(callerOf(input).key, deps, input.degrade)),
});
