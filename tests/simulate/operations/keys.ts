import type { KeyDetails, RevokedKeys, RotatedKey } from '../../../src/schemas/agents.ts';
import { RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { below } from '../../eval/random.ts';
import { type KnownKey, type Slot, UNSENT } from '../knowledge.ts';
import type { Lifetime } from '../lifetime.ts';
import { hold } from '../violation.ts';
import { askWithKey, queryOn, someKey } from './read.ts';
import { noteKey } from './register.ts';

const SELF = `${PATHS.agentKeys}/self`;
const ROTATE = `${PATHS.agentKeys}/rotate`;
const REVOKE = `${PATHS.agentKeys}/revoke`;

export async function useMutatedKey(life: Lifetime): Promise<void> {
  const known = someKey(life);
  if (known === undefined) return;
  const at = 10 + below(life.random, known.key.length - 10);
  const other = known.key[at] === 'a' ? 'b' : 'a';
  const key = life.chance(0.8) ? known.key.slice(0, at) + other + known.key.slice(at + 1) : known.key.slice(0, at);
  const heard = await life.ask(life.isolate(), { method: 'GET', path: SELF, key });
  hold('expired', heard === undefined || heard.status === 401 || heard.status === 429, () => `${key} is accepted: ${heard?.body}`);
}

export async function readOwnKey(life: Lifetime): Promise<void> {
  const known = someKey(life);
  if (known === undefined) return;
  const grantedBefore = life.known.grants.get(known.agent) ?? 'no';
  const heard = await askWithKey(life, life.isolate(), { method: 'GET', path: SELF }, known, 'key');
  if (heard?.status !== 200) return;
  const facts = JSON.parse(heard.body) as KeyDetails;
  hold('acknowledged', facts.agent_id === known.agent && facts.key_id === known.keyId, () => `${known.keyId}: ${heard.body}`);
  const allowed =
    grantedBefore === 'no' && (life.known.grants.get(known.agent) ?? 'no') === 'no' ? known.scopes : [...known.scopes, 'submit'];
  hold(
    'acknowledged',
    facts.scopes.every((scope) => allowed.includes(scope)),
    () => `${known.keyId} has more than ${allowed}: ${heard.body}`,
  );
  hold('declared', !heard.body.includes(known.key), () => 'the key itself is answered');
}

export async function revoke(life: Lifetime): Promise<void> {
  const known = someKey(life);
  if (known === undefined) return;
  const all = life.chance(0.3);
  const isolate = life.isolate();
  const meant = life.known.keys.filter((one) => (all ? one.agent === known.agent : one === known));
  for (const one of meant) {
    one.mayBeRevoked = true;
    one.doubts += 1;
  }
  if (all) life.known.revokedAgents.add(known.agent);
  const asked = { method: 'POST', path: REVOKE, body: { keys: all ? 'all' : 'this' } } as const;
  const before = new Set(life.known.keys);
  const heard = await askWithKey(life, isolate, asked, known, 'key');
  // A lost answer leaves the key in doubt.
  if (heard === undefined || heard.status >= 500 || life.chance(0.15)) return;
  for (const one of meant) one.doubts -= 1;
  if (heard.status !== 200) return;
  const { revoked, key_id } = JSON.parse(heard.body) as RevokedKeys;
  hold('acknowledged', revoked === asked.body.keys && key_id === known.keyId, () => heard.body);
  for (const one of meant) {
    if (!before.has(one)) continue;
    one.revokedAtMs ??= heard.heardMs;
    one.refusedBy.add(isolate);
  }
  if (life.chance(0.7)) await queryOn(life, isolate, known);
}

export async function rotate(life: Lifetime): Promise<void> {
  const known = someKey(life);
  if (known === undefined) return;
  const body = { overlap_minutes: life.pick([0, 1, 10, 1_440]) };
  const slot: Slot = { idempotencyKey: life.fresh('rotate'), body, network: known.network, key: known, ...UNSENT };
  life.known.rotations.push(slot);
  await sendRotation(life, slot, known);
}

export async function repeatRotation(life: Lifetime): Promise<void> {
  if (life.known.rotations.length === 0) return;
  const slot = life.pick(life.known.rotations);
  if (slot.key !== undefined) await sendRotation(life, slot, slot.key, true);
}

async function sendRotation(life: Lifetime, slot: Slot, known: KnownKey, isRepeated = false): Promise<void> {
  known.mayBeRevoked = true;
  known.doubts += 1;
  const { idempotencyKey } = slot;
  const body = slot.body as { readonly overlap_minutes: number };
  const isolate = life.isolate();
  const heard = await askWithKey(life, isolate, { method: 'POST', path: ROTATE, body, idempotencyKey }, known, 'key', isRepeated);
  if (heard === undefined || heard.status >= 500 || life.chance(0.15)) return;
  known.doubts -= 1;
  if (heard.status !== 201) return;
  if (slot.answer !== undefined)
    hold('one-effect', slot.answer === heard.body, () => `${idempotencyKey}\n  ${slot.answer}\n  ${heard.body}`);
  slot.answer = heard.body;
  slot.acknowledgedMs ??= heard.heardMs;
  const { previous_key, agent_id, scopes } = JSON.parse(heard.body) as RotatedKey;
  hold('acknowledged', agent_id === known.agent && previous_key.key_id === known.keyId, () => heard.body);
  hold(
    'acknowledged',
    scopes.every((scope) => known.scopes.includes(scope)),
    () => `more scopes than ${known.scopes}: ${heard.body}`,
  );
  // Without an overlap the key ends at once, wherever a clock stands.
  const atMs = body.overlap_minutes === 0 ? 0 : Date.parse(previous_key.works_until);
  if (known.ends === undefined || atMs < known.ends.atMs) known.ends = { atMs, knownAtMs: heard.heardMs };
  await noteKey(life, heard, known.network);
}

export async function floodQueries(life: Lifetime): Promise<void> {
  const known = someKey(life);
  if (known === undefined) return;
  const isolate = life.isolate();
  const asked = { method: 'GET', path: SELF, key: known.key, address: known.network } as const;
  let accepted = 0;
  const beganMs = life.time.nowMs;
  for (let count = 0; count < 70; count += 1) {
    const heard = await life.ask(isolate, asked);
    if (heard === undefined) return;
    if (heard.status === 200) accepted += 1;
  }
  const refilled = ((life.time.nowMs - beganMs) * RATE_LIMITS.keys.requests) / (RATE_LIMITS.keys.windowSeconds * 1_000);
  hold('quota', accepted <= RATE_LIMITS.keys.requests + refilled + 1, () => `${accepted} requests of one key in one isolate`);
}
