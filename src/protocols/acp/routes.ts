import * as z from 'zod';
import { agentIdOf } from '../../gateway/agents/issued-key.ts';
import type { WriteSession } from '../../gateway/commerce/sessions/change-session.ts';
import {
  type CheckoutDependencies,
  cancelSession,
  createSession,
  dayOf,
  readSession,
  updateSession,
} from '../../gateway/commerce/sessions/checkout-sessions.ts';
import { completeSession } from '../../gateway/commerce/sessions/complete-session.ts';
import type { KeyScope, KeyedRequest } from '../../gateway/idempotency/bind-key.ts';
import { ok, refuse } from '../../gateway/result.ts';
import { checkoutDependencies, sessionOutcome } from '../../http/checkout-dependencies.ts';
import { type Route, type RouteInput, callerOf, defineRoute } from '../../http/define-route.ts';
import { ACP_BINDING, ACP_CANCEL_BINDING, ACP_HEADERS, ACP_POST_HEADERS, ACP_SITE_BINDING } from './http-binding.ts';
import { ORDER_EVENT_HEADERS, orderWebhookSecret } from './order-event.ts';
import { AcpCheckoutSession, AcpOrderWebhook } from './schemas/checkout-session.ts';
import { AcpCancelRequest, AcpCompleteRequest, AcpCreateRequest, AcpUpdateRequest } from './schemas/requests.ts';
import { acpContent } from './session-content.ts';
import { ACP_HANDLER_ID, acpSession } from './session.ts';
import { keptBuyer } from '../../schemas/commerce/buyer.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';

/** What every operation of the protocol shares. */
export const ACP_OPERATION = {
  capability: 'commerce',
  access: 'buy',
  servedBy: 'function',
  edge: true,
  rateLimit: 'buy',
  cache: 'no-store',
} as const;

/** Path parameters of operations on one session. */
export const AcpSessionPath = z.object({
  checkout_session_id: z
    .string()
    .min(1)
    .max(LIMITS.shortTextMaxLength)
    .describe('Id of the session, as it was answered when it was opened.'),
});
export type AcpSessionPath = z.infer<typeof AcpSessionPath>;

/** A request of an agent with the key that makes it safe to repeat. */
export interface AcpRequest extends KeyedRequest {
  readonly idempotencyKey: string;
}

/**
 * Idempotency keys belong to an agent, an operation and a session.
 *
 * @param operation Id of the operation.
 */
export function acpKeyScope(operation: string) {
  return (input: Pick<RouteInput<unknown, unknown, unknown>, 'caller' | 'path'>): KeyScope => {
    const sessionId = (input.path as Partial<AcpSessionPath> | undefined)?.checkout_session_id;
    return { caller: ownerOf(input), endpoint: sessionId === undefined ? operation : `${operation} ${sessionId}` };
  };
}

/** The request as the order engine sees it. */
export function acpRequest(input: RouteInput<unknown, unknown, unknown>, operation: string): AcpRequest {
  const { idempotencyKey, sentBody } = input;
  if (idempotencyKey === undefined) throw new TypeError('a request of the protocol came without an Idempotency-Key');
  return { ...acpKeyScope(operation)(input), idempotencyKey, sentBody };
}

/** Owner of the sessions of the caller: its agent. */
export function ownerOf(input: Pick<RouteInput<unknown, unknown, unknown>, 'caller'>): string {
  return agentIdOf(callerOf(input).key.payload);
}

/** Writes sessions as the protocol does. */
export function acpWriter(status: 200 | 201, { deployment, clock }: Pick<CheckoutDependencies, 'deployment' | 'clock'>): WriteSession {
  const nowMs = clock.nowMs();
  return (session, order) => ({ status, body: JSON.stringify(acpSession(session, order, deployment, nowMs)) });
}

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

export const getOrderWebhookRoute = defineRoute({
  ...ACP_OPERATION,
  id: 'getOrderWebhook',
  method: 'GET',
  path: `${PATHS.acp}/order_webhook`,
  summary: 'Read how events of orders are sent',
  description:
    'Where an agent names the address that gets events of its orders (order_create, order_update), on which hosts it may be, and the secret with which events for this agent are signed. The protocol leaves this to agreement between the two sides, so this operation is of this site and not of the protocol.',
  protocol: ACP_SITE_BINDING,
  responses: [{ status: 200, description: 'What an agent needs to know.', content: { type: 'application/json', schema: AcpOrderWebhook } }],
  errors: [],
  handle: async (input, { secrets, deployment }) => {
    if ('missing' in secrets) return refuse('not_configured', secrets.missing);
    const value: AcpOrderWebhook = {
      object: 'order_webhook',
      request_member: 'metadata.order_webhook_url',
      allowed_hosts: [...deployment.commerce.webhookHosts],
      signature_header: 'Merchant-Signature',
      headers: [...ORDER_EVENT_HEADERS],
      signing_secret: await orderWebhookSecret(ownerOf(input), secrets[0]),
    };
    return ok({ kind: 'json', status: 200, value });
  },
});

/** Operations of the Agentic Commerce Protocol, in the order of the documentation. */
export const ACP_ROUTES: readonly Route[] = [
  createAcpSessionRoute,
  getAcpSessionRoute,
  updateAcpSessionRoute,
  completeAcpSessionRoute,
  cancelAcpSessionRoute,
  getOrderWebhookRoute,
];
