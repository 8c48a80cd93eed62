import { LIMITS } from '../../../src/schemas/limits.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { below, type Random } from '../../eval/random.ts';
import { bearer, makeKey } from '../agent-keys.ts';
import { capsuleProposal } from '../proposals.ts';

/** What callers do that is stored. */
export type ActKind = 'register' | 'propose' | 'rotate' | 'revoke';

/** Something that is sent once, and again until it is known what became of it. */
export interface Act {
  readonly kind: ActKind;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The answer that was received, if one was. */
  answer?: { readonly status: number; readonly text: string };
}

const KINDS: readonly ActKind[] = ['register', 'register', 'rotate', 'revoke', 'propose'];

/** An act of an agent that nobody else is, from a network that nobody else is in. */
export async function makeAct(number: number, random: Random): Promise<Act> {
  const kind = KINDS[below(random, KINDS.length)] ?? 'register';
  const agent = (0xc0000000 + number).toString(16).padStart(16, '0');
  const headers = {
    'Content-Type': 'application/json',
    'CF-Connecting-IP': `10.${(number >> 8) & 255}.${number & 255}.1`,
    'Idempotency-Key': `the-idempotency-key-of-act-${number}`,
  };
  if (kind === 'register')
    return { kind, path: `${PATHS.gateway}/register`, headers, body: JSON.stringify({ agent_name: `agent ${number}` }) };
  const key = await makeKey({ agent, scopes: ['read', 'submit'] });
  const own = { ...headers, ...bearer(key) };
  if (kind === 'rotate')
    return {
      kind,
      path: `${PATHS.agentKeys}/rotate`,
      headers: own,
      body: JSON.stringify({ overlap_minutes: LIMITS.keyOverlapMinutesMax }),
    };
  if (kind === 'revoke') return { kind, path: `${PATHS.agentKeys}/revoke`, headers: own, body: '{}' };
  const proposal = capsuleProposal({ capsule_id: `bounded-queues-${number}` });
  return { kind, path: `${PATHS.publicCapsules}/intake`, headers: own, body: JSON.stringify(proposal) };
}

/** Sends an act, and notes the answer if the service lived long enough to give one. */
export async function send(act: Act, origin: string): Promise<{ status: number; text: string } | undefined> {
  try {
    const response = await fetch(origin + act.path, { method: 'POST', headers: act.headers, body: act.body });
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
  if (act.kind === 'revoke') return revocationLoss(act, again, isAcknowledged, origin);
  if (isAcknowledged) return again.text === act.answer?.text ? undefined : `acknowledged with ${act.answer?.text}, now ${again.text}`;
  if (again.status === 429) return undefined;
  if (again.status >= 300) return `${again.status} ${again.text}`;
  act.answer = again;
  return proposalLoss(act, again.text, origin);
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
