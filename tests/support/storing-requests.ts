import { ACP_SESSIONS, acpHeaders, acpSessionPath } from './acp.ts';
import { bearer, makeKey } from './agent-keys.ts';
import { SAMPLE_OFFER } from './function-routes.ts';
import { capsuleProposal, INTAKE } from './proposals.ts';
import { UCP_AGENT, UCP_PROFILE, ucpCart } from './ucp.ts';

/** Sends a request and gives its response. */
export type Send = (path: string, init: RequestInit) => Promise<Response>;

/** A request that stores something. */
export interface StoringRequest {
  readonly path: string;
  readonly init: RequestInit;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const CHECKOUTS = '/api/v1/ucp/checkout-sessions';

const post = (path: string, body: unknown, headers: Record<string, string> = {}, method = 'POST'): StoringRequest => ({
  path,
  init: { method, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) },
});
const acpPost = async (path: string, body: unknown): Promise<StoringRequest> => post(path, body, await acpHeaders());
const ucp = (path: string, body: unknown, method = 'POST'): StoringRequest =>
  post(CHECKOUTS + path, body, { ...UCP_AGENT, 'Idempotency-Key': crypto.randomUUID() }, method);
const idOf = async (response: Promise<Response>): Promise<string> => ((await (await response).json()) as { id: string }).id;
const freshKey = async (scopes: readonly ('read' | 'submit')[] = ['read']): Promise<Record<string, string>> =>
  bearer(await makeKey({ agent: crypto.randomUUID().replaceAll('-', '').slice(0, 16), scopes: [...scopes] }));

const openAcp = async (send: Send): Promise<string> => {
  const cart = { line_items: [{ id: SAMPLE_OFFER.id }], currency: 'usd', capabilities: {} };
  const { path, init } = await acpPost(ACP_SESSIONS, cart);
  return idOf(send(path, init));
};
const openUcp = async (send: Send): Promise<string> => {
  const { path, init } = ucp('', ucpCart(SAMPLE_OFFER.id));
  return idOf(send(path, init));
};
const PAYMENT = {
  payment_data: { handler_id: 'card_tokenized', instrument: { type: 'card', credential: { type: 'spt', token: 'spt_of_a_test' } } },
};

/**
 * For every operation that stores something for anybody, a request that it answers well, and that is another one each time. What it needs, such
 * as a session, is made by `send` first.
 */
export const STORING_REQUESTS: Readonly<Record<string, (send: Send) => Promise<StoringRequest>>> = {
  rotateKey: async () => post('/api/v1/agent-gateway/keys/rotate', {}, await freshKey()),
  revokeKey: async () => post('/api/v1/agent-gateway/keys/revoke', {}, await freshKey()),
  submitProposal: async () => {
    const id = `queue-${crypto.randomUUID().slice(0, 8)}`;
    const headers = { ...(await freshKey(['read', 'submit'])), 'Idempotency-Key': crypto.randomUUID() };
    return post(INTAKE, capsuleProposal({ capsule_id: id }), headers);
  },
  startCheckout: async () => post('/checkout', { items: `${SAMPLE_OFFER.id}:1` }),
  requestInvoice: async () =>
    post('/api/v1/commerce/invoice-requests', {
      items: [{ id: SAMPLE_OFFER.id, quantity: 2 }],
      name: crypto.randomUUID(),
      email: 'ada@buyer.example',
    }),
  createCheckoutSession: () => acpPost(ACP_SESSIONS, { line_items: [{ id: SAMPLE_OFFER.id }], currency: 'usd', capabilities: {} }),
  updateCheckoutSession: async (send) => acpPost(acpSessionPath(await openAcp(send)), { line_items: [{ id: SAMPLE_OFFER.id }] }),
  completeCheckoutSession: async (send) => acpPost(acpSessionPath(await openAcp(send), 'complete'), PAYMENT),
  cancelCheckoutSession: async (send) => acpPost(acpSessionPath(await openAcp(send), 'cancel'), {}),
  createUcpCheckout: async () => ucp('', ucpCart(SAMPLE_OFFER.id)),
  updateUcpCheckout: async (send) => ucp(`/${await openUcp(send)}`, ucpCart(SAMPLE_OFFER.id), 'PUT'),
  completeUcpCheckout: async (send) => ucp(`/${await openUcp(send)}/complete`, {}),
  cancelUcpCheckout: async (send) => ucp(`/${await openUcp(send)}/cancel`, {}),
  callUcpTool: async () =>
    post(
      '/api/v1/ucp/mcp',
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: {
          name: 'create_checkout',
          arguments: {
            meta: { 'ucp-agent': { profile: UCP_PROFILE }, 'idempotency-key': crypto.randomUUID() },
            checkout: ucpCart(SAMPLE_OFFER.id),
          },
        },
      },
      UCP_AGENT,
    ),
};
