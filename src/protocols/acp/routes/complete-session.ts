import { ACP_HANDLER_ID } from '../session.ts';
import { completeSession } from '../../../gateway/commerce/sessions/complete-session.ts';
import { AcpCheckoutSession } from '../schemas/checkout-session.ts';
import { AcpCompleteRequest } from '../schemas/requests.ts';
import { keptBuyer } from '../../../schemas/commerce/buyer.ts';
import { PATHS } from '../../../schemas/paths.ts';
import { checkoutDependencies, sessionOutcome } from '../../../http/checkout-dependencies.ts';
import { defineRoute } from '../../../http/define-route.ts';
import { ACP_BINDING, ACP_POST_HEADERS } from '../http-binding.ts';
import { ACP_OPERATION, AcpSessionPath, acpKeyScope, acpRequest, acpWriter, ownerOf } from './operation.ts';

export const completeAcpSessionRoute = defineRoute<AcpSessionPath, undefined, AcpCompleteRequest>({
  ...ACP_OPERATION,
  id: 'completeCheckoutSession',
  method: 'POST',
  path: `${PATHS.acp}/checkout_sessions/{checkout_session_id}/complete`,
  summary: 'Pay a checkout session (Agentic Commerce Protocol)',
  description:
    'Pays with a shared payment token of the payment handler that the session names, and answers with the session and its order. A session without a handler is paid by its buyer at continue_url, and this operation refuses it. A payment that is declined leaves the session open.',
  protocol: ACP_BINDING,
  headers: ACP_POST_HEADERS,
  keyScope: acpKeyScope('completeCheckoutSession'),
  pathParameters: AcpSessionPath,
  body: AcpCompleteRequest,
  responses: [
    {
      status: 200,
      description: 'The completed session with its order.',
      content: { type: 'application/json', schema: AcpCheckoutSession },
    },
  ],
  errors: [
    'payment_unsupported',
    'payment_declined',
    'session_not_found',
    'session_closed',
    'request_in_flight',
    'idempotency_conflict',
    'processor_unavailable',
  ],
  handle: async (input, dependencies) => {
    const deps = checkoutDependencies(dependencies, input);
    if (!deps.ok) return deps;
    const id = input.path.checkout_session_id;
    const { payment_data, buyer } = input.body;
    // Without an account for them, no session has a handler for tokens.
    const token = deps.value.deployment.commerce.merchantId === undefined ? undefined : tokenOf(payment_data);
    const completed = await completeSession(
      { ...acpRequest(input, 'completeCheckoutSession'), buyer: buyer && keptBuyer(buyer) },
      id,
      token,
      ownerOf(input),
      acpWriter(200, deps.value),
      deps.value,
    );
    return sessionOutcome(completed);
  },
});

/** The shared payment token of a request, if it is for the handler that sessions name. */
function tokenOf({ handler_id, instrument }: AcpCompleteRequest['payment_data']): string | undefined {
  const credential = instrument?.credential;
  return handler_id === ACP_HANDLER_ID && credential?.type === 'spt' ? credential.token : undefined;
}
