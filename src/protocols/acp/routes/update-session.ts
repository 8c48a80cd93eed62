import { acpContent } from '../session-content.ts';
import { dayOf, updateSession } from '../../../gateway/commerce/sessions/checkout-sessions.ts';
import { AcpCheckoutSession } from '../schemas/checkout-session.ts';
import { AcpUpdateRequest } from '../schemas/requests.ts';
import { PATHS } from '../../../schemas/paths.ts';
import { checkoutDependencies, sessionOutcome } from '../../../http/checkout-dependencies.ts';
import { defineRoute } from '../../../http/define-route.ts';
import { ACP_BINDING, ACP_POST_HEADERS } from '../http-binding.ts';
import { ACP_OPERATION, AcpSessionPath, acpKeyScope, acpRequest, acpWriter, ownerOf } from './operation.ts';

export const updateAcpSessionRoute = defineRoute<AcpSessionPath, undefined, AcpUpdateRequest>({
  ...ACP_OPERATION,
  id: 'updateCheckoutSession',
  method: 'POST',
  path: `${PATHS.acp}/checkout_sessions/{checkout_session_id}`,
  summary: 'Change a checkout session (Agentic Commerce Protocol)',
  description:
    'Changes what is bought, who buys or where events go; what is left out stays. New line items take the place of all before and have the prices of the catalog as it is now.',
  protocol: ACP_BINDING,
  headers: ACP_POST_HEADERS,
  keyScope: acpKeyScope('updateCheckoutSession'),
  pathParameters: AcpSessionPath,
  body: AcpUpdateRequest,
  responses: [{ status: 200, description: 'The session as it is now.', content: { type: 'application/json', schema: AcpCheckoutSession } }],
  errors: ['session_not_found', 'offer_not_found', 'cart_refused', 'session_closed', 'request_in_flight', 'idempotency_conflict'],
  handle: async (input, dependencies) => {
    const deps = checkoutDependencies(dependencies, input);
    if (!deps.ok) return deps;
    const content = acpContent(input.body, deps.value.deployment, dayOf(deps.value.clock.nowMs()));
    if (!content.ok) return content;
    const id = input.path.checkout_session_id;
    const request = acpRequest(input, 'updateCheckoutSession');
    return sessionOutcome(await updateSession(request, id, content.value, ownerOf(input), acpWriter(200, deps.value), deps.value));
  },
});
