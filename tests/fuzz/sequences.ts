import { createHash } from 'node:crypto';
import { ACP_VERSION } from '../../src/protocols/acp/schemas/responses.ts';
import { LIMITS } from '../../src/schemas/limits.ts';
import { checkoutSessionPath, PATHS, submissionApiPath } from '../../src/schemas/paths.ts';
import { below } from '../eval/random.ts';
import { CONTACT_CANARY, IDEMPOTENCY_CANARY } from './canaries.ts';
import type { FuzzRun } from './fuzz-run.ts';
import { payAndTake, tellDamaged } from './paying-walks.ts';
import { Walk } from './walk.ts';

/** A walk through several operations, each with what the one before answered. */
interface Sequence {
  readonly name: string;
  /** @returns Whether the walk came to its end; what is wrong on the way is noted in the run. */
  readonly walk: (run: FuzzRun) => Promise<boolean>;
  readonly seldom?: true;
}

const query = `${PATHS.gateway}/query`;

/** Registers, asks, and pages on to the end: no capsule twice, none left out. */
async function pageOn(run: FuzzRun): Promise<boolean> {
  const walk = new Walk(run);
  const agent = await walk.register();
  if (!walk.ended(agent, 'register', 201)) return false;
  const key = agent.text('api_key');
  const words = ['agent payment', 'cache', 'how do I sign json', 'idempotency key header', 'nothing zzzzqqqq'];
  const body = { query: words[below(run.random, words.length)], max_results: 1 + below(run.random, 20) };
  const seen = new Set<string>();
  for (let cursor: unknown = undefined, turn = 0; turn < 30; turn += 1) {
    const page = await walk.send('POST', query, { key, body: cursor === undefined ? body : { ...body, cursor } });
    if (!walk.ended(page, 'page on', 200)) return false;
    for (const { capsule_id: id } of page.value['results'] as { capsule_id: string }[]) {
      if (seen.has(id)) walk.wrong(`page on: ${id} is found twice`, page);
      seen.add(id);
    }
    const place = page.value['page'] as { next_cursor: string | null; total: number };
    cursor = place.next_cursor;
    if (cursor === null && seen.size !== place.total) walk.wrong(`page on: ${seen.size} of ${place.total} were found`, page);
    if (cursor === null) break;
    if (turn === 0) {
      const foreign = await walk.send('POST', query, { key, body: { query: 'another question', cursor } });
      if (!walk.ended(foreign, 'a cursor of another query', 'invalid_cursor')) return false;
    }
  }
  return true;
}

/** Registers twice under one idempotency key: the same answer; with another body: refused. */
async function registerAgain(run: FuzzRun): Promise<boolean> {
  const walk = new Walk(run);
  const headers = { 'Idempotency-Key': `${IDEMPOTENCY_CANARY}${walk.word(24)}` };
  const body = { contact: `${CONTACT_CANARY}${walk.word(8)}` };
  const first = await walk.register(body, headers);
  if (!walk.ended(first, 'register', 201)) return false;
  const again = await walk.register(body, headers);
  if (!walk.ended(again, 'register again', 201)) return false;
  if (first.text('api_key') !== again.text('api_key')) walk.wrong('register again: another key', again);
  return walk.ended(await walk.register({ ...body, agent_name: 'another' }, headers), 'register another', 'idempotency_conflict');
}

/** Registers, rotates, revokes, and uses each key after each step. */
async function rotateAndRevoke(run: FuzzRun): Promise<boolean> {
  const walk = new Walk(run);
  const [rotate, revoke, self] = [`${PATHS.agentKeys}/rotate`, `${PATHS.agentKeys}/revoke`, `${PATHS.agentKeys}/self`];
  const agent = await walk.register();
  if (!walk.ended(agent, 'register', 201)) return false;
  const old = agent.text('api_key');
  const facts = await walk.send('GET', self, { key: old });
  if (!walk.ended(facts, 'a fresh key', 200)) return false;
  if (facts.text('agent_id') !== agent.text('agent_id')) walk.wrong('a fresh key is of another agent', facts);
  const rotated = await walk.send('POST', rotate, {
    key: old,
    body: { overlap_minutes: 10 },
    headers: { 'Idempotency-Key': `${IDEMPOTENCY_CANARY}${walk.word(24)}` },
  });
  if (!walk.ended(rotated, 'rotate', 200, 201)) return false;
  const fresh = rotated.text('api_key');
  if (rotated.text('agent_id') !== agent.text('agent_id')) walk.wrong('rotate: the new key is of another agent', rotated);
  for (const key of [old, fresh]) if (!walk.ended(await walk.send('GET', self, { key }), 'both keys in the overlap', 200)) return false;
  const all = below(run.random, 2) === 1;
  if (!walk.ended(await walk.send('POST', revoke, { key: fresh, body: { keys: all ? 'all' : 'this' } }), 'revoke', 200)) return false;
  if (!walk.ended(await walk.send('GET', self, { key: fresh }), 'a revoked key', 'api_key_revoked')) return false;
  if (
    !walk.ended(await walk.send('POST', query, { key: fresh, body: { query: 'cache' } }), 'a query with a revoked key', 'api_key_revoked')
  )
    return false;
  return walk.ended(await walk.send('GET', self, { key: old }), 'the other key', ...(all ? ['api_key_revoked'] : [200]));
}

/** Solves a challenge, registers with the scope submit, proposes, repeats, reads the state, and lets others try to read it. */
async function propose(run: FuzzRun): Promise<boolean> {
  const walk = new Walk(run);
  const [challenge, intake] = [`${PATHS.gateway}/challenge`, `${PATHS.publicCapsules}/intake`];
  const asked = await walk.send('GET', challenge);
  if (!walk.ended(asked, 'challenge', 200)) return false;
  const solved = { token: asked.text('token'), solution: solve(asked.text('token'), Number(asked.value['difficulty_bits'])) };
  const changed = `${solved.token.slice(0, -1)}${solved.token.endsWith('A') ? 'B' : 'A'}`;
  const wrong = await walk.register({ scopes: ['read', 'submit'], challenge: { ...solved, token: changed } });
  if (!walk.ended(wrong, 'a challenge that is changed', 'challenge_invalid')) return false;
  const agent = await walk.register({ scopes: ['read', 'submit'], challenge: solved });
  if (!walk.ended(agent, 'register to submit', 201)) return false;
  const key = agent.text('api_key');
  const headers = { 'Idempotency-Key': `${IDEMPOTENCY_CANARY}${walk.word(24)}` };
  const sentences = Array.from(
    { length: 25 },
    () => `A cache of ${walk.word(12)} may keep what ${walk.word(9)} answered, and says so.[^rfc9110]`,
  );
  const body = { kind: 'capsule', capsule_id: `walk-${walk.word(10)}`, metadata: METADATA, markdown: `${sentences.join('\n\n')}\n` };
  const receipt = await walk.send('POST', intake, { key, body, headers });
  if (!walk.ended(receipt, 'propose', 202)) return false;
  const again = await walk.send('POST', intake, { key, body, headers });
  if (!walk.ended(again, 'propose again', 202)) return false;
  if (again.text('receipt') !== receipt.text('receipt')) walk.wrong('propose again: another receipt', again);
  const path = submissionApiPath(receipt.text('receipt'));
  const state = await walk.send('GET', path, { key });
  if (!walk.ended(state, 'the state of a proposal', 200)) return false;
  if (state.text('state') !== 'pending') walk.wrong('the state of a proposal is not pending', state);
  const other = await new Walk(run).register();
  if (other.status !== 201) return true;
  return walk.ended(
    await walk.send('GET', path, { key: other.text('api_key') }),
    'the state, asked by another',
    'submission_not_found',
    'insufficient_scope',
  );
}

/** Opens a checkout session, repeats that, changes it, tries to pay it, gives it up, and lets others try to read it. */
async function buy(run: FuzzRun): Promise<boolean> {
  const walk = new Walk(run);
  const agent = await walk.register({ scopes: ['read', 'buy'] });
  if (!walk.ended(agent, 'register to buy', 201)) return false;
  const key = agent.text('api_key');
  const headers = (): Record<string, string> => ({
    'API-Version': ACP_VERSION,
    'Idempotency-Key': `${IDEMPOTENCY_CANARY}${walk.word(24)}`,
  });
  const sessions = `${PATHS.acp}/checkout_sessions`;
  const first = headers();
  const body = { line_items: [{ id: 'evidence-review' }], currency: 'usd', capabilities: {} };
  const opened = await walk.send('POST', sessions, { key, body, headers: first });
  if (!walk.ended(opened, 'open a session', 201)) return false;
  const path = `${sessions}/${opened.text('id')}`;
  const again = await walk.send('POST', sessions, { key, body, headers: first });
  if (!walk.ended(again, 'open it again', 201)) return false;
  if (again.text('id') !== opened.text('id')) walk.wrong('open it again: another session', again);
  const other = await walk.send('POST', sessions, { key, body: { ...body, order_notes: 'x' }, headers: first });
  if (!walk.ended(other, 'another body under its key', 422)) return false;
  const buyer = { email: 'buyer@example.com' };
  if (!walk.ended(await walk.send('POST', path, { key, body: { buyer }, headers: headers() }), 'name a buyer', 200)) return false;
  const read = await walk.send('GET', path, { key, headers: headers() });
  if (!walk.ended(read, 'read it', 200)) return false;
  if (JSON.stringify(read.value['buyer']) !== JSON.stringify(buyer)) walk.wrong('read it: another buyer', read);
  const led = await walk.send('GET', checkoutSessionPath(opened.text('id')));
  if (!walk.ended(led, 'go to its checkout', 303)) return false;
  const credential = { type: 'spt', token: 'spt_123' };
  const payment_data = { handler_id: 'card_tokenized', instrument: { type: 'card', credential } };
  const paid = await walk.send('POST', `${path}/complete`, { key, body: { payment_data }, headers: headers() });
  if (!walk.ended(paid, 'pay where no token is taken', 400)) return false;
  const stranger = await new Walk(run).register({ scopes: ['read', 'buy'] });
  if (stranger.status === 201) {
    const strange = await walk.send('GET', path, { key: stranger.text('api_key'), headers: headers() });
    if (!walk.ended(strange, 'read by another', 404)) return false;
  }
  if (!walk.ended(await walk.send('POST', `${path}/cancel`, { key, headers: headers() }), 'cancel', 200)) return false;
  return walk.ended(await walk.send('POST', `${path}/cancel`, { key, headers: headers() }), 'cancel again', 405);
}

/** Begins the checkout of a cart as a page does, and walks through a checkout of the other protocol. */
async function buyElsewhere(run: FuzzRun): Promise<boolean> {
  const walk = new Walk(run);
  const begun = await walk.send('POST', PATHS.checkout, { body: { items: 'evidence-review:1' } });
  if (!walk.ended(begun, 'begin the checkout of a cart', 303)) return false;
  const headers = { 'UCP-Agent': 'profile="https://agent.example/profile.json"' };
  const checkouts = `${PATHS.ucp}/checkout-sessions`;
  const body = { line_items: [{ item: { id: 'evidence-review' }, quantity: 1 }] };
  const opened = await walk.send('POST', checkouts, { body, headers });
  if (!walk.ended(opened, 'open a checkout', 201)) return false;
  const path = `${checkouts}/${opened.text('id')}`;
  if (!walk.ended(await walk.send('GET', path, { headers }), 'read the checkout', 200)) return false;
  if (!walk.ended(await walk.send('PUT', path, { body, headers }), 'change the checkout', 200)) return false;
  return walk.ended(await walk.send('POST', `${path}/cancel`, { headers }), 'cancel the checkout', 200);
}

const METADATA = {
  title: 'A walk through several operations says what it found',
  summary: 'A proposal that a generated walk makes, with one source and one sentence, so that the queue of proposals has something in it.',
  type: 'concept',
  tags: ['agents', 'http'],
  language: 'en',
  license: 'CC-BY-4.0',
  evidence: 'documented',
  sources: [
    {
      key: 'rfc9110',
      title: 'HTTP Semantics',
      url: 'https://www.rfc-editor.org/rfc/rfc9110',
      publisher: 'IETF',
      kind: 'standard',
      retrieved: '2026-11-21',
    },
  ],
};

/** Solves a challenge as its description says; solutions are counted up. */
function solve(token: string, bits: number): string {
  for (let count = 0; count < 2 ** (LIMITS.challengeBitsMax + 4); count += 1) {
    const digest = createHash('sha256').update(`${token}.${count}`).digest();
    if (digest.readUInt32BE(0) >>> (32 - bits) === 0) return String(count);
  }
  throw new Error('a challenge has no solution');
}

/** All walks, the quick ones more often: a challenge takes some thousand digests. */
export const SEQUENCES: readonly Sequence[] = [
  { name: 'register, query, page on', walk: pageOn },
  { name: 'register, register again', walk: registerAgain },
  { name: 'register, rotate, revoke, use', walk: rotateAndRevoke },
  { name: 'challenge, register, propose, replay, state', walk: propose, seldom: true },
  { name: 'register, open a session, replay, change, read, pay, cancel', walk: buy },
  { name: 'begin a checkout, open one of another protocol, change, cancel', walk: buyElsewhere },
  { name: 'open a session, have it paid, see the order, take what it delivers, have it paid back', walk: payAndTake },
  { name: 'open a session, tell of it in damaged messages, have it paid', walk: tellDamaged },
];
