import { minuteOf } from '../../src/gateway/agents/api-key.ts';
import { PATHS } from '../../src/schemas/paths.ts';
import { ACP_SESSIONS, acpCart, acpHeaders, acpSessionPath, tokenPayment } from './acp.ts';
import { bearer, makeKey } from './agent-keys.ts';
import { NOW_HEADER } from './edge-gateway.ts';
import { SAMPLE_OFFER } from './function-routes.ts';
import { capsuleProposal, INTAKE } from './proposals.ts';
import { UCP_AGENT, UCP_PROFILE, ucpCart } from './ucp.ts';

export type Send = (path: string, init: RequestInit) => Promise<Response>;

export interface StoringRequest {
  readonly path: string;
  readonly init: RequestInit;
}

/** What makes each request a different one: ids, and the time at which its key was issued. */
export interface Variation {
  readonly uuid?: () => string;
  readonly nowMs?: number;
}

const CHECKOUTS = `${PATHS.ucp}/checkout-sessions`;

export function jsonRequest(path: string, body: unknown, headers: Record<string, string> = {}, method = 'POST'): StoringRequest {
  return { path, init: { method, headers: { 'Content-Type': 'application/json', ...headers }, body: JSON.stringify(body) } };
}

function newCaller(send: Send, { uuid = () => crypto.randomUUID(), nowMs = Date.now() }: Variation) {
  const agent = uuid().replaceAll('-', '').slice(0, 16);
  const key = async (...scopes: ('read' | 'submit')[]): Promise<Record<string, string>> =>
    bearer(await makeKey({ agent, scopes, issuedMinute: minuteOf(nowMs) }));
  const acp = async (path: string, body: unknown): Promise<StoringRequest> => {
    const { [NOW_HEADER]: _, ...headers } = await acpHeaders({ agent, nowMs, idempotencyKey: uuid() });
    return jsonRequest(path, body, headers);
  };
  const ucp = (path: string, body: unknown, method = 'POST'): StoringRequest =>
    jsonRequest(CHECKOUTS + path, body, { ...UCP_AGENT, 'Idempotency-Key': uuid() }, method);
  const idFrom = async ({ path, init }: StoringRequest): Promise<string> => ((await (await send(path, init)).json()) as { id: string }).id;
  return {
    uuid,
    key,
    acp,
    ucp,
    onAcpSession: async (action: string, body: unknown) =>
      acp(acpSessionPath(await idFrom(await acp(ACP_SESSIONS, acpCart(SAMPLE_OFFER.id))), action), body),
    onUcpSession: async (action: string, body: unknown, method = 'POST') =>
      ucp(`/${await idFrom(ucp('', ucpCart(SAMPLE_OFFER.id)))}${action}`, body, method),
  };
}

type Caller = ReturnType<typeof newCaller>;

const REQUESTS = {
  rotateKey: async ({ key }) => jsonRequest(`${PATHS.agentKeys}/rotate`, {}, await key('read')),
  revokeKey: async ({ key }) => jsonRequest(`${PATHS.agentKeys}/revoke`, {}, await key('read')),
  submitProposal: async ({ key, uuid }) =>
    jsonRequest(INTAKE, capsuleProposal({ capsule_id: `queue-${uuid().slice(0, 8)}` }), {
      ...(await key('read', 'submit')),
      'Idempotency-Key': uuid(),
    }),
  startCheckout: async () => jsonRequest(PATHS.checkout, { items: `${SAMPLE_OFFER.id}:1` }),
  requestInvoice: async ({ uuid }) =>
    jsonRequest(`${PATHS.commerceApi}/invoice-requests`, {
      items: [{ id: SAMPLE_OFFER.id, quantity: 2 }],
      name: uuid(),
      email: 'ada@buyer.example',
    }),
  sendMessage: async ({ uuid }) => jsonRequest(PATHS.messages, { name: uuid(), email: 'ada@reader.example', message: 'Hello.' }),
  createCheckoutSession: ({ acp }) => acp(ACP_SESSIONS, acpCart(SAMPLE_OFFER.id)),
  updateCheckoutSession: ({ onAcpSession }) => onAcpSession('', { line_items: [{ id: SAMPLE_OFFER.id }] }),
  completeCheckoutSession: ({ onAcpSession }) => onAcpSession('complete', tokenPayment('spt_of_a_test')),
  cancelCheckoutSession: ({ onAcpSession }) => onAcpSession('cancel', {}),
  createUcpCheckout: async ({ ucp }) => ucp('', ucpCart(SAMPLE_OFFER.id)),
  updateUcpCheckout: ({ onUcpSession }) => onUcpSession('', ucpCart(SAMPLE_OFFER.id), 'PUT'),
  completeUcpCheckout: ({ onUcpSession }) => onUcpSession('/complete', {}),
  cancelUcpCheckout: ({ onUcpSession }) => onUcpSession('/cancel', {}),
  callUcpTool: async ({ uuid }) => {
    const meta = { 'ucp-agent': { profile: UCP_PROFILE }, 'idempotency-key': uuid() };
    const params = { name: 'create_checkout', arguments: { meta, checkout: ucpCart(SAMPLE_OFFER.id) } };
    return jsonRequest(PATHS.ucpMcp, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, UCP_AGENT);
  },
} as const satisfies Readonly<Record<string, (caller: Caller) => Promise<StoringRequest>>>;

export type StoringOperation = keyof typeof REQUESTS;
export const STORING_OPERATIONS = Object.keys(REQUESTS) as StoringOperation[];

/** A request that an operation accepts, another one each time; `send` first opens the session that it needs. */
export function storingRequest(id: StoringOperation, send: Send, variation: Variation = {}): Promise<StoringRequest> {
  return REQUESTS[id](newCaller(send, variation));
}
