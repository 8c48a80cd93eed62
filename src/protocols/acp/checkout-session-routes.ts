import * as z from 'zod';
import { agentIdOf } from '../../gateway/agents/api-key.ts';
import {
  type CheckoutDependencies,
  cancelSession,
  createSession,
  readSession,
  type SessionContent,
  type SessionResponse,
  updateSession,
  type WriteSession,
} from '../../gateway/commerce/cart/checkout-sessions.ts';
import { findOffer, payableCurrencies, payablePriceIn, payablePrices, unknownOffer } from '../../gateway/commerce/catalog/find-offer.ts';
import { completeSession } from '../../gateway/commerce/orders/complete-session.ts';
import type { KeyedRequest, KeyScope } from '../../gateway/idempotency/bind-idempotency-key.ts';
import { type FieldError, ok, type Result, refuse, withFurtherErrors } from '../../gateway/result.ts';
import { checkoutDependencies, sessionOutcome } from '../../http/checkout-dependencies.ts';
import {
  callerOf,
  defineRoute,
  jsonOutcome,
  jsonResponse,
  type Route,
  type RouteDeclaration,
  type RouteInput,
} from '../../http/define-route.ts';
import { jsonPath } from '../../http/validate-input.ts';
import { storedBuyer } from '../../schemas/commerce/orders.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { dayOf } from '../../schemas/time.ts';
import { ignoredNotes } from '../protocol-module.ts';
import {
  AcpCancelRequest,
  AcpCheckoutSession,
  AcpCompleteRequest,
  AcpCreateRequest,
  type AcpLineItem,
  type AcpMessage,
  AcpOrderWebhook,
  AcpUpdateRequest,
} from './acp-schemas.ts';
import { ACP_BINDING, ACP_CANCEL_BINDING, ACP_HEADERS, ACP_POST_HEADERS, ACP_SITE_BINDING } from './http-binding.ts';
import { ORDER_EVENT_HEADERS, orderWebhookSecret } from './order-event.ts';
import { ACP_HANDLER_ID, acpSession, CODES_SENT } from './write-session.ts';

const OPERATION = { capability: 'commerce', access: 'buy', protocol: ACP_BINDING, rateLimit: 'buy' } as const;

const SESSIONS = `${PATHS.acp}/checkout_sessions`;
const SESSION = `${SESSIONS}/{checkout_session_id}`;

const SessionPath = z.object({
  checkout_session_id: z.string().min(1).max(LIMITS.shortTextMaxLength).describe('Id of the session, from the response that opened it.'),
});
type SessionPath = z.infer<typeof SessionPath>;

function ownerOf(input: Pick<RouteInput<unknown, unknown, unknown>, 'caller'>): string {
  return agentIdOf(callerOf(input).key.payload);
}

interface SessionChange<Body> {
  readonly body: Body;
  /** Empty for the operation that opens a session. */
  readonly sessionId: string;
  readonly request: KeyedRequest;
  readonly owner: string;
  readonly agent: string;
  readonly write: WriteSession;
  readonly deps: CheckoutDependencies;
}

/** An operation that changes sessions. Idempotency keys belong to an agent, an operation and a session. */
function changeRoute<Body>(
  route: Pick<
    RouteDeclaration<SessionPath, undefined, Body>,
    'id' | 'path' | 'summary' | 'description' | 'body' | 'bodyOptional' | 'responses' | 'errors'
  > & { readonly protocol?: typeof ACP_BINDING },
  change: (request: SessionChange<Body>) => Promise<Result<SessionResponse>>,
): Route {
  const keyScope = (input: Pick<RouteInput<SessionPath | undefined, undefined, unknown>, 'caller' | 'path'>): KeyScope => {
    const sessionId = input.path?.checkout_session_id;
    return { caller: ownerOf(input), endpoint: sessionId === undefined ? route.id : `${route.id} ${sessionId}` };
  };
  return defineRoute<SessionPath | undefined, undefined, Body>({
    ...OPERATION,
    ...route,
    method: 'POST',
    ...(route.path === SESSIONS ? {} : { pathParameters: SessionPath }),
    headers: ACP_POST_HEADERS,
    keyScope,
    errors: [...(route.errors ?? []), 'request_in_flight', 'idempotency_conflict'],
    handle: async (input, dependencies) => {
      const deps = checkoutDependencies(dependencies, input);
      if (!deps.ok) return deps;
      const { deployment, clock } = deps.value;
      const nowMs = clock.nowMs();
      const status = route.responses[0]?.status === 201 ? 201 : 200;
      const remarks = ignoredNotes(route.body, AcpCheckoutSession, 'metadata', input.sentBody).map(
        ({ pointer, content }): AcpMessage => ({ type: 'info', param: jsonPath(pointer), content_type: 'plain', content }),
      );
      const changed = await change({
        body: input.body,
        sessionId: input.path?.checkout_session_id ?? '',
        request: { ...keyScope(input), idempotencyKey: input.idempotencyKey, sentBody: input.sentBody },
        owner: ownerOf(input),
        agent: callerOf(input).key.payload.agent,
        write: (session, order) => ({ status, body: JSON.stringify(acpSession(session, order, deployment, nowMs, remarks)) }),
        deps: deps.value,
      });
      return sessionOutcome(changed);
    },
  });
}

const createSessionRoute = changeRoute(
  {
    id: 'createCheckoutSession',
    path: SESSIONS,
    summary: 'Open a checkout session (Agentic Commerce Protocol)',
    description:
      'Opens a session for offers of the catalog, at catalog prices. Line items may have the form {"id"}, {"id","quantity"}, {"item":{"id"},"quantity"} or {"id","item":{"id"},"quantity"}. A price in the request that differs from the catalog is refused. The buyer pays at continue_url; if the session has a payment handler, the agent can pay with a shared payment token instead.',
    body: AcpCreateRequest,
    responses: [jsonResponse('The session.', AcpCheckoutSession, 201)],
    errors: ['offer_not_found', 'cart_refused', 'pass_exists', 'quota_exceeded'],
  },
  async ({ body, request, owner, agent, write, deps }) => {
    const content = acpContent(body, deps.deployment, dayOf(deps.clock.nowMs()));
    if (!content.ok) return content;
    const { items = [] } = content.value;
    return createSession(request, { ...content.value, items }, { owner, channel: 'acp', agent, holder: owner }, write, deps);
  },
);

const getSessionRoute = defineRoute({
  ...OPERATION,
  id: 'getCheckoutSession',
  path: SESSION,
  summary: 'Read a checkout session (Agentic Commerce Protocol)',
  description:
    'The current state of a session of the agent. Once the processor reports its payment, the session is completed and has an order. A session that nobody pays expires.',
  headers: ACP_HEADERS,
  pathParameters: SessionPath,
  responses: [jsonResponse('The session.', AcpCheckoutSession)],
  errors: ['session_not_found'],
  handle: async (input, dependencies) => {
    const deps = checkoutDependencies(dependencies, input);
    if (!deps.ok) return deps;
    const read = await readSession(input.path.checkout_session_id, ownerOf(input), deps.value);
    if (!read.ok) return read;
    const { session, order } = read.value;
    return jsonOutcome(ok(acpSession(session, order, deps.value.deployment, deps.value.clock.nowMs())));
  },
});

const updateSessionRoute = changeRoute(
  {
    id: 'updateCheckoutSession',
    path: SESSION,
    summary: 'Change a checkout session (Agentic Commerce Protocol)',
    description:
      'Changes items, buyer or the address for events; omitted members keep their values. New line items replace all earlier ones, at current catalog prices.',
    body: AcpUpdateRequest,
    responses: [jsonResponse('The changed session.', AcpCheckoutSession)],
    errors: ['session_not_found', 'offer_not_found', 'cart_refused', 'session_closed'],
  },
  async ({ body, sessionId, request, owner, write, deps }) => {
    const content = acpContent(body, deps.deployment, dayOf(deps.clock.nowMs()));
    return content.ok ? updateSession(request, sessionId, content.value, owner, write, deps) : content;
  },
);

const completeSessionRoute = changeRoute(
  {
    id: 'completeCheckoutSession',
    path: `${SESSION}/complete`,
    summary: 'Pay a checkout session (Agentic Commerce Protocol)',
    description:
      'Pays with a shared payment token for the payment handler that the session names, and returns the session with its order. A session without a handler is paid by its buyer at continue_url, and this operation refuses it. A declined payment leaves the session open.',
    body: AcpCompleteRequest,
    responses: [jsonResponse('The completed session with its order.', AcpCheckoutSession)],
    errors: ['payment_unsupported', 'payment_declined', 'pass_exists', 'session_not_found', 'session_closed', 'processor_unavailable'],
  },
  async ({ body: { payment_data, buyer }, sessionId, request: { idempotencyKey, ...request }, owner, write, deps }) => {
    if (idempotencyKey === undefined) throw new TypeError('a payment needs an Idempotency-Key');
    // Without a merchant account, no session has a handler for tokens.
    const isOfHandler = deps.deployment.commerce.merchantId !== undefined && payment_data.handler_id === ACP_HANDLER_ID;
    const credential = payment_data.instrument?.credential;
    const token = isOfHandler && credential?.type === 'spt' ? credential.token : undefined;
    return completeSession({ ...request, idempotencyKey, buyer: buyer && storedBuyer(buyer) }, sessionId, token, owner, write, deps);
  },
);

const cancelSessionRoute = changeRoute(
  {
    id: 'cancelCheckoutSession',
    path: `${SESSION}/cancel`,
    summary: 'Cancel a checkout session (Agentic Commerce Protocol)',
    description:
      'Cancels a session. A completed, canceled or expired session is refused with 405. The reason (intent_trace) is accepted and not stored.',
    protocol: ACP_CANCEL_BINDING,
    body: AcpCancelRequest,
    bodyOptional: true,
    responses: [jsonResponse('The canceled session.', AcpCheckoutSession)],
    errors: ['session_not_found', 'session_closed'],
  },
  async ({ sessionId, request, owner, write, deps }) => {
    const canceled = await cancelSession(request, sessionId, owner, write, deps);
    if (canceled.ok || canceled.refusal.code !== 'session_closed') return canceled;
    // A response 405 lists the methods of the address (RFC 9110 section 15.5.6): none would change this session.
    return { ok: false, refusal: { ...canceled.refusal, headers: { Allow: 'OPTIONS' } } };
  },
);

const getOrderWebhookRoute = defineRoute({
  ...OPERATION,
  id: 'getOrderWebhook',
  path: `${PATHS.acp}/order_webhook`,
  summary: 'Read how order webhooks are sent',
  description:
    'How an agent names the address for the events of its orders (order_create, order_update), which hosts are allowed, and the secret that signs the events for this agent. The protocol leaves this to an agreement between agent and merchant, so this operation is specific to this site.',
  protocol: ACP_SITE_BINDING,
  responses: [jsonResponse('How webhooks are sent and signed.', AcpOrderWebhook)],
  needs: ['secrets'],
  handle: async (input, { secrets, deployment: { commerce } }) =>
    jsonOutcome(ok(describeOrderWebhook(commerce.webhookHosts, await orderWebhookSecret(ownerOf(input), secrets[0])))),
});

export function describeOrderWebhook(hosts: readonly string[], secret: string): AcpOrderWebhook {
  return {
    object: 'order_webhook',
    request_member: 'metadata.order_webhook_url',
    allowed_hosts: [...hosts],
    signature_header: 'Merchant-Signature',
    headers: [...ORDER_EVENT_HEADERS],
    signing_secret: secret,
  };
}

export const ACP_ROUTES: readonly Route[] = [
  createSessionRoute,
  getSessionRoute,
  updateSessionRoute,
  completeSessionRoute,
  cancelSessionRoute,
  getOrderWebhookRoute,
];

type Settings = Pick<Deployment, 'baseUrl' | 'commerce' | 'offers'>;

/**
 * The session content that a request asks for, or all that is wrong with it. A price in the request is never used. One that differs from the
 * catalog is refused, because the caller may have shown it to a buyer.
 */
export function acpContent(body: AcpUpdateRequest, settings: Settings, today: string): Result<SessionContent> {
  const currency = body.currency?.toUpperCase();
  const sold = payableCurrencies(settings);
  const isSold = currency === undefined || sold.includes(currency);
  const member = body.line_items === undefined ? 'items' : 'line_items';
  const sent = body.line_items ?? body.items;
  const items = sent?.map((item, index) => ({ id: offerIdOf(item), quantity: item.quantity ?? 1, pointer: `/${member}/${index}` }));
  const notifyUrl = acpNotifyUrl(body, settings);
  const refusals = [
    body.line_items !== undefined && body.items !== undefined
      ? refuse('invalid_request', 'The body has both "line_items" and "items", its earlier name. Send one of them.', {
          errors: [{ pointer: '/items', message: 'duplicates line_items' }],
        })
      : undefined,
    isSold ? undefined : refuseMember('/currency', `must be ${sold.map((code) => code.toLowerCase()).join(' or ')}`, 'The currency'),
    isSold ? refusePrices(sent ?? [], member, currency, settings, today) : undefined,
    notifyUrl.ok ? undefined : notifyUrl,
  ].filter((refused) => refused !== undefined);
  const [first, ...others] = refusals.map(({ refusal }) => refusal);
  if (first !== undefined) {
    const unknown = (items ?? []).filter(({ id }) => findOffer(settings.offers, id, today) === undefined);
    const faults = [
      ...others.flatMap(({ errors = [] }) => errors),
      ...unknown.map(({ id, pointer }) => unknownOffer(id, pointer, settings.offers)),
    ];
    return { ok: false, refusal: withFurtherErrors(first, faults) };
  }
  const codes = [...(body.coupons ?? []), ...(body.discounts?.codes ?? [])];
  return ok({
    items,
    currency,
    buyer: body.buyer && storedBuyer(body.buyer),
    notifyUrl: notifyUrl.ok ? notifyUrl.value : undefined,
    details: codes.length > 0 ? { [CODES_SENT]: true } : undefined,
  });
}

function refusePrices(sent: readonly AcpLineItem[], member: string, currency: string | undefined, settings: Settings, today: string) {
  const errors = sent.flatMap((item, index) => faultyPrices(item, `/${member}/${index}`, currency, settings, today));
  const [first] = errors;
  return first === undefined
    ? undefined
    : refuse('invalid_request', `A price in the request differs from the catalog: ${first.pointer} ${first.message}.`, { errors });
}

function offerIdOf({ id, item }: AcpLineItem): string {
  return item?.id ?? id ?? '';
}

/** @param currency Currency of the request; without one, the session has a currency, and any price of the catalog is accepted. */
function faultyPrices(sent: AcpLineItem, pointer: string, currency: string | undefined, settings: Settings, today: string): FieldError[] {
  const { offers, commerce } = settings;
  const offer = findOffer(offers, offerIdOf(sent), today);
  if (offer === undefined) return [];
  const payable = currency === undefined ? payablePrices(offer, commerce) : [payablePriceIn(offer, currency, commerce)];
  const prices = payable.flatMap((price) => price?.amountMinor ?? []);
  // An offer without a price in the currency is refused with the cart.
  if (prices.length === 0) return [];
  const message = `must be ${prices.join(' or ')}, the catalog price`;
  const quoted = { unit_amount: sent.unit_amount, 'item/unit_amount': sent.item?.unit_amount };
  return Object.entries(quoted).flatMap(([member, amount]) =>
    amount === undefined || prices.includes(amount) ? [] : [{ pointer: `${pointer}/${member}`, message }],
  );
}

/** The address for events of the order: https on an allowed host; http only if the deployment itself is on a loopback address. */
function acpNotifyUrl({ metadata }: Pick<AcpUpdateRequest, 'metadata'>, { baseUrl, commerce }: Settings): Result<string | undefined> {
  const text = metadata?.order_webhook_url;
  if (text === undefined) return ok(undefined);
  const faulty = (message: string) => refuseMember('/metadata/order_webhook_url', message, 'The address for events');
  if (!/^https?:\/\/[\x21-\x5b\x5d-\x7e]+$/.test(text) || !URL.canParse(text)) return faulty('must be an https URL in ASCII');
  const url = new URL(text);
  if (url.protocol !== 'https:' && !baseUrl.startsWith('http://')) return faulty('must begin with https://');
  if (url.username !== '' || url.password !== '' || url.hash !== '') return faulty('must have no user, password or fragment');
  if (!commerce.webhookHosts.includes(url.host))
    return faulty(`must be on a host that the publisher allows; GET ${PATHS.acp}/order_webhook lists them`);
  return ok(url.href);
}

function refuseMember(pointer: string, message: string, subject: string) {
  return refuse('invalid_request', `${subject} ${message}.`, { errors: [{ pointer, message }] });
}
