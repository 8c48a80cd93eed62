import { readKey } from '../../gateway/agents/read-key.ts';
import { ok } from '../../gateway/result.ts';
import { KeyDetails } from '../../schemas/agents/agent-keys.ts';
import { PATHS } from '../../schemas/paths.ts';
import { callerOf, defineRoute } from '../../http/define-route.ts';

export const getKeyRoute = defineRoute({
  id: 'getKey',
  method: 'GET',
  path: `${PATHS.agentKeys}/self`,
  summary: 'Read what the key that is sent may do',
  description:
    'Agent, scopes, life, and what the registry holds of the agent; never the key. Scopes that the publisher granted to the agent are listed too.',
  capability: 'agents',
  access: 'key',
  servedBy: 'function',
  edge: true,
  responses: [{ status: 200, description: 'What the key is.', content: { type: 'application/json', schema: KeyDetails } }],
  errors: [],
  rateLimit: 'keys',
  cache: 'no-store',
  handle: async (input, deps) => {
    const facts = await readKey(callerOf(input).key, deps, input.degrade);
    return facts.ok ? ok({ kind: 'json', status: 200, value: facts.value }) : facts;
  },
});
