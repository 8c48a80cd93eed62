import * as z from 'zod';
import type { CheckoutDependencies, SessionResponse } from '../../gateway/commerce/cart/checkout-sessions.ts';
import { bindRefusedKey } from '../../gateway/idempotency/bind-idempotency-key.ts';
import { expectValue, ok, type Result } from '../../gateway/result.ts';
import { checkoutDependencies, sessionOutcome } from '../../http/checkout-dependencies.ts';
import { defineRoute, jsonOutcome, jsonResponse, type Route, type RouteInput, type RouteResponse } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { validateInput } from '../../http/validate-input.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { ToolCaller } from '../mcp/mcp-route.ts';
import { lookUpCatalog, productOf, searchCatalog, type UcpCatalog, ucpCatalog } from './catalog.ts';
import {
  cancelUcpCheckout,
  completeUcpCheckout,
  createUcpCheckout,
  keyedRequest,
  readUcpCheckout,
  type UcpChange,
  type UcpRequest,
  ucpKeyScope,
  updateUcpCheckout,
} from './checkouts.ts';
import { profileOfHeader, UCP_BINDING, UCP_CHANGE_HEADERS, UCP_HEADERS, ucpError } from './http-binding.ts';
import {
  UcpCheckoutRequest,
  UcpCheckoutResponse,
  UcpCompleteRequest,
  UcpLookupRequest,
  UcpLookupResponse,
  UcpNothing,
  UcpProductRequest,
  UcpProductResponse,
  UcpSearchRequest,
  UcpSearchResponse,
} from './ucp-schemas.ts';

export interface UcpTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly isReading: boolean;
  /** Arguments besides `meta`, named as in the service description of UCP (mcp.openrpc.json). */
  readonly args: z.ZodType;
  /** @returns The same JSON text as the operation over REST. */
  readonly run: (
    args: Readonly<Record<string, unknown>>,
    request: UcpRequest,
    caller: ToolCaller,
    deps: GatewayDependencies,
  ) => Promise<Result<string>>;
}

interface UcpOperation {
  readonly route: Route;
  readonly tool: UcpTool;
}

interface Declaration<Body> extends Pick<Route, 'id' | 'path' | 'description' | 'responses'>, Partial<Pick<Route, 'errors'>> {
  readonly tool: string;
  readonly title: string;
  readonly body?: z.ZodType<Body>;
  /** Description of the tool's argument with the body; absent if the tool has no such argument. */
  readonly argument?: string;
}

const OPERATION = { capability: 'commerce', access: 'open', protocol: UCP_BINDING, rateLimit: 'buy' } as const;

function catalogOperation<Body>(
  { tool, title, argument = '', body, ...declared }: Declaration<Body> & { readonly body: z.ZodType<Body> },
  run: (body: Body, catalog: UcpCatalog) => Result<unknown> | Promise<Result<unknown>>,
): UcpOperation {
  const args = z.looseObject({ catalog: body.describe(argument) });
  return {
    route: defineRoute<undefined, undefined, Body>({
      ...OPERATION,
      ...declared,
      method: 'POST',
      summary: `${title} (UCP)`,
      headers: UCP_HEADERS,
      body,
      handle: async (input, deps) => jsonOutcome(await run(input.body, ucpCatalog(deps))),
    }),
    tool: {
      name: tool,
      title,
      description: declared.description,
      isReading: true,
      args,
      run: async (sent, _request, _caller, deps) => {
        const read = validateInput(args, sent, 'body');
        if (!read.ok) return read;
        const response = await run(read.value.catalog, ucpCatalog(deps));
        return response.ok ? ok(JSON.stringify(response.value)) : response;
      },
    },
  };
}

const Id = z.string().min(1).max(LIMITS.shortTextMaxLength).describe('Id of the checkout session, from the response that opened it.');

/**
 * @param declared `change` is what the operation changes; without it, it only reads and accepts no idempotency key.
 * @param run The id is empty for the operation that opens a session.
 */
function checkoutOperation<Body = undefined>(
  declared: Declaration<Body> & Partial<Pick<Route, 'method' | 'bodyOptional'>> & { readonly change?: UcpChange },
  run: (
    call: { readonly id: string; readonly body: Body; readonly request: UcpRequest },
    deps: CheckoutDependencies,
  ) => Promise<Result<SessionResponse>>,
): UcpOperation {
  const { tool, title, argument, change, body, errors = [], ...route } = declared;
  const hasId = route.path.includes('{id}');
  const checkout = body && argument !== undefined ? { checkout: (declared.bodyOptional ? body.optional() : body).describe(argument) } : {};
  const args = z.looseObject({ ...(hasId ? { id: Id } : {}), ...checkout });
  const respond = async (call: Parameters<typeof run>[0], caller: ToolCaller, deps: GatewayDependencies) => {
    const dependencies = checkoutDependencies(deps, caller);
    return dependencies.ok ? run(call, dependencies.value) : dependencies;
  };
  return {
    route: defineRoute<{ id: string } | undefined, undefined, Body>({
      ...OPERATION,
      ...route,
      summary: `${title} (UCP)`,
      headers: change === undefined ? UCP_HEADERS : UCP_CHANGE_HEADERS,
      ...(hasId ? { pathParameters: z.object({ id: Id }) } : {}),
      ...(body ? { body } : {}),
      ...(change ? { keyScope: ({ path, headers }) => ucpKeyScope(change, path?.id, profileOf(headers)) } : {}),
      errors: [...errors, 'not_configured', 'state_unavailable'],
      handle: async (input, deps) => {
        const { path, headers, body, idempotencyKey, sentBody } = input;
        const request = { profile: profileOf(headers), idempotencyKey, sentBody };
        return sessionOutcome(await respond({ id: path?.id ?? '', body, request }, input, deps));
      },
    }),
    tool: {
      name: tool,
      title,
      description: declared.description,
      isReading: change === undefined,
      args,
      run: async (sent, request, caller, deps) => {
        const read = validateInput(args, sent, 'body');
        // The schema is made of the members that the operation has.
        const { id = '', checkout: body } = (read.ok ? read.value : {}) as { readonly id?: string; readonly checkout: Body };
        const response = read.ok ? await respond({ id, body, request }, caller, deps) : read;
        const bound = change === undefined ? response : await underKey(response, change, sent['id'], request, deps);
        if (bound.ok) return ok(bound.value.body);
        // Over MCP the status 409 is reserved for idempotency keys: a closed session is an outcome.
        if (bound.refusal.code !== 'session_closed') return bound;
        return ok(JSON.stringify(ucpError(bound.refusal, deps.deployment.baseUrl, 'checkout')));
      },
    },
  };
}

function profileOf(headers: RouteInput<unknown, unknown, unknown>['headers']): string {
  return expectValue(profileOfHeader(headers['ucp-agent']));
}

async function underKey(
  response: Result<SessionResponse>,
  change: UcpChange,
  id: unknown,
  request: UcpRequest,
  { keys, clock }: GatewayDependencies,
): Promise<Result<SessionResponse>> {
  const keyed = await keyedRequest(change, typeof id === 'string' ? id : undefined, request);
  return bindRefusedKey(response, response.ok ? response.value.refusal : response.refusal, keyed, { keys, nowMs: clock.nowMs() });
}

const CATALOG = `${PATHS.ucp}/catalog`;
const SESSIONS = `${PATHS.ucp}/checkout-sessions`;
const SESSION = `${SESSIONS}/{id}`;
const KEY_ERRORS = ['request_in_flight', 'idempotency_conflict'] as const;
const CHANGE_ERRORS = ['session_closed', ...KEY_ERRORS] as const;

function checkoutResponse(description: string, status: 200 | 201 = 200): RouteResponse {
  return jsonResponse(description, UcpCheckoutResponse, status);
}

export const UCP_OPERATIONS: readonly UcpOperation[] = [
  catalogOperation(
    {
      id: 'searchUcpCatalog',
      tool: 'search_catalog',
      path: `${CATALOG}/search`,
      title: 'Search the offers',
      description:
        'Offers that contain words of the query: those with the most of its words first, then those with words in their name. Filters by category and price. The same query over the same catalog returns the same result.',
      body: UcpSearchRequest,
      argument: 'The search.',
      responses: [jsonResponse('A page of offers.', UcpSearchResponse)],
      errors: ['invalid_cursor'],
    },
    searchCatalog,
  ),
  catalogOperation(
    {
      id: 'getUcpProducts',
      tool: 'lookup_catalog',
      path: `${CATALOG}/lookup`,
      title: 'Look up offers by id',
      description: 'The offers with the given ids or aliases. Messages name unknown ids.',
      body: UcpLookupRequest,
      argument: 'The lookup.',
      responses: [jsonResponse('The offers that were found.', UcpLookupResponse)],
    },
    lookUpCatalog,
  ),
  catalogOperation(
    {
      id: 'getUcpProduct',
      tool: 'get_product',
      path: `${CATALOG}/product`,
      title: 'Read one offer',
      description: 'One offer with its price. If it is not found, the status in the response is error.',
      body: UcpProductRequest,
      argument: 'The product to read.',
      responses: [jsonResponse('The offer, or a message that it was not found.', UcpProductResponse)],
    },
    (body, catalog) => ok(productOf(body, catalog)),
  ),
  checkoutOperation(
    {
      id: 'createUcpCheckout',
      tool: 'create_checkout',
      method: 'POST',
      path: SESSIONS,
      title: 'Open a checkout',
      description:
        'Opens a session at catalog prices and charges nothing. A person pays at its continue_url, which completes the session. If the items cannot be sold in one session, the response gives the reason and a page with the alternatives.',
      change: 'create',
      body: UcpCheckoutRequest,
      argument: 'The checkout.',
      responses: [checkoutResponse('The session.', 201), checkoutResponse('Why no session was opened.')],
      errors: [...KEY_ERRORS, 'quota_exceeded'],
    },
    ({ body, request }, deps) => createUcpCheckout(body, request, deps),
  ),
  checkoutOperation(
    {
      id: 'getUcpCheckout',
      tool: 'get_checkout',
      path: SESSION,
      title: 'Read a checkout',
      description: 'The current state of a session: open, completed with its order, canceled or expired.',
      responses: [checkoutResponse('The session, or a message that it was not found.')],
    },
    ({ id }, deps) => readUcpCheckout(id, deps),
  ),
  checkoutOperation(
    {
      id: 'updateUcpCheckout',
      tool: 'update_checkout',
      method: 'PUT',
      path: SESSION,
      title: 'Change a checkout',
      description:
        'Replaces the whole content of the session. If the new content cannot be sold, the response is the unchanged session with the status error and the reason.',
      change: 'update',
      body: UcpCheckoutRequest,
      argument: 'The whole new content of the checkout.',
      responses: [checkoutResponse('The changed session, or the unchanged one with the reason.')],
      errors: CHANGE_ERRORS,
    },
    ({ id, body, request }, deps) => updateUcpCheckout(id, body, request, deps),
  ),
  checkoutOperation(
    {
      id: 'completeUcpCheckout',
      tool: 'complete_checkout',
      method: 'POST',
      path: `${SESSION}/complete`,
      title: 'Ask to complete a checkout',
      description:
        'No payment instrument is accepted, because the profile names no payment handler. The response reports this, and a person pays at continue_url.',
      change: 'complete',
      body: UcpCompleteRequest,
      bodyOptional: true,
      argument: 'The payment; no instrument is accepted.',
      responses: [checkoutResponse('The session, which a person pays.')],
      errors: CHANGE_ERRORS,
    },
    ({ id, request }, deps) => completeUcpCheckout(id, request, deps),
  ),
  checkoutOperation(
    {
      id: 'cancelUcpCheckout',
      tool: 'cancel_checkout',
      method: 'POST',
      path: `${SESSION}/cancel`,
      title: 'Cancel a checkout',
      description: 'Cancels an unpaid session.',
      change: 'cancel',
      body: UcpNothing,
      bodyOptional: true,
      responses: [checkoutResponse('The canceled session.')],
      errors: CHANGE_ERRORS,
    },
    ({ id, request }, deps) => cancelUcpCheckout(id, request, deps),
  ),
];
