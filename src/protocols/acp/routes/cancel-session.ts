import { cancelSession } from '../../../gateway/commerce/sessions/checkout-sessions.ts';
import { AcpCheckoutSession } from '../schemas/checkout-session.ts';
import { AcpCancelRequest } from '../schemas/requests.ts';
import { PATHS } from '../../../schemas/paths.ts';
import { checkoutDependencies, sessionOutcome } from '../../../http/checkout-dependencies.ts';
import { defineRoute } from '../../../http/define-route.ts';
import { ACP_CANCEL_BINDING, ACP_POST_HEADERS } from '../http-binding.ts';
import { ACP_OPERATION, AcpSessionPath, acpKeyScope, acpRequest, acpWriter, ownerOf } from './operation.ts';

export const cancelAcpSessionRoute = defineRoute<AcpSessionPath, undefined, AcpCancelRequest>({
  ...ACP_OPERATION,
  id: 'cancelCheckoutSession',
  method: 'POST',
  path: `${PATHS.acp}/checkout_sessions/{checkout_session_id}/cancel`,
  summary: 'Cancel a checkout session (Agentic Commerce Protocol)',
  description:
    'Gives a session up. One that is completed, canceled or expired is refused with 405. Why it is given up (intent_trace) may be said and is not kept.',
  protocol: ACP_CANCEL_BINDING,
  headers: ACP_POST_HEADERS,
  keyScope: acpKeyScope('cancelCheckoutSession'),
  pathParameters: AcpSessionPath,
  body: AcpCancelRequest,
  bodyOptional: true,
  responses: [{ status: 200, description: 'The canceled session.', content: { type: 'application/json', schema: AcpCheckoutSession } }],
  errors: ['session_not_found', 'session_closed', 'request_in_flight', 'idempotency_conflict'],
  handle: async (input, dependencies) => {
    const deps = checkoutDependencies(dependencies, input);
    if (!deps.ok) return deps;
    const id = input.path.checkout_session_id;
    const request = acpRequest(input, 'cancelCheckoutSession');
    const canceled = await cancelSession(request, id, ownerOf(input), acpWriter(200, deps.value), deps.value);
    // An answer 405 lists what the address takes (RFC 9110 section 15.5.6): nothing that would change this session.
    if (!canceled.ok && canceled.refusal.code === 'session_closed')
      return { ok: false, refusal: { ...canceled.refusal, headers: { Allow: 'OPTIONS' } } };
    return sessionOutcome(canceled);
  },
});
