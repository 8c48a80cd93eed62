import * as z from 'zod';
import { agentIdOf } from '../../gateway/agents/api-key.ts';
import type { SessionResponse, WriteSession } from '../../gateway/commerce/sessions/change-session.ts';
import {
  type CheckoutDependencies,
  cancelSession,
  createSession,
  dayOf,
  readSession,
  updateSession,
} from '../../gateway/commerce/sessions/checkout-sessions.ts';
import { completeSession } from '../../gateway/commerce/sessions/complete-session.ts';
import type { KeyedRequest, KeyScope } from '../../gateway/idempotency/bind-idempotency-key.ts';
import { ok, type Result, refuse } from '../../gateway/result.ts';
import { checkoutDependencies, sessionOutcome } from '../../http/checkout-dependencies.ts';
import { callerOf, defineRoute, type Route, type RouteInput, type RouteResponse } from '../../http/define-route.ts';
import type { Protocol } from '../../http/protocol.ts';
import { keptBuyer } from '../../schemas/commerce/orders.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { ACP_BINDING, ACP_CANCEL_BINDING, ACP_HEADERS, ACP_POST_HEADERS, ACP_SITE_BINDING } from './http-binding.ts';
import { ORDER_EVENT_HEADERS, orderWebhookSecret } from './order-event.ts';
import { acpContent } from './read-content.ts';
import { AcpCancelRequest, AcpCompleteRequest, AcpCreateRequest, AcpUpdateRequest } from './schemas/requests.ts';
import { AcpCheckoutSession, AcpOrderWebhook } from './schemas/responses.ts';
import { ACP_HANDLER_ID, acpSession } from './write-session.ts';

/** What all operations share. */
const OPERATION = { capability: 'commerce', access: 'buy', servedBy: 'function', edge: true, rateLimit: 'buy', cache: 'no-store' } as const;

const SESSIONS = `${PATHS.acp}/checkout_sessions`;
const ONE_SESSION = `${SESSIONS}/{checkout_session_id}`;

const SessionPath = z.object({
  checkout_session_id: z.string().min(1).max(LIMITS.shortTextMaxLength).describe('Id of the session, from the response that opened it.'),
});
type SessionPath = z.infer<typeof SessionPath>;

/** Owner of the sessions of the caller: its agent. */
function ownerOf(input: Pick<RouteInput<unknown, unknown, unknown>, 'caller'>): string {
  return agentIdOf(callerOf(input).key.payload);
}

function sessionResponse(status: 200 | 201, description: string): RouteResponse {
  return { status, description, content: { type: 'application/json', schema: AcpCheckoutSession } };
}

/** What a change of a session works with. */
interface ChangeContext {
  readonly request: KeyedRequest;
  readonly owner: string;
  readonly write: WriteSession;
  readonly deps: CheckoutDependencies;
}

/** An operation that changes sessions. Idempotency keys belong to an agent, an operation and a session. */
function changeRoute<Path extends SessionPath | undefined, Body>(
  route: Omit<Route<Path, undefined, Body>, keyof typeof OPERATION | 'method' | 'protocol' | 'headers' | 'keyScope' | 'handle'> & {
    readonly protocol?: Protocol;
  },
  change: (input: RouteInput<Path, undefined, Body>, context: ChangeContext) => Promise<Result<SessionResponse>>,
): Route {
  const keyScope = (input: Pick<RouteInput<Path, undefined, unknown>, 'caller' | 'path'>): KeyScope => {
    const sessionId = input.path?.checkout_session_id;
    return { caller: ownerOf(input), endpoint: sessionId === undefined ? route.id : `${route.id} ${sessionId}` };
  };
  return defineRoute<Path, undefined, Body>({
    protocol: ACP_BINDING,
    ...OPERATION,
    ...route,
    method: 'POST',
    headers: ACP_POST_HEADERS,
    keyScope,
    handle: async (input, dependencies) => {
      const deps = checkoutDependencies(dependencies, input);
      if (!deps.ok) return deps;
      const { deployment, clock } = deps.value;
      const nowMs = clock.nowMs();
      const status = route.responses[0]?.status === 201 ? 201 : 200;
      const write: WriteSession = (session, order) => ({
        status,
        body: JSON.stringify(acpSession(session, order, deployment, nowMs)),
      });
      const request = { ...keyScope(input), idempotencyKey: input.idempotencyKey, sentBody: input.sentBody };
      return sessionOutcome(await change(input, { request, owner: ownerOf(input), write, deps: deps.value }));
    },
  });
}

const createSessionRoute = changeRoute<undefined, AcpCreateRequest>(
  {
    id: 'createCheckoutSession',
    path: SESSIONS,
    summary: 'Open a checkout session (Agentic Commerce Protocol)',
    description:
      'Opens a session for offers of the catalog, at the prices of the catalog. Line items may have the form {"id"}, {"id","quantity"}, {"item":{"id"},"quantity"} or {"id","item":{"id"},"quantity"}. A price in the request that differs from the catalog is refused. The buyer pays at continue_url; where the session has a payment handler, the agent can pay with a shared payment token instead.',
    body: AcpCreateRequest,
    responses: [sessionResponse(201, 'The session.')],
    errors: ['offer_not_found', 'cart_refused', 'request_in_flight', 'idempotency_conflict', 'quota_exceeded'],
  },
  async (input, { request, owner, write, deps }) => {
    const content = acpContent(input.body, deps.deployment, dayOf(deps.clock.nowMs()));
    if (!content.ok) return content;
    const { items = [], ...rest } = content.value;
    const by = { owner, channel: 'acp', agent: callerOf(input).key.payload.agent } as const;
    return createSession(request, { ...rest, items }, by, write, deps);
  },
);

const getSessionRoute = defineRoute<SessionPath>({
  ...OPERATION,
  id: 'getCheckoutSession',
  method: 'GET',
  path: ONE_SESSION,
  summary: 'Read a checkout session (Agentic Commerce Protocol)',
  description:
    'The current state of a session of the agent. Once the processor reports its payment, the session is completed and has its order. A session that nobody pays expires.',
  protocol: ACP_BINDING,
  headers: ACP_HEADERS,
  pathParameters: SessionPath,
  responses: [sessionResponse(200, 'The session.')],
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

const updateSessionRoute = changeRoute<SessionPath, AcpUpdateRequest>(
  {
    id: 'updateCheckoutSession',
    path: ONE_SESSION,
    summary: 'Change a checkout session (Agentic Commerce Protocol)',
    description:
      'Changes what is bought, who buys or where events go; what is left out stays. New line items replace all earlier ones, at the current prices of the catalog.',
    pathParameters: SessionPath,
    body: AcpUpdateRequest,
    responses: [sessionResponse(200, 'The session as it is now.')],
    errors: ['session_not_found', 'offer_not_found', 'cart_refused', 'session_closed', 'request_in_flight', 'idempotency_conflict'],
  },
  async ({ body, path }, { request, owner, write, deps }) => {
    const content = acpContent(body, deps.deployment, dayOf(deps.clock.nowMs()));
    return content.ok ? updateSession(request, path.checkout_session_id, content.value, owner, write, deps) : content;
  },
);

const completeSessionRoute = changeRoute<SessionPath, AcpCompleteRequest>(
  {
    id: 'completeCheckoutSession',
    path: `${ONE_SESSION}/complete`,
    summary: 'Pay a checkout session (Agentic Commerce Protocol)',
    description:
      'Pays with a shared payment token for the payment handler that the session names, and returns the session with its order. A session without a handler is paid by its buyer at continue_url, and this operation refuses it. A declined payment leaves the session open.',
    pathParameters: SessionPath,
    body: AcpCompleteRequest,
    responses: [sessionResponse(200, 'The completed session with its order.')],
    errors: [
      'payment_unsupported',
      'payment_declined',
      'session_not_found',
      'session_closed',
      'request_in_flight',
      'idempotency_conflict',
      'processor_unavailable',
    ],
  },
  async ({ body, path }, { request: { idempotencyKey, ...request }, owner, write, deps }) => {
    if (idempotencyKey === undefined) throw new TypeError('a request of the protocol came without an Idempotency-Key');
    const { payment_data, buyer } = body;
    // Without a merchant account, no session has a handler for tokens.
    const token = deps.deployment.commerce.merchantId === undefined ? undefined : tokenOf(payment_data);
    const completion = { ...request, idempotencyKey, buyer: buyer && keptBuyer(buyer) };
    return completeSession(completion, path.checkout_session_id, token, owner, write, deps);
  },
);

/** The shared payment token of a request, if it is for the handler that sessions name. */
function tokenOf({ handler_id, instrument }: AcpCompleteRequest['payment_data']): string | undefined {
  const credential = instrument?.credential;
  return handler_id === ACP_HANDLER_ID && credential?.type === 'spt' ? credential.token : undefined;
}

const cancelSessionRoute = changeRoute<SessionPath, AcpCancelRequest>(
  {
    id: 'cancelCheckoutSession',
    path: `${ONE_SESSION}/cancel`,
    summary: 'Cancel a checkout session (Agentic Commerce Protocol)',
    description:
      'Cancels a session. A completed, canceled or expired session is refused with 405. The reason (intent_trace) is accepted and not kept.',
    protocol: ACP_CANCEL_BINDING,
    pathParameters: SessionPath,
    body: AcpCancelRequest,
    bodyOptional: true,
    responses: [sessionResponse(200, 'The canceled session.')],
    errors: ['session_not_found', 'session_closed', 'request_in_flight', 'idempotency_conflict'],
  },
  async ({ path }, { request, owner, write, deps }) => {
    const canceled = await cancelSession(request, path.checkout_session_id, owner, write, deps);
    if (canceled.ok || canceled.refusal.code !== 'session_closed') return canceled;
    // A response 405 lists the methods of the address (RFC 9110 section 15.5.6): none would change this session.
    return { ok: false, refusal: { ...canceled.refusal, headers: { Allow: 'OPTIONS' } } };
  },
);

const getOrderWebhookRoute = defineRoute({
  ...OPERATION,
  id: 'getOrderWebhook',
  method: 'GET',
  path: `${PATHS.acp}/order_webhook`,
  summary: 'Read how order webhooks are sent',
  description:
    'Where an agent names the address for the events of its orders (order_create, order_update), on which hosts it may be, and the secret that signs the events for this agent. The protocol leaves this to an agreement between the two sides, so this operation belongs to this site and not to the protocol.',
  protocol: ACP_SITE_BINDING,
  responses: [
    { status: 200, description: 'How webhooks are sent and signed.', content: { type: 'application/json', schema: AcpOrderWebhook } },
  ],
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
  createSessionRoute,
  getSessionRoute,
  updateSessionRoute,
  completeSessionRoute,
  cancelSessionRoute,
  getOrderWebhookRoute,
];
