import { fromHex } from '../../provenance/bytes-and-sha256.ts';
import { canonicalDigest } from '../../provenance/canonical-json.ts';
import type { IntakeReceipt, IntakeRequest, SubmissionState, SubmissionStatus } from '../../schemas/intake/proposals.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { submissionApiPath } from '../../schemas/paths.ts';
import type { IntakePolicy } from '../../schemas/publisher.ts';
import { dayOf } from '../../schemas/time.ts';
import { decodeBase62, encodeBase62, equalInConstantTime, keyedDigest } from '../digests-and-base62.ts';
import {
  bodyDigest,
  decidingRecord,
  idempotencyKeyOf,
  type KeyScope,
  keyConflict,
  keyExpiry,
} from '../idempotency/bind-idempotency-key.ts';
import { type Corpus, withCorpus } from '../knowledge/corpus.ts';
import { consumeQuota } from '../limits/quotas.ts';
import type { Clock, IdempotencyRecord, Quotas, SigningSecret, SigningSecrets } from '../platform-ports.ts';
import { listFieldErrors, ok, type Result, reached, refuse } from '../result.ts';
import type { KnownProposal, ProposalStore, SentProposal } from './proposal-queue.ts';

interface ProposalSender {
  readonly agent: string;
  readonly network: string;
  readonly idempotencyKey: string;
  readonly sentBody: unknown;
}

interface IntakeDependencies {
  readonly baseUrl: string;
  readonly intake: IntakePolicy;
  readonly clock: Clock;
  readonly secrets: SigningSecrets;
  readonly corpus: Corpus;
  readonly quotas: Quotas;
  readonly proposals: ProposalStore;
}

export function proposalKeyScope(agent: string): KeyScope {
  return { caller: agent, endpoint: 'submitProposal' };
}

const FULL_QUEUE_RETRY_SECONDS = 3_600;

/** Checks a proposal by the rules for published content and stores it before responding. */
export async function submitProposal(request: IntakeRequest, sender: ProposalSender, deps: IntakeDependencies): Promise<Result<string>> {
  const { clock, proposals } = deps;
  const { note, ...proposal } = request;
  const keyed = { ...proposalKeyScope(sender.agent), ...sender };
  const bodySha256 = await bodyDigest(keyed);
  const sha256 = (await canonicalDigest(proposal)).slice('sha256:'.length);
  const slot = await idempotencyKeyOf(keyed);
  if (slot === undefined) throw new TypeError('a proposal needs an idempotency key');
  const nowMs = clock.nowMs();
  const load = (): Promise<KnownProposal | undefined> => proposals.load(slot, sender.agent, sha256, nowMs).catch(() => undefined);
  const known = await load();
  if (known === undefined) return notStored();
  const held = decidingRecord(known.stored, bodySha256);
  if (held !== undefined) return replay(held, bodySha256);
  if (deps.intake === 'closed') return refuse('intake_closed', 'The API of this deployment does not accept proposals.');
  const state = known.state ?? 'pending';
  if (known.own === undefined) {
    const examined = await examine(request, deps.corpus, dayOf(nowMs));
    if (!examined.ok) return examined;
    const admitted = known.state === undefined && known.waiting >= LIMITS.intakeQueueMax ? queueIsFull() : await takeQuotas(sender, deps);
    if (!admitted.ok) {
      // A retry may have stored the same request in the meantime and used up the quota.
      const meanwhile = await load();
      const heldMeanwhile = decidingRecord(meanwhile?.stored, bodySha256);
      return heldMeanwhile === undefined ? admitted : replay(heldMeanwhile, bodySha256);
    }
  }
  const receipt = await mintReceipt({ agent: sender.agent, sha256, receivedAtMs: nowMs }, deps.secrets[0]);
  const response = JSON.stringify(proposalReceipt(receipt, { sha256, state, nowMs, kind: request.kind }, sender.agent, deps.baseUrl));
  try {
    const stored = await proposals.store({
      slot,
      agent: sender.agent,
      sha256,
      kind: request.kind,
      capsuleId: request.capsule_id,
      body: JSON.stringify(proposal),
      note,
      receipt,
      record: { bodySha256, status: 202, response },
      receivedAtMs: nowMs,
      recordExpiresAtMs: keyExpiry(nowMs),
    });
    const decided = decidingRecord(stored, bodySha256);
    return decided === undefined ? queueIsFull() : replay(decided, bodySha256);
  } catch {
    return notStored();
  }
}

async function examine(request: IntakeRequest, corpus: Corpus, today: string): Promise<Result<undefined>> {
  // The checks bring a parser of markdown, so isolates load them with their first proposal.
  const { checkFields, examineCapsule, examineCorrection } = await import('./check-proposal.ts');
  const inFields = checkFields(request);
  const examined = await withCorpus(corpus, async () =>
    request.kind === 'capsule' ? examineCapsule(request, corpus.newest, today) : examineCorrection(request, corpus.newest, today),
  );
  if (!examined.ok && (examined.refusal.code === 'already_published' || inFields.length === 0)) return examined;
  const all = [...inFields, ...(examined.ok ? examined.value : [])];
  const errors = [...new Map(all.map((error) => [`${error.pointer} ${error.message}`, error])).values()];
  if (errors.length === 0) return ok(undefined);
  const { detail, ...listed } = listFieldErrors('The proposal', errors, 50);
  return refuse('submission_refused', detail, listed);
}

/** Takes the network's quota first: an agent whose network has none left loses nothing of its own. */
async function takeQuotas({ agent, network }: ProposalSender, { quotas, clock }: IntakeDependencies): Promise<Result<undefined>> {
  const shared = await consumeQuota(quotas, 'network_proposals', network, clock);
  return shared.ok ? consumeQuota(quotas, 'proposals', agent, clock) : shared;
}

function replay(given: IdempotencyRecord, bodySha256: string): Result<string> {
  return given.bodySha256 === bodySha256 ? ok(given.response) : keyConflict();
}

function queueIsFull(): Result<never> {
  return refuse('quota_exceeded', `${LIMITS.intakeQueueMax} proposals await a decision, so the queue is full at the moment.`, {
    retryAfterSeconds: FULL_QUEUE_RETRY_SECONDS,
  });
}

function notStored(): Result<never> {
  return refuse('state_unavailable', 'The proposal could not be stored, or the outcome is unknown. Retry with the same Idempotency-Key.');
}

export function proposalReceipt(
  receipt: string,
  facts: { sha256: string; state: SubmissionState; nowMs: number; kind: IntakeRequest['kind'] },
  agent: string,
  baseUrl: string,
): IntakeReceipt {
  return {
    receipt,
    kind: facts.kind,
    proposal_sha256: facts.sha256,
    state: facts.state,
    agent_id: `agt_${agent}`,
    received_at: new Date(facts.nowMs).toISOString(),
    status_url: baseUrl + submissionApiPath(receipt),
  };
}

/**
 * The state of a proposal, for the agent that sent it. Foreign receipts get the same response without a database read, so neither response nor
 * timing reveals whether a proposal exists.
 */
export async function readProposal(
  receipt: string,
  agent: string,
  secrets: SigningSecrets,
  proposals: ProposalStore,
): Promise<Result<SubmissionStatus>> {
  if ((await isReceiptOf(receipt, agent, secrets)) === false) return noSuchProposal();
  const read = await reached(proposals.read(receipt, agent), 'The state of the proposal could not be read.');
  if (!read.ok) return read;
  const record = read.value;
  if (record === undefined) return noSuchProposal();
  return ok({
    receipt,
    kind: record.kind,
    capsule_id: record.capsuleId,
    proposal_sha256: record.sha256,
    state: record.state,
    received_at: new Date(record.receivedAtMs).toISOString(),
    ...(record.decidedAtMs === undefined ? {} : { decided_at: new Date(record.decidedAtMs).toISOString() }),
    ...(record.reason === undefined ? {} : { reason: record.reason }),
  });
}

function noSuchProposal(): Result<never> {
  return refuse('submission_not_found', 'No proposal of this agent has this receipt.');
}

/**
 * A receipt is self-contained, like an API key. Unlike a key it outlives its secret, because the database stores it too.
 *
 * Text: `rcp_` and 54 base-62 digits of payload (24 bytes) and MAC (16 bytes). Payload, big-endian: format version 1 byte, signing-secret id 1,
 * milliseconds since the epoch 6, first half of the proposal's digest 16. MAC: a {@link keyedDigest} of the agent and the payload.
 */
type ReceiptPayload = Pick<SentProposal, 'agent' | 'sha256' | 'receivedAtMs'>;

const PREFIX = 'rcp_';
const FORMAT_VERSION = 1;
const PAYLOAD_BYTES = 24;
const MAC_BYTES = 16;
const DIGITS = 54;
const PURPOSE = 'receipt of a proposal';

export async function mintReceipt({ agent, sha256, receivedAtMs }: ReceiptPayload, secret: SigningSecret): Promise<string> {
  const body = new Uint8Array(PAYLOAD_BYTES + MAC_BYTES);
  const view = new DataView(body.buffer);
  view.setUint8(0, FORMAT_VERSION);
  view.setUint8(1, secret.id);
  view.setUint16(2, Math.floor(receivedAtMs / 2 ** 32));
  view.setUint32(4, receivedAtMs % 2 ** 32);
  body.set(fromHex(sha256.slice(0, 32)), 8);
  body.set(await macOf(agent, body.subarray(0, PAYLOAD_BYTES), secret), PAYLOAD_BYTES);
  return PREFIX + encodeBase62(body, DIGITS);
}

/** Whether this service issued the receipt to the agent; `undefined` if its secret is no longer in force. Takes the same time for all. */
export async function isReceiptOf(receipt: string, agent: string, secrets: SigningSecrets): Promise<boolean | undefined> {
  if (!/^rcp_[0-9A-Za-z]{54}$/.test(receipt)) return false;
  const body = decodeBase62(receipt.slice(PREFIX.length), PAYLOAD_BYTES + MAC_BYTES);
  if (body === undefined || body[0] !== FORMAT_VERSION) return false;
  const secret = secrets.find(({ id }) => id === body[1]);
  if (secret === undefined) return undefined;
  return equalInConstantTime(await macOf(agent, body.subarray(0, PAYLOAD_BYTES), secret), body.subarray(PAYLOAD_BYTES));
}

async function macOf(agent: string, payload: Uint8Array, secret: SigningSecret): Promise<Uint8Array> {
  return (await keyedDigest(secret, PURPOSE, new TextEncoder().encode(agent), payload)).subarray(0, MAC_BYTES);
}
