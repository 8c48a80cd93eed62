import type { Registration } from '../../../src/schemas/agents.ts';
import type { Challenge, Scope } from '../../../src/schemas/api-keys.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { solveChallenge } from '../../support/solve-challenge.ts';
import { isKept, KnownKey, type Slot, UNSENT } from '../knowledge.ts';
import type { Heard, Lifetime } from '../lifetime.ts';
import { hold } from '../violation.ts';
import { queryOn } from './read.ts';

const REGISTER = `${PATHS.gateway}/register`;

const NETWORKS = ['192.0.2.7', '198.51.100.9', '203.0.113.20', '2001:db8:1:2::5', '2001:db8:9::1'];

const someAddress = (life: Lifetime): string => life.pick(NETWORKS);

export async function register(life: Lifetime): Promise<void> {
  const scopes: Scope[] | undefined = life.chance(0.3) ? ['read', 'buy'] : undefined;
  const body = { agent_name: life.fresh('agent'), ...(scopes ? { scopes } : {}) };
  const network = someAddress(life);
  if (life.chance(0.4)) return registerPlainly(life, body, network);
  const slot: Slot = { idempotencyKey: life.fresh('register'), body, network, key: undefined, ...UNSENT };
  life.known.registrations.push(slot);
  return sendRegistration(life, slot);
}

async function registerPlainly(life: Lifetime, body: object, network: string): Promise<void> {
  const heard = await life.ask(life.isolate(), { method: 'POST', path: REGISTER, body, address: network });
  if (heard?.status === 201 && !life.chance(0.2)) await noteKey(life, heard, network);
}

export async function repeatRegistration(life: Lifetime): Promise<void> {
  if (life.known.registrations.length === 0) return;
  return sendRegistration(life, life.pick(life.known.registrations));
}

export async function registerAtOnce(life: Lifetime): Promise<void> {
  if (life.known.registrations.length === 0) return;
  const slot = life.pick(life.known.registrations);
  await Promise.all([1, 2, 3].map(() => sendRegistration(life, slot)));
}

export async function conflictingRegistration(life: Lifetime): Promise<void> {
  if (life.known.registrations.length === 0) return;
  const slot = life.pick(life.known.registrations);
  slot.hasRival = true;
  const asked = { body: { agent_name: life.fresh('rival') }, idempotencyKey: slot.idempotencyKey, address: slot.network };
  const heard = await life.ask(life.isolate(), { method: 'POST', path: REGISTER, ...asked });
  if (heard?.status !== 201 || slot.acknowledgedMs === undefined) return;
  // Its answer is not noted: what matters is that a kept registration is not replaced.
  hold('one-effect', !isKept(slot, heard.heardMs), () => `${slot.idempotencyKey} was given to another body: ${heard.body}`);
  slot.acknowledgedMs = undefined;
}

async function sendRegistration(life: Lifetime, slot: Slot): Promise<void> {
  const { idempotencyKey, body, network } = slot;
  const heard = await life.ask(life.isolate(), { method: 'POST', path: REGISTER, body, idempotencyKey, address: network });
  if (heard === undefined || life.chance(0.15)) return;
  if (heard.code === 'idempotency_conflict') hold('one-effect', slot.hasRival, () => `${idempotencyKey} has no rival: ${heard.body}`);
  if (heard.status !== 201) return;
  if (isKept(slot, heard.heardMs))
    hold('one-effect', heard.body === slot.answer, () => `${idempotencyKey}\n  ${slot.answer}\n  ${heard.body}`);
  if (slot.acknowledgedMs === undefined || heard.body !== slot.answer) {
    slot.acknowledgedMs = heard.heardMs;
    slot.answer = heard.body;
    await noteKey(life, heard, network);
  }
}

/** Remembers a key that was answered, and holds that it is accepted elsewhere at once. */
export async function noteKey(life: Lifetime, heard: Heard, network: string): Promise<KnownKey> {
  const known = new KnownKey(JSON.parse(heard.body) as Registration, network);
  life.known.networks.set(known.agent, network);
  const present = life.known.keys.find(({ key }) => key === known.key);
  if (present !== undefined) return present;
  life.known.keys.push(known);
  if (life.known.revokedAgents.has(known.agent)) {
    known.mayBeRevoked = true;
    known.doubts += 1;
  }
  if (life.chance(0.3)) await useWithoutStores(life, known);
  return known;
}

async function useWithoutStores(life: Lifetime, known: KnownKey): Promise<void> {
  const place = life.pick(life.places);
  const { database, keyValue } = place;
  life.note(`${place.name} loses its stores`);
  life.weather(place, 'refuses', 'refuses');
  const heard = await queryOn(life, life.chance(0.15) ? life.startIsolate(place) : life.isolate(place), known);
  const isOwn = known.mayBeRevoked || heard === undefined || heard.clockAtEndMs >= known.expiresAtMs;
  hold('fresh-key', isOwn || (heard.status !== 401 && heard.status !== 403), () => `${known.keyId}: ${heard?.body}`);
  life.weather(place, database, keyValue);
}

export async function floodRegistrations(life: Lifetime): Promise<void> {
  const network = someAddress(life);
  for (let count = 0; count < 24; count += 1) {
    const isolate = life.isolate();
    const asked = life.chance(0.5) ? { idempotencyKey: life.fresh('flood') } : {};
    const heard = await life.ask(isolate, {
      method: 'POST',
      path: REGISTER,
      body: { agent_name: `flood ${count}` },
      address: network,
      ...asked,
    });
    if (heard?.status === 201) life.known.networks.set((JSON.parse(heard.body) as Registration).agent_id, network);
  }
}

/** An agent solves a challenge for the scope submit, and sends the same solution twice: a token stands for one agent. */
export async function registerWithChallenge(life: Lifetime): Promise<void> {
  const address = someAddress(life);
  const given = await life.ask(life.isolate(), { method: 'GET', path: `${PATHS.gateway}/challenge`, address });
  if (given?.status !== 200) return;
  const challenge = JSON.parse(given.body) as Challenge;
  // The fewest bits take some milliseconds; the most would take seconds.
  if (challenge.difficulty_bits > LIMITS.challengeBitsMin) return;
  const body = { agent_name: life.fresh('solver'), scopes: ['read', 'submit'], challenge: await solveChallenge(challenge) };
  const agents = new Set<string>();
  for (let count = 0; count < 2; count += 1) {
    const heard = await life.ask(life.isolate(), { method: 'POST', path: REGISTER, body, address });
    if (heard?.status !== 201) continue;
    const known = await noteKey(life, heard, address);
    hold('acknowledged', known.scopes.includes('submit'), () => heard.body);
    agents.add(known.agent);
  }
  hold('one-effect', agents.size <= 1, () => `one token, agents ${[...agents].join(' ')}`);
}
