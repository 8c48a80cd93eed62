import * as z from 'zod';
import type { SessionResponse } from '../../gateway/commerce/sessions/change-session.ts';
import type { CheckoutDependencies } from '../../gateway/commerce/sessions/checkout-sessions.ts';
import type { KeyScope } from '../../gateway/idempotency/bind-idempotency-key.ts';
import { ok, type Result } from '../../gateway/result.ts';
import { checkoutDependencies, sessionOutcome } from '../../http/checkout-dependencies.ts';
import { defineRoute, type Outcome, type Route, type RouteInput, type RouteResponse } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { lookUpCatalog, productOf, searchCatalog, ucpCatalog } from './catalog.ts';
import {
  cancelUcpCheckout,
  completeUcpCheckout,
  createUcpCheckout,
  readUcpCheckout,
  type UcpChange,
  type UcpRequest,
  ucpKeyScope,
  updateUcpCheckout,
} from './checkouts.ts';
import { profileOfHeader, UCP_BINDING, UCP_CHANGE_HEADERS, UCP_HEADERS } from './http-binding.ts';
import {
  UcpLookupRequest,
  UcpLookupResponse,
  UcpProductRequest,
  UcpProductResponse,
  UcpSearchRequest,
  UcpSearchResponse,
} from './schemas/catalog.ts';
import { UcpCheckoutRequest, UcpCheckoutResponse, UcpCompleteRequest, UcpNothing } from './schemas/checkout.ts';
import { callUcpToolRoute } from './tools.ts';

/** Handler of an operation on sessions: gathers what it needs of the request and the deployment, or says why it cannot go on. */
function onSessions<Path, Body>(
  run: (input: RouteInput<Path, undefined, Body>, request: UcpRequest, deps: CheckoutDependencies) => Promise<Result<SessionResponse>>,
): (input: RouteInput<Path, undefined, Body>, deps: GatewayDependencies) => Promise<Result<Outcome>> {
  return async (input, deps) => {
    const { headers, idempotencyKey, sentBody } = input;
    const profile = profileOfHeader(headers['ucp-agent']);
    if (!profile.ok) return profile;
    const checkout = checkoutDependencies(deps, input);
    if (!checkout.ok) return checkout;
    return sessionOutcome(await run(input, { profile: profile.value, idempotencyKey, sentBody }, checkout.value));
  };
}

/** Response with a checkout, or with the reason why there is none. */
function checkoutResponse(description: string): RouteResponse {
  return { status: 200, description, content: { type: 'application/json', schema: UcpCheckoutResponse } };
}

/** What the operations on the catalog have in common. */
const CATALOG_OPERATION = {
  method: 'POST',
  capability: 'commerce',
  access: 'open',
  servedBy: 'function',
  edge: true,
  headers: UCP_HEADERS,
  protocol: UCP_BINDING,
  rateLimit: 'buy',
  cache: 'no-store',
} as const;

const searchUcpCatalogRoute = defineRoute<undefined, undefined, UcpSearchRequest>({
  ...CATALOG_OPERATION,
  id: 'searchUcpCatalog',
  path: `${PATHS.ucp}/catalog/search`,
  summary: 'Search the offers (UCP)',
  description:
    'Offers that contain words of the query: those with most of its words first, then those with words in their name. Filters by category and price. The same query over the same catalog returns the same result.',
  body: UcpSearchRequest,
  responses: [{ status: 200, description: 'A page of offers.', content: { type: 'application/json', schema: UcpSearchResponse } }],
  errors: ['invalid_cursor'],
  handle: async ({ body }, deps) => {
    const found = await searchCatalog(body, ucpCatalog(deps));
    return found.ok ? ok({ kind: 'json', status: 200, value: found.value }) : found;
  },
});

const getUcpProductsRoute = defineRoute<undefined, undefined, UcpLookupRequest>({
  ...CATALOG_OPERATION,
  id: 'getUcpProducts',
  path: `${PATHS.ucp}/catalog/lookup`,
  summary: 'Look offers up by their ids (UCP)',
  description: 'The offers with the given ids or aliases. Messages name unknown ids.',
  body: UcpLookupRequest,
  responses: [
    { status: 200, description: 'The offers that were found.', content: { type: 'application/json', schema: UcpLookupResponse } },
  ],
  errors: [],
  handle: async ({ body }, deps) => {
    const found = lookUpCatalog(body, ucpCatalog(deps));
    return found.ok ? ok({ kind: 'json', status: 200, value: found.value }) : found;
  },
});

const getUcpProductRoute = defineRoute<undefined, undefined, UcpProductRequest>({
  ...CATALOG_OPERATION,
  id: 'getUcpProduct',
  path: `${PATHS.ucp}/catalog/product`,
  summary: 'Read one offer (UCP)',
  description: 'One offer with its price. If there is none, the status in the response is error.',
  body: UcpProductRequest,
  responses: [
    {
      status: 200,
      description: 'The offer, or the message that there is none.',
      content: { type: 'application/json', schema: UcpProductResponse },
    },
  ],
  errors: [],
  handle: async ({ body }, deps) => ok({ kind: 'json', status: 200, value: productOf(body, ucpCatalog(deps)) }),
});

const CheckoutPath = z.object({
  id: z.string().min(1).max(LIMITS.shortTextMaxLength).describe('Id of the session, from the response that opened it.'),
});
type CheckoutPath = z.infer<typeof CheckoutPath>;

/** What the operations on sessions have in common. */
const SESSION_OPERATION = {
  capability: 'commerce',
  access: 'open',
  servedBy: 'function',
  edge: true,
  protocol: UCP_BINDING,
  rateLimit: 'buy',
  cache: 'no-store',
} as const;

/** Errors of what changes a session that is there. */
const CHANGE_ERRORS = ['session_closed', 'request_in_flight', 'idempotency_conflict', 'not_configured', 'state_unavailable'] as const;
/** Idempotency keys belong to a platform, an operation and a session. */
function keysOf(change: UcpChange) {
  return async ({
    path,
    headers,
  }: Pick<RouteInput<CheckoutPath | undefined, undefined, unknown>, 'path' | 'headers'>): Promise<KeyScope> => {
    const profile = profileOfHeader(headers['ucp-agent']);
    if (!profile.ok) throw new TypeError('a request of the protocol came without a profile');
    return ucpKeyScope(change, path?.id, profile.value);
  };
}

const SESSIONS = `${PATHS.ucp}/checkout-sessions`;

const createUcpCheckoutRoute = defineRoute<undefined, undefined, UcpCheckoutRequest>({
  ...SESSION_OPERATION,
  id: 'createUcpCheckout',
  method: 'POST',
  path: SESSIONS,
  summary: 'Open a checkout (UCP)',
  description:
    'Opens a session at the prices of the catalog. A person pays at its continue_url, which completes the session. If the items cannot be sold in one session, the response is 200 with the reason and a page with the alternatives.',
  headers: UCP_CHANGE_HEADERS,
  keyScope: keysOf('create'),
  body: UcpCheckoutRequest,
  responses: [
    { status: 201, description: 'The session.', content: { type: 'application/json', schema: UcpCheckoutResponse } },
    checkoutResponse('Why there is no session.'),
  ],
  errors: ['request_in_flight', 'idempotency_conflict', 'quota_exceeded', 'not_configured', 'state_unavailable'],
  handle: onSessions(({ body }, request, deps) => createUcpCheckout(body, request, deps)),
});

const getUcpCheckoutRoute = defineRoute<CheckoutPath>({
  ...SESSION_OPERATION,
  id: 'getUcpCheckout',
  method: 'GET',
  path: `${SESSIONS}/{id}`,
  summary: 'Read a checkout (UCP)',
  description: 'The current state of a session: open, completed with its order, canceled or expired.',
  headers: UCP_HEADERS,
  pathParameters: CheckoutPath,
  responses: [checkoutResponse('The session, or the message that there is none.')],
  errors: ['not_configured', 'state_unavailable'],
  handle: onSessions(({ path }, _request, deps) => readUcpCheckout(path.id, deps)),
});

const updateUcpCheckoutRoute = defineRoute<CheckoutPath, undefined, UcpCheckoutRequest>({
  ...SESSION_OPERATION,
  id: 'updateUcpCheckout',
  method: 'PUT',
  path: `${SESSIONS}/{id}`,
  summary: 'Change a checkout (UCP)',
  description:
    'Replaces the whole content of the session. If the new content cannot be sold, the response is the unchanged session with the status error and the reason.',
  headers: UCP_CHANGE_HEADERS,
  keyScope: keysOf('update'),
  pathParameters: CheckoutPath,
  body: UcpCheckoutRequest,
  responses: [checkoutResponse('The changed session, or the unchanged one with the reason.')],
  errors: CHANGE_ERRORS,
  handle: onSessions(({ path, body }, request, deps) => updateUcpCheckout(path.id, body, request, deps)),
});

const completeUcpCheckoutRoute = defineRoute<CheckoutPath, undefined, UcpCompleteRequest>({
  ...SESSION_OPERATION,
  id: 'completeUcpCheckout',
  method: 'POST',
  path: `${SESSIONS}/{id}/complete`,
  summary: 'Ask to complete a checkout (UCP)',
  description:
    'No payment instrument is accepted, because the profile names no payment handler. The response says so, and a person still pays at continue_url.',
  headers: UCP_CHANGE_HEADERS,
  keyScope: keysOf('complete'),
  pathParameters: CheckoutPath,
  body: UcpCompleteRequest,
  bodyOptional: true,
  responses: [checkoutResponse('The session, which a person pays.')],
  errors: CHANGE_ERRORS,
  handle: onSessions(({ path }, request, deps) => completeUcpCheckout(path.id, request, deps)),
});

const cancelUcpCheckoutRoute = defineRoute<CheckoutPath, undefined, Record<string, unknown>>({
  ...SESSION_OPERATION,
  id: 'cancelUcpCheckout',
  method: 'POST',
  path: `${SESSIONS}/{id}/cancel`,
  summary: 'Cancel a checkout (UCP)',
  description: 'Cancels an unpaid session.',
  headers: UCP_CHANGE_HEADERS,
  keyScope: keysOf('cancel'),
  pathParameters: CheckoutPath,
  body: UcpNothing,
  bodyOptional: true,
  responses: [checkoutResponse('The session, canceled.')],
  errors: CHANGE_ERRORS,
  handle: onSessions(({ path }, request, deps) => cancelUcpCheckout(path.id, request, deps)),
});

/** Operations of the Universal Commerce Protocol, in the order of the documentation. */
export const UCP_ROUTES: readonly Route[] = [
  searchUcpCatalogRoute,
  getUcpProductsRoute,
  getUcpProductRoute,
  createUcpCheckoutRoute,
  getUcpCheckoutRoute,
  updateUcpCheckoutRoute,
  completeUcpCheckoutRoute,
  cancelUcpCheckoutRoute,
  callUcpToolRoute,
];
