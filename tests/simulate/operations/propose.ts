import { setGrant } from '../../../src/platform/d1/agent-store.ts';
import { decideProposal, findProposal } from '../../../src/platform/d1/proposal-store.ts';
import { canonicalDigest } from '../../../src/provenance/canonical-json.ts';
import { type IntakeReceipt, IntakeRequest, type SubmissionStatus } from '../../../src/schemas/intake/proposals.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { capsuleApiPath, PATHS, submissionApiPath } from '../../../src/schemas/paths.ts';
import { below } from '../../eval/random.ts';
import { isKept, type KnownKey, type KnownProposal, type Slot, UNSENT } from '../knowledge.ts';
import type { Heard, Lifetime } from '../lifetime.ts';
import { hold } from '../violation.ts';
import { askWithKey, someKey } from './read.ts';

const INTAKE = `${PATHS.publicCapsules}/intake`;
const HOUR_MS = 3_600_000;

/** Passages of the publication, each with the capsule in which it stands; the last one stands there more than once. */
const PASSAGES = [
  { capsule_id: 'http-freshness', version: '1.0.0', quote: 'A fresh response may be reused without contacting the origin.' },
  { capsule_id: 'stemming', version: '1.0.0', quote: 'The result need not be a word' },
  { capsule_id: 'stemming', version: '1.0.0', quote: 'It is a key for matching and must not be shown to readers.' },
  { capsule_id: 'bm25', version: '1.0.0', quote: 'BM25' },
];

function submitter(life: Lifetime): KnownKey | undefined {
  const able = life.known.keys.filter((key) => key.scopes.includes('submit') || life.known.grants.get(key.agent) === 'yes');
  const alive = able.filter((key) => !key.mayBeRevoked && key.expiresAtMs > life.time.nowMs);
  const from = alive.length > 0 && life.chance(0.8) ? alive : able;
  return from.length === 0 ? undefined : life.pick(from);
}

export async function grant(life: Lifetime): Promise<void> {
  const known = someKey(life);
  if (known === undefined) return;
  const isGranted = life.chance(0.9);
  const agent = known.agent.slice('agt_'.length);
  life.known.grants.set(known.agent, 'maybe');
  await setGrant(life.database.binding(), agent, 'submit', isGranted).all();
  // Two at the same time come in some order, and an agent whose record was never written has nothing that is granted to it.
  const [row] = life.database.look('SELECT granted_scopes FROM agents WHERE agent = ?1', agent);
  const holds = String(row?.['granted_scopes']).includes('submit');
  life.known.grants.set(known.agent, holds ? 'yes' : 'no');
  life.note(`${known.agent} ${holds ? 'may' : 'may not'} submit`);
}

export async function propose(life: Lifetime): Promise<void> {
  const known = submitter(life) ?? someKey(life);
  if (known === undefined) return;
  const slot = newSlot(life, known);
  life.known.submissions.push(slot);
  await sendProposal(life, slot, known);
}

/** A correction that nobody proposed before. */
function newSlot(life: Lifetime, key: KnownKey): Slot {
  const marker = `zq${below(life.random, 1_000_000_000).toString(36)}`;
  const replacement = `The ${marker} passage stands here instead`;
  const body = {
    kind: 'correction',
    ...life.pick(life.chance(0.9) ? PASSAGES.slice(0, 3) : PASSAGES),
    replacement,
    reason: `Because of ${marker}.`,
  };
  return { ...UNSENT, idempotencyKey: life.fresh('propose'), body, network: key.network, key };
}

export async function repeatProposal(life: Lifetime): Promise<void> {
  if (life.known.submissions.length === 0) return;
  const alive = life.known.submissions.filter(({ key }) => key?.mayBeRevoked === false);
  const slot = life.pick(alive.length > 0 && life.chance(0.8) ? alive : life.known.submissions);
  if (slot.key === undefined) return;
  if (life.chance(0.7)) return sendProposal(life, slot, slot.key);
  const key = life.chance(0.5) ? slot.key : (submitter(life) ?? slot.key);
  const again: Slot = { ...slot, key, idempotencyKey: life.fresh('again'), answer: undefined, acknowledgedMs: undefined };
  life.known.submissions.push(again);
  return sendProposal(life, again, key);
}

export async function proposeAtOnce(life: Lifetime): Promise<void> {
  const [slot] = life.known.submissions.slice(-1);
  if (slot?.key === undefined) return;
  const { key } = slot;
  await Promise.all([1, 2].map(() => sendProposal(life, slot, key)));
}

async function sendProposal(life: Lifetime, slot: Slot, known: KnownKey): Promise<void> {
  const { idempotencyKey, body } = slot;
  const couldSubmit = maySubmit(life, known);
  const heard = await askWithKey(life, life.isolate(), { method: 'POST', path: INTAKE, body, idempotencyKey }, known, 'submit');
  if (heard === undefined || life.chance(0.15)) return;
  const canSubmit = maySubmit(life, known);
  const mustSubmit = couldSubmit === 'yes' && canSubmit === 'yes';
  if (heard.code === 'insufficient_scope') hold('acknowledged', !mustSubmit, () => `${known.agent} was granted submit`);
  if (heard.code === 'idempotency_conflict') hold('one-effect', slot.hasRival, () => `${idempotencyKey}: ${heard.body}`);
  if (heard.status !== 202) return;
  hold('acknowledged', couldSubmit !== 'no' || canSubmit !== 'no', () => `${known.agent} may not submit: ${heard.body}`);
  if (isKept(slot, heard.heardMs))
    hold('one-effect', heard.body === slot.answer, () => `${idempotencyKey}\n  ${slot.answer}\n  ${heard.body}`);
  else slot.acknowledgedMs = heard.heardMs;
  slot.answer = heard.body;
  await noteReceipt(life, heard, slot, known);
}

function maySubmit(life: Lifetime, known: KnownKey): 'yes' | 'no' | 'maybe' {
  return known.scopes.includes('submit') ? 'yes' : (life.known.grants.get(known.agent) ?? 'no');
}

async function noteReceipt(life: Lifetime, heard: Heard, slot: Slot, known: KnownKey): Promise<void> {
  const receipt = JSON.parse(heard.body) as IntakeReceipt;
  const request = IntakeRequest.parse(slot.body);
  const { note: _, ...proposal } = request;
  const marker = /zq\w+/.exec(JSON.stringify(slot.body))?.[0] ?? '';
  hold('acknowledged', receipt.agent_id === known.agent, () => heard.body);
  life.later(async () => hold('acknowledged', `sha256:${receipt.proposal_sha256}` === (await canonicalDigest(proposal)), () => heard.body));
  const ofAgent = life.known.proposals.find(({ sha256, key }) => sha256 === receipt.proposal_sha256 && key.agent === known.agent);
  if (ofAgent !== undefined) {
    hold('one-effect', ofAgent.receipt === receipt.receipt, () => `a second receipt of ${known.agent} for one proposal: ${heard.body}`);
    return;
  }
  const { receipt: id, proposal_sha256: sha256 } = receipt;
  life.known.proposals.push({ receipt: id, key: known, capsuleId: request.capsule_id, sha256, marker });
}

export async function readProposal(life: Lifetime): Promise<void> {
  if (life.known.proposals.length === 0) return;
  const proposal = life.pick(life.known.proposals);
  const key = life.pick(life.known.keys.filter(({ agent }) => agent === proposal.key.agent));
  const before = life.known.decisions.get(proposal.sha256)?.state ?? 'pending';
  const heard = await askWithKey(life, life.isolate(), { method: 'GET', path: submissionApiPath(proposal.receipt) }, key, 'key');
  if (heard === undefined || heard.status === 401 || heard.status === 429 || heard.status === 503) return;
  const decidedMs = life.known.decisions.get(proposal.sha256)?.atMs;
  // An old decision need not be told any more.
  const isOld = decidedMs !== undefined && heard.heardMs - decidedMs > LIMITS.decisionKeptDays * 24 * HOUR_MS;
  if (isOld && heard.code === 'submission_not_found') return;
  hold('acknowledged', heard.status === 200, () => `${proposal.receipt}: ${heard.body}`);
  const status = JSON.parse(heard.body) as SubmissionStatus;
  const after = life.known.decisions.get(proposal.sha256)?.state ?? 'pending';
  const fits =
    status.receipt === proposal.receipt && status.proposal_sha256 === proposal.sha256 && status.capsule_id === proposal.capsuleId;
  hold('acknowledged', fits && (status.state === before || status.state === after), () => `${before}, ${after}: ${heard.body}`);
}

export async function readForeignProposal(life: Lifetime): Promise<void> {
  if (life.known.proposals.length === 0) return;
  const proposal: KnownProposal = life.pick(life.known.proposals);
  const others = life.known.keys.filter(({ agent }) => agent !== proposal.key.agent);
  if (others.length === 0) return;
  const other = life.pick(others);
  const isolate = life.isolate();
  const digits = proposal.receipt.slice(4);
  const unknown = `rcp_${[...digits].reverse().join('')}`;
  const ask = (receipt: string) => askWithKey(life, isolate, { method: 'GET', path: submissionApiPath(receipt) }, other, 'key');
  const answers = [await ask(proposal.receipt), await ask(unknown)] as const;
  const bodies = answers.map((heard, at) => heard?.body.replaceAll(at === 0 ? proposal.receipt : unknown, '{receipt}'));
  hold('not-public', answers[0]?.status !== 200, () => `${other.agent} reads ${proposal.receipt}: ${answers[0]?.body}`);
  if (answers.every((heard) => heard?.status === 404)) hold('not-public', bodies[0] === bodies[1], () => `${bodies[0]}\n  ${bodies[1]}`);
}

export async function lookForProposal(life: Lifetime): Promise<void> {
  if (life.known.proposals.length === 0) return;
  const proposal = life.pick(life.known.proposals);
  const isolate = life.isolate();
  const read = await life.ask(isolate, { method: 'GET', path: capsuleApiPath(proposal.capsuleId) });
  hold('not-public', !read?.body.includes(proposal.marker), () => `${proposal.marker} stands in ${proposal.capsuleId}`);
  const status = await life.ask(isolate, { method: 'GET', path: INTAKE });
  hold('not-public', !status?.body.includes(proposal.marker), () => `${proposal.marker} stands in ${INTAKE}`);
}

export async function decide(life: Lifetime): Promise<void> {
  if (life.known.proposals.length === 0) return;
  const { sha256, receipt } = life.pick(life.known.proposals);
  const state = life.chance(0.5) ? 'accepted' : 'rejected';
  const isFirst = !life.known.decisions.has(sha256);
  if (isFirst) life.known.decisions.set(sha256, { state, atMs: life.time.nowMs });
  const database = life.database.binding();
  const stored = await findProposal(database, receipt);
  if (stored === undefined) return;
  const reason = state === 'rejected' ? { reason: 'It is not so.' } : {};
  const hasDecided = await decideProposal(database, stored.number, { state, atMs: life.time.nowMs, ...reason });
  life.note(`${sha256.slice(0, 8)} is ${hasDecided ? state : 'decided already'}`);
  hold('acknowledged', hasDecided === isFirst, () => `${receipt} is decided ${isFirst ? 'although nobody decided' : 'twice'}`);
}

export async function floodProposals(life: Lifetime): Promise<void> {
  const known = submitter(life);
  if (known === undefined) return;
  for (let count = 0; count < 23; count += 1) {
    const slot = newSlot(life, known);
    life.known.submissions.push(slot);
    await sendProposal(life, slot, known);
  }
}
