import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { IntakeReceipt } from '../../../src/schemas/intake/proposals.ts';
import { LIMITS, QUOTAS } from '../../../src/schemas/limits.ts';
import { submissionApiPath } from '../../../src/schemas/paths.ts';
import { builtGenerated, type Requests } from '../../support/edge-gateway.ts';
import { expectProblem, expectSharedHeaders } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { capsuleProposal, correctionProposal, INTAKE, proposalDigest, proposerHeaders } from '../../support/proposals.ts';

const gateway = useInProcessGateway();
const granted = useInProcessGateway(async () => ({
  generated: { deployment: { ...(await builtGenerated()).deployment, intake: 'granted' as const } },
}));

type Sender = Parameters<typeof proposerHeaders>[0];
const send = async (proposal: unknown, sender: Sender = {}, service: Requests = gateway): Promise<Response> =>
  service.post(INTAKE, proposal, await proposerHeaders(sender));
const take = async (...request: Parameters<typeof send>): Promise<IntakeReceipt> => {
  const response = await send(...request);
  const text = await response.text();
  expect([response.status, text]).toEqual([202, text]);
  return z.strictObject(IntakeReceipt.shape).parse(JSON.parse(text));
};
const rows = async (table: string) => (await gateway.state().prepare(`SELECT * FROM ${table}`).all<Record<string, unknown>>()).results;
let counter = 0;
const fresh = (): Record<string, unknown> => {
  counter += 1;
  return capsuleProposal({ capsule_id: `bounded-queues-${counter}` });
};

describe('submitProposal 202 application/json', () => {
  test('the answer has exactly the published members, and must not be stored', async () => {
    const proposal = { ...fresh(), note: 'Please look at the second source.' };
    const response = await send(proposal, { agent: '00000000000000a1' });
    expect(response.status).toBe(202);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(response.headers.get('cache-control')).toBe('no-store');
    expectSharedHeaders(response.headers);
    const receipt = z.strictObject(IntakeReceipt.shape).parse(await response.json());
    expect(receipt).toMatchObject({
      kind: 'capsule',
      state: 'pending',
      agent_id: 'agt_00000000000000a1',
      proposal_sha256: await proposalDigest(proposal),
      status_url: `${TEST_BASE_URL}${submissionApiPath(receipt.receipt)}`,
    });
  });

  test('a correction is taken', async () => {
    expect(await take(correctionProposal(), { agent: '00000000000000a2' })).toMatchObject({ kind: 'correction', state: 'pending' });
  });

  test('where the publisher grants the scope by name, a grant is needed, and suffices', async () => {
    const agent = '00000000000000a3';
    await expectProblem(await send(fresh(), { agent }, granted), 'insufficient_scope');
    const database = granted.state();
    await database
      .prepare(
        "INSERT INTO agents (agent, name, key_id, created_at_ms, granted_scopes, expires_at_ms) VALUES (?1, 'Known', 'key', 0, 'submit', 9999999999999)",
      )
      .bind(agent)
      .run();
    await take(fresh(), { agent }, granted);
  });

  test('the same proposal of the same agent under another key gets the first receipt again', async () => {
    const [agent, proposal] = ['00000000000000a6', fresh()];
    const first = await take(proposal, { agent });
    expect(await take({ ...proposal, note: 'another note' }, { agent, nowMs: Date.now() + 60_000 })).toEqual(first);
  });

  test('the same proposal of another agent gets a receipt of its own over one stored proposal', async () => {
    const proposal = fresh();
    const [one, two] = [await take(proposal, { agent: '00000000000000a7' }), await take(proposal, { agent: '00000000000000a8' })];
    expect(two.receipt).not.toBe(one.receipt);
    expect(two.proposal_sha256).toBe(one.proposal_sha256);
    expect((await rows('proposals')).filter(({ sha256 }) => sha256 === one.proposal_sha256)).toHaveLength(1);
    expect((await rows('receipts')).filter(({ proposal_sha256 }) => proposal_sha256 === one.proposal_sha256)).toHaveLength(2);
  });

  test('an Idempotency-Key is known until the published time is over, then it is free again', async () => {
    const [agent, idempotencyKey, nowMs] = ['00000000000000b1', 'expires-after-a-day', Date.now()];
    const end = nowMs + LIMITS.idempotencyHours * 3_600_000;
    const [first, second] = [fresh(), fresh()];
    await take(first, { agent, idempotencyKey, nowMs });
    await expectProblem(await send(second, { agent, idempotencyKey, nowMs: end - 1 }), 'idempotency_conflict');
    await take(second, { agent, idempotencyKey, nowMs: end });
  });

  test('the database holds the proposal, no API key and no Idempotency-Key', async () => {
    const headers = await proposerHeaders({ agent: '00000000000000b2', idempotencyKey: 'not-kept-anywhere' });
    await gateway.post(INTAKE, fresh(), headers);
    const text = JSON.stringify([await rows('proposals'), await rows('receipts'), await rows('idempotency'), await rows('quotas')]);
    expect(text).toContain('bounded-queues-');
    expect(text).not.toContain('akg_');
    expect(text).not.toContain('not-kept-anywhere');
  });

  test('repetitions take nothing of the quota', async () => {
    const [agent, idempotencyKey, proposal] = ['00000000000000b4', 'asked-many-times', fresh()];
    for (let turn = 0; turn <= QUOTAS.proposals.requests; turn += 1) await take(proposal, { agent, idempotencyKey });
    await take(proposal, { agent, idempotencyKey: 'another-key' });
    expect((await rows('quotas')).filter(({ subject }) => subject === agent).map(({ count }) => count)).toEqual([1]);
  });
});
