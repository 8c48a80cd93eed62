import { checkoutSessionPath, PATHS, submissionApiPath } from '../../src/schemas/paths.ts';
import { below, oneOf } from '../eval/random.ts';
import { ACP_SESSIONS, acpCart, acpHeaders, acpSessionPath } from '../support/acp.ts';
import { NOW_HEADER } from '../support/edge-gateway.ts';
import { jsonRequest, type Send, STORING_OPERATIONS, type StoringOperation, storingRequest } from '../support/storing-requests.ts';
import { checkoutCompleted, signedMessage } from '../support/stripe-messages.ts';
import { CONTACT_CANARY, IDEMPOTENCY_CANARY } from './canaries.ts';
import type { FuzzRun } from './fuzz-run.ts';

const OWN_OPERATIONS = ['registerAgent', 'takeProcessorMessage'] as const;

/** No document describes the form for messages, which the judge of answers would miss. */
const DESCRIBED = STORING_OPERATIONS.filter((id) => id !== 'sendMessage');

/** Sends requests that an operation accepts, so that random ones find keys, proposals, sessions and orders to work on. */
export async function sendWhole(run: FuzzRun): Promise<void> {
  const send: Send = async (path, { method = 'GET', headers = {}, body }) => {
    const { reply } = await run.send({
      method,
      target: path,
      headers: Object.entries(headers as Record<string, string>).filter(([name]) => name !== NOW_HEADER),
      ...(typeof body === 'string' ? { body: new TextEncoder().encode(body) } : {}),
    });
    return new Response(reply.body, { status: reply.status === 0 ? 599 : reply.status });
  };
  const operation: StoringOperation | (typeof OWN_OPERATIONS)[number] = oneOf(run.random, [...DESCRIBED, ...OWN_OPERATIONS]);
  if (operation === 'registerAgent') return register(run, send);
  if (operation === 'takeProcessorMessage') return payForOrder(run, send);
  const uuid = (): string => hex(run, 32);
  const { path, init } = await storingRequest(operation, send, { uuid, nowMs: run.service.nowMs() });
  const response = await send(path, init);
  if (operation !== 'submitProposal' || response.status !== 202) return;
  const { receipt } = (await response.json()) as { receipt: string };
  const { Authorization = '' } = init.headers as Record<string, string>;
  await send(submissionApiPath(receipt), { headers: { Authorization } });
}

async function register(run: FuzzRun, send: Send): Promise<void> {
  const body = { agent_name: 'fuzzer', contact: `${CONTACT_CANARY}${hex(run, 8)}`, scopes: ['read', 'buy'] };
  const path = `${PATHS.gateway}/register`;
  await send(path, jsonRequest(path, body, { 'Idempotency-Key': `${IDEMPOTENCY_CANARY}${hex(run, 24)}` }).init);
}

async function payForOrder(run: FuzzRun, send: Send): Promise<void> {
  const nowMs = run.service.nowMs();
  const headers = await acpHeaders({ agent: hex(run, 16), idempotencyKey: hex(run, 32), nowMs });
  const cart = acpCart(oneOf(run.random, ['evidence-review', 'change-notices']));
  const opened = await send(ACP_SESSIONS, jsonRequest(ACP_SESSIONS, cart, headers).init);
  if (opened.status !== 201) return;
  const { id, totals } = (await opened.json()) as { id: string; totals: { type: string; amount: number }[] };
  await send(checkoutSessionPath(id), {});
  const total = totals.find(({ type }) => type === 'total')?.amount ?? 0;
  await send(PATHS.stripeWebhook, signedMessage(checkoutCompleted(id, total), { atMs: nowMs }));
  const session = (await (await send(acpSessionPath(id), { headers })).json()) as { order?: { permalink_url: string } };
  if (session.order === undefined) return;
  const shown = await send(new URL(session.order.permalink_url).pathname, { headers: { Accept: 'application/json' } });
  if (shown.status !== 200) return;
  const { deliveries } = (await shown.json()) as { deliveries: { url: string }[] };
  for (const { url } of deliveries) await send(new URL(url).pathname, {});
}

function hex({ random }: FuzzRun, length: number): string {
  return Array.from({ length }, () => below(random, 16).toString(16)).join('');
}
