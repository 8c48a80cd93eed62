import { acpSession } from '../session.ts';
import { readSession } from '../../../gateway/commerce/sessions/checkout-sessions.ts';
import { ok } from '../../../gateway/result.ts';
import { AcpCheckoutSession } from '../schemas/checkout-session.ts';
import { PATHS } from '../../../schemas/paths.ts';
import { checkoutDependencies } from '../../../http/checkout-dependencies.ts';
import { defineRoute } from '../../../http/define-route.ts';
import { ACP_BINDING, ACP_HEADERS } from '../http-binding.ts';
import { ACP_OPERATION, AcpSessionPath, ownerOf } from './operation.ts';

export const getAcpSessionRoute = defineRoute<AcpSessionPath>({
  ...ACP_OPERATION,
  id: 'getCheckoutSession',
  method: 'GET',
  path: `${PATHS.acp}/checkout_sessions/{checkout_session_id}`,
  summary: 'Read a checkout session (Agentic Commerce Protocol)',
  description:
    'The session of the agent as it is now. A session whose payment is reported by the processor is completed and has its order. One that nobody pays is expired after its time.',
  protocol: ACP_BINDING,
  headers: ACP_HEADERS,
  pathParameters: AcpSessionPath,
  responses: [{ status: 200, description: 'The session.', content: { type: 'application/json', schema: AcpCheckoutSession } }],
  errors: ['session_not_found'],
  handle: async (input, dependencies) => {
    const deps = checkoutDependencies(dependencies, input);
    if (!deps.ok) return deps;
    const read = await readSession(input.path.checkout_session_id, ownerOf(input), deps.value);
    if (!read.ok) return read;
    const { session, order } = read.value;
    return ok({ kind: 'json', status: 200, value: acpSession(session, order, deps.value.deployment, deps.value.clock.nowMs()) });
  },
});
