import type { ErrorCode } from '../../src/gateway/errors.ts';
import { errorsOf, type Route } from '../../src/http/define-route.ts';
import { describedRoutes, routeTable } from '../../src/routes/route-table.ts';
import { deployedFeatures } from '../../src/schemas/feature-switches.ts';
import { capsuleApiPath, lineageApiPath, quoteApiPath, relatedApiPath } from '../../src/schemas/paths.ts';
import { acpCart, acpHeaders, acpSessionPath, tokenPayment } from './acp.ts';
import { bearer, makeKey } from './agent-keys.ts';
import { builtGenerated } from './edge-gateway.ts';
import { TEST_BASE_URL } from './paths.ts';
import { TEST_PAYMENTS } from './payments.ts';
import { probeProposal } from './proposals.ts';
import { checkoutCompleted, signedMessage } from './stripe-messages.ts';
import { PROBED_UCP_SESSION, UCP_AGENT, UCP_PROFILE, ucpCart } from './ucp.ts';

export const SAMPLE_CAPSULE = 'bm25';
export const SAMPLE_OFFER = {
  id: 'evidence-review',
  alias: 'page-review',
  checkout: `${TEST_BASE_URL}/test-checkout/evidence-review`,
} as const;

export interface FunctionRoute {
  readonly id: string;
  readonly route: Route;
  readonly path: string;
  readonly init: RequestInit;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const PROPOSAL = await probeProposal();
/** A session that nobody has opened: a request for it is answered as well as one can be whose session nobody knows. */
export const NO_SESSION = 'cs_00000000000000000000000000000000';
export const NO_RECEIPT = 'rct_00000000000000000000000000000000';
const acpPost = async (body: unknown): Promise<RequestInit> => ({
  method: 'POST',
  headers: { ...JSON_TYPE, ...(await acpHeaders({ idempotencyKey: 'probe-of-the-protocol' })) },
  body: JSON.stringify(body),
});
/** A checkout that nobody has opened; UCP answers that with 200 and the reason. */
const UCP_CHECKOUT = `/api/v1/ucp/checkout-sessions/${PROBED_UCP_SESSION}`;
const ucp = (body: object, method = 'POST'): RequestInit => ({
  method,
  headers: { ...JSON_TYPE, ...UCP_AGENT },
  body: JSON.stringify(body),
});
const UCP_CART = ucpCart(SAMPLE_OFFER.id);
const PATHS_OF: Readonly<Record<string, string>> = {
  searchKnowledge: '/api/v1/agent-gateway/search?q=bm25',
  viewSearch: '/search?q=bm25',
  askSite: '/ask?query=bm25',
  getCapsule: capsuleApiPath(SAMPLE_CAPSULE),
  getCapsuleLineage: lineageApiPath(SAMPLE_CAPSULE),
  getRelatedCapsules: relatedApiPath(SAMPLE_CAPSULE),
  verifyQuote: `${quoteApiPath(SAMPLE_CAPSULE)}?text=the`,
  getProposal: PROPOSAL.statusPath,
  buyOffer: `/buy/${SAMPLE_OFFER.id}`,
  getOrder: `/orders/${NO_RECEIPT}`,
  getDelivery: `/orders/${NO_RECEIPT}/questions`,
  openCheckout: `/checkout/${NO_SESSION}`,
  getUcpCheckout: UCP_CHECKOUT,
  updateUcpCheckout: UCP_CHECKOUT,
  completeUcpCheckout: `${UCP_CHECKOUT}/complete`,
  cancelUcpCheckout: `${UCP_CHECKOUT}/cancel`,
  getCheckoutSession: acpSessionPath(NO_SESSION),
  updateCheckoutSession: acpSessionPath(NO_SESSION),
  completeCheckoutSession: acpSessionPath(NO_SESSION, 'complete'),
  cancelCheckoutSession: acpSessionPath(NO_SESSION, 'cancel'),
};
const INITS: Readonly<Record<string, RequestInit>> = {
  registerAgent: { method: 'POST', headers: JSON_TYPE, body: '{"agent_name":"probe"}' },
  queryKnowledge: { method: 'POST', headers: { ...JSON_TYPE, ...bearer(await makeKey()) }, body: '{"query":"bm25"}' },
  askSiteByPost: { method: 'POST', headers: JSON_TYPE, body: '{"query":{"text":"bm25"}}' },
  callMcp: {
    method: 'POST',
    headers: { ...JSON_TYPE, Accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  },
  sendA2aMessage: {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'SendMessage',
      params: { message: { messageId: 'm-1', role: 'ROLE_USER', parts: [{ text: 'bm25' }] } },
    }),
  },
  fetchCapsules: { method: 'POST', headers: JSON_TYPE, body: '{"ids":["bm25"]}' },
  getKey: { headers: bearer(await makeKey({ agent: '00000000000000b1' })) },
  rotateKey: {
    method: 'POST',
    headers: { ...bearer(await makeKey({ agent: '00000000000000b2' })), 'Idempotency-Key': 'rotation-of-a-probe-000001' },
  },
  revokeKey: { method: 'POST', headers: bearer(await makeKey({ agent: '00000000000000b3' })) },
  submitProposal: PROPOSAL.init,
  /** Signed when a file of tests asks for it: a signature is good for minutes, and this module is loaded once for many files. */
  get takeProcessorMessage() {
    return signedMessage(checkoutCompleted(NO_SESSION, 1));
  },
  getProposal: { headers: bearer(await makeKey({ agent: '00000000000000ab' })) },
  startCheckout: { method: 'POST', headers: JSON_TYPE, body: JSON.stringify({ items: `${SAMPLE_OFFER.id}:1` }) },
  requestInvoice: {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ items: [{ id: SAMPLE_OFFER.id, quantity: 2 }], name: 'Ada', email: 'ada@buyer.example' }),
  },
  sendMessage: {
    method: 'POST',
    headers: JSON_TYPE,
    body: JSON.stringify({ name: 'Ada', email: 'ada@reader.example', message: 'Section 2 is wrong.' }),
  },
  searchUcpCatalog: ucp({ query: 'review' }),
  getUcpProducts: ucp({ ids: [SAMPLE_OFFER.id] }),
  getUcpProduct: ucp({ id: SAMPLE_OFFER.id }),
  createUcpCheckout: ucp(UCP_CART),
  getUcpCheckout: { headers: UCP_AGENT },
  updateUcpCheckout: ucp(UCP_CART, 'PUT'),
  completeUcpCheckout: ucp({}),
  cancelUcpCheckout: ucp({}),
  callUcpTool: ucp({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'search_catalog', arguments: { meta: { 'ucp-agent': { profile: UCP_PROFILE } }, catalog: { query: 'review' } } },
  }),
  createCheckoutSession: await acpPost(acpCart(SAMPLE_OFFER.id)),
  getCheckoutSession: { headers: await acpHeaders() },
  updateCheckoutSession: await acpPost({ line_items: [{ id: SAMPLE_OFFER.id }] }),
  completeCheckoutSession: await acpPost(tokenPayment('spt_123')),
  cancelCheckoutSession: await acpPost({}),
  getOrderWebhook: { headers: await acpHeaders() },
};

const { deployment } = await builtGenerated();

export const TABLE: readonly Route[] = routeTable(deployment);

/** The routes that documents describe: without those of what the tested build leaves off. */
export const DESCRIBED: readonly Route[] = describedRoutes(deployment, deployedFeatures(deployment));

/** The same with what the tested build leaves off: payments. Its operations and errors are tested on services of their own. */
export const WHOLE_TABLE: readonly Route[] = routeTable({ ...deployment, payments: TEST_PAYMENTS }).filter(
  // What it answers is tested at the address of the page.
  ({ id }) => id !== 'viewOpenedCapsule',
);

/** Every route that functions answer; a new one needs a request above if its path has a parameter or it takes a body. */
export const FUNCTION_ROUTES: readonly FunctionRoute[] = TABLE.filter(({ servedBy }) => servedBy === 'function').map((route) => {
  const path = PATHS_OF[route.id] ?? route.path;
  const made: FunctionRoute = {
    id: route.id,
    route,
    path,
    get init() {
      return INITS[route.id] ?? {};
    },
  };
  if (path.includes('{') || (made.init.method ?? 'GET') !== route.method)
    throw new Error(`tests/support/function-routes.ts has no request for ${route.id}`);
  return made;
});

/** Operations of the Agentic Commerce Protocol that carry its version, and those of them that take a body. */
export const ACP_ROUTES = FUNCTION_ROUTES.filter(
  ({ route }) => route.access === 'buy' && route.protocol?.admissionErrors.includes('version_unsupported'),
);
export const ACP_POSTS = ACP_ROUTES.filter(({ route }) => route.method === 'POST');

/** Operations that store something for anybody, and so may need a solved challenge. */
export const STORING_ROUTES = FUNCTION_ROUTES.filter(({ route }) => route.headers?.some(({ name }) => name === 'Challenge-Solution'));
export const UCP_ROUTES = FUNCTION_ROUTES.filter(({ route }) => route.protocol?.name === 'ucp');

/** Lists of routes that blocks of tests are made for, by the names that they have there. */
export const ROUTE_LISTS: Readonly<Record<string, readonly FunctionRoute[]>> = {
  FUNCTION_ROUTES,
  ACP_ROUTES,
  ACP_POSTS,
  STORING_ROUTES,
  UCP_ROUTES,
};

export function refusing(code: ErrorCode, ...except: readonly string[]): readonly FunctionRoute[] {
  const unknown = except.filter((id) => !FUNCTION_ROUTES.some((each) => each.id === id && errorsOf(each.route).includes(code)));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')} does not list ${code}`);
  return FUNCTION_ROUTES.filter(({ id, route }) => errorsOf(route).includes(code) && !except.includes(id));
}

/** Whether a request whose session or order nobody knows is refused for that alone. */
export function isUnknownThing({ route }: FunctionRoute, status: number): boolean {
  return status === 404 && (route.errors.includes('session_not_found') || route.errors.includes('order_not_found'));
}
