import { LIMITS } from '../../src/schemas/limits.ts';
import { PATHS } from '../../src/schemas/paths.ts';
import { below, type Random } from '../eval/random.ts';
import { jsonRequest, storingRequest } from '../support/storing-requests.ts';
import { chargeRefunded, checkoutCompleted, signatureOf } from '../support/stripe-messages.ts';

/** What callers do that is stored. */
export type ActKind = 'register' | 'propose' | 'rotate' | 'revoke' | 'checkout' | 'invoice' | 'pay' | 'refund';

/** Something that is sent once, and again until it is known what became of it. */
export interface Act {
  readonly kind: ActKind;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Session that a message of the payment processor is about; its request is signed each time that it is sent. */
  readonly session?: { readonly id: string; readonly total: number };
  /** The answer that was received, if one was. */
  answer?: { readonly status: number; readonly text: string };
}

const KINDS: readonly ActKind[] = ['register', 'rotate', 'revoke', 'propose', 'checkout', 'checkout', 'invoice', 'pay', 'pay', 'refund'];

/** Operations that store what an act is about. */
const OPERATIONS = {
  propose: 'submitProposal',
  rotate: 'rotateKey',
  revoke: 'revokeKey',
  checkout: 'createCheckoutSession',
  invoice: 'requestInvoice',
} as const;

/**
 * An act of an agent that nobody else is, from a network that nobody else is in.
 *
 * @param sessions Checkout sessions that were acknowledged, which are paid for and paid back.
 */
export async function makeAct(number: number, random: Random, sessions: readonly Act[]): Promise<Act> {
  const wanted = KINDS[below(random, KINDS.length)] ?? 'register';
  const paid = sessions[below(random, Math.max(1, sessions.length))];
  const network = { 'CF-Connecting-IP': `10.${(number >> 8) & 255}.${number & 255}.1` };
  if ((wanted === 'pay' || wanted === 'refund') && paid !== undefined) return messageAct(wanted, sessionOf(paid), number, network);
  const kind = wanted === 'pay' || wanted === 'refund' ? 'checkout' : wanted;
  const { path, init } =
    kind === 'register'
      ? jsonRequest(`${PATHS.gateway}/register`, { agent_name: `agent ${number}` })
      : await storingRequest(OPERATIONS[kind], () => Promise.reject(new TypeError('an act needs no request before it')));
  const own = init.headers as Record<string, string>;
  const headers = { ...own, ...network, 'Idempotency-Key': `the-idempotency-key-of-act-${number}` };
  // The old key works until the end of the run, so that the rotation can be repeated with it.
  const body = kind === 'rotate' ? JSON.stringify({ overlap_minutes: LIMITS.keyOverlapMinutesMax }) : String(init.body);
  return { kind, path, headers, body };
}

/** The session that an acknowledged act has opened. */
export function sessionOf({ answer }: Act): { readonly id: string; readonly total: number } {
  const { id, totals } = JSON.parse(answer?.text ?? '') as { id: string; totals: { type: string; amount: number }[] };
  return { id, total: totals.find(({ type }) => type === 'total')?.amount ?? Number.NaN };
}

/** A message of the payment processor about a session. The same payment, and what is paid back of it, is told by several acts. */
function messageAct(
  kind: 'pay' | 'refund',
  session: { readonly id: string; readonly total: number },
  number: number,
  network: Readonly<Record<string, string>>,
): Act {
  const event =
    kind === 'pay'
      ? checkoutCompleted(session.id, session.total, {}, `evt_${number}`)
      : chargeRefunded(`pi_of_${session.id}`, 1 + (number % session.total), `evt_${number}`);
  return {
    kind,
    path: PATHS.stripeWebhook,
    headers: { 'Content-Type': 'application/json', ...network },
    body: JSON.stringify(event),
    session,
  };
}

/** Sends an act, and notes the answer if the service lived long enough to give one. */
export async function send(act: Act, origin: string): Promise<{ status: number; text: string } | undefined> {
  try {
    const headers = act.session === undefined ? act.headers : { ...act.headers, 'Stripe-Signature': signatureOf(act.body) };
    const response = await fetch(origin + act.path, { method: 'POST', headers, body: act.body });
    return { status: response.status, text: await response.text() };
  } catch {
    return undefined;
  }
}

/** What is wrong with what the service knows of an act after it was started again; nothing if all is as was promised. */
export async function findLoss(act: Act, origin: string): Promise<string | undefined> {
  const again = await send(act, origin);
  if (again === undefined) return 'no answer';
  if (again.status >= 500) return `${again.status} ${again.text}`;
  const isAcknowledged = act.answer !== undefined && act.answer.status < 300;
  if (act.session !== undefined) return messageLoss(act, again, isAcknowledged);
  if (act.kind === 'revoke') return revocationLoss(act, again, isAcknowledged, origin);
  if (isAcknowledged) return again.text === act.answer?.text ? undefined : `acknowledged with ${act.answer?.text}, now ${again.text}`;
  if (again.status === 429) return undefined;
  if (again.status >= 300) return `${again.status} ${again.text}`;
  act.answer = again;
  return proposalLoss(act, again.text, origin);
}

/** A message that was taken is a duplicate afterwards; one that was not has its effect now. */
function messageLoss(act: Act, again: { status: number; text: string }, isAcknowledged: boolean): string | undefined {
  if (again.status !== 200) return `${again.status} ${again.text}`;
  const { outcome } = JSON.parse(again.text) as { outcome: string };
  act.answer ??= again;
  if (isAcknowledged) return outcome === 'duplicate' ? undefined : `a message that was taken is ${outcome} when it comes again`;
  act.answer = again;
  return undefined;
}

async function revocationLoss(
  act: Act,
  again: { status: number; text: string },
  isAcknowledged: boolean,
  origin: string,
): Promise<string | undefined> {
  if (isAcknowledged && again.status !== 401) return `revoked, and the key is answered with ${again.status}`;
  if (again.status !== 200 && !again.text.includes('api_key_revoked')) return `${again.status} ${again.text}`;
  act.answer = { status: 200, text: again.text };
  const self = await fetch(`${origin}${PATHS.agentKeys}/self`, { headers: { Authorization: act.headers['Authorization'] ?? '' } });
  return self.status === 401 ? undefined : `a revoked key reads its own facts: ${self.status}`;
}

async function proposalLoss({ kind, headers }: Act, text: string, origin: string): Promise<string | undefined> {
  if (kind !== 'propose') return undefined;
  const { receipt } = JSON.parse(text) as { receipt: string };
  const state = await fetch(`${origin}${PATHS.publicCapsules}/intake/${receipt}`, {
    headers: { Authorization: headers['Authorization'] ?? '' },
  });
  return state.status === 200 ? undefined : `the state of a receipt is answered with ${state.status}`;
}
