import { acpContent } from '../session-content.ts';
import { createSession, dayOf } from '../../../gateway/commerce/sessions/checkout-sessions.ts';
import { AcpCheckoutSession } from '../schemas/checkout-session.ts';
import { AcpCreateRequest } from '../schemas/requests.ts';
import { PATHS } from '../../../schemas/paths.ts';
import { checkoutDependencies, sessionOutcome } from '../../../http/checkout-dependencies.ts';
import { callerOf, defineRoute } from '../../../http/define-route.ts';
import { ACP_BINDING, ACP_POST_HEADERS } from '../http-binding.ts';
import { ACP_OPERATION, acpKeyScope, acpRequest, acpWriter, ownerOf } from './operation.ts';

export const createAcpSessionRoute = defineRoute<undefined, undefined, AcpCreateRequest>({
  ...ACP_OPERATION,
  id: 'createCheckoutSession',
  method: 'POST',
  path: `${PATHS.acp}/checkout_sessions`,
  summary: 'Open a checkout session (Agentic Commerce Protocol)',
  description:
    'Opens a session for offers of the catalog, at the prices of the catalog. Line items are taken as {"id"}, {"id","quantity"}, {"item":{"id"},"quantity"} or {"id","item":{"id"},"quantity"}. A price in the request that differs from the catalog is refused. The buyer pays at continue_url; where the session has a payment handler, the agent can pay with a shared payment token instead.',
  protocol: ACP_BINDING,
  headers: ACP_POST_HEADERS,
  keyScope: acpKeyScope('createCheckoutSession'),
  body: AcpCreateRequest,
  responses: [{ status: 201, description: 'The session.', content: { type: 'application/json', schema: AcpCheckoutSession } }],
  errors: ['offer_not_found', 'cart_refused', 'request_in_flight', 'idempotency_conflict', 'quota_exceeded'],
  handle: async (input, dependencies) => {
    const deps = checkoutDependencies(dependencies, input);
    if (!deps.ok) return deps;
    const content = acpContent(input.body, deps.value.deployment, dayOf(deps.value.clock.nowMs()));
    if (!content.ok) return content;
    const { items = [], ...rest } = content.value;
    const owner = {
      owner: ownerOf(input),
      channel: 'acp' as const,
      agent: callerOf(input).key.payload.agent,
    };
    const request = acpRequest(input, 'createCheckoutSession');
    return sessionOutcome(await createSession(request, { ...rest, items }, owner, acpWriter(201, deps.value), deps.value));
  },
});
