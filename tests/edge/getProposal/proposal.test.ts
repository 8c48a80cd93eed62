import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { mintReceipt } from '../../../src/gateway/intake/submit-proposal.ts';
import { readSigningSecrets } from '../../../src/platform/environment.ts';
import { type IntakeReceipt, SubmissionStatus } from '../../../src/schemas/intake/proposals.ts';
import { submissionApiPath } from '../../../src/schemas/paths.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { type Requests, TEST_SIGNING_SECRETS } from '../../support/edge-gateway.ts';
import { expectProblem, expectSharedHeaders } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { capsuleProposal, INTAKE, proposerHeaders } from '../../support/proposals.ts';

const gateway = useInProcessGateway();
const withoutTables = useInProcessGateway({ state: 'empty' });
const OWN = '00000000000000f1';
const OTHER = '00000000000000f2';

const submit = async (agent: string, capsule_id: string): Promise<IntakeReceipt> => {
  const response = await gateway.post(INTAKE, capsuleProposal({ capsule_id }), await proposerHeaders({ agent }));
  expect(response.status).toBe(202);
  return (await response.json()) as IntakeReceipt;
};
const ask = async (receipt: string, agent: string, service: Requests = gateway, key: { serial?: number } = {}): Promise<Response> =>
  service.fetch(submissionApiPath(receipt), { headers: bearer(await makeKey({ agent, ...key })) });
const decide = async (receipt: IntakeReceipt, state: 'accepted' | 'rejected', reason?: string): Promise<void> => {
  const database = gateway.state();
  await database
    .prepare('UPDATE proposals SET state = ?1, decided_at_ms = ?2, reason = ?3 WHERE sha256 = ?4')
    .bind(state, Date.UTC(2031, 0, 1), reason ?? null, receipt.proposal_sha256)
    .run();
};
const forge = async (agent: string): Promise<string> => {
  const secrets = await readSigningSecrets(TEST_SIGNING_SECRETS);
  if ('missing' in secrets) throw new Error(secrets.missing);
  return mintReceipt({ agent, sha256: 'ab'.repeat(32), receivedAtMs: 1 }, secrets[0]);
};

describe('getProposal 200 application/json', () => {
  test('the agent that sent it sees what was stored, under any of its keys, and nobody may store the answer', async () => {
    const receipt = await submit(OWN, 'told-to-its-agent');
    for (const serial of [7, 8]) {
      const response = await ask(receipt.receipt, OWN, gateway, { serial });
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.get('etag')).toBeNull();
      expectSharedHeaders(response.headers);
      expect(z.strictObject(SubmissionStatus.shape).parse(await response.json())).toEqual({
        receipt: receipt.receipt,
        kind: 'capsule',
        capsule_id: 'told-to-its-agent',
        proposal_sha256: receipt.proposal_sha256,
        state: 'pending',
        received_at: receipt.received_at,
      });
    }
  });

  test('one decision is told to every agent that proposed the same', async () => {
    const [one, two] = [await submit(OWN, 'decided-once'), await submit(OTHER, 'decided-once')];
    await decide(one, 'rejected', 'The source does not say so.');
    expect(await submit(OWN, 'decided-once'), 'proposed again').toEqual({ ...one, state: 'rejected' });
    for (const [{ receipt }, agent] of [
      [one, OWN],
      [two, OTHER],
    ] as const)
      expect(await (await ask(receipt, agent)).json()).toMatchObject({
        state: 'rejected',
        decided_at: '2031-01-01T00:00:00.000Z',
        reason: 'The source does not say so.',
      });
    const late = await gateway.post(
      INTAKE,
      capsuleProposal({ capsule_id: 'decided-once' }),
      await proposerHeaders({ agent: '00000000000000f3' }),
    );
    expect([late.status, await late.json()]).toEqual([202, expect.objectContaining({ state: 'rejected' }) as unknown]);
  });

  test('an accepted proposal is told with its time', async () => {
    const receipt = await submit(OWN, 'accepted-one');
    await decide(receipt, 'accepted');
    expect(await (await ask(receipt.receipt, OWN)).json()).toMatchObject({ state: 'accepted', decided_at: '2031-01-01T00:00:00.000Z' });
  });
});

describe('getProposal 404 submission_not_found', () => {
  test('unknown, malformed, forged, of another agent, pending or decided: the same bytes', async () => {
    const pending = await submit(OTHER, 'pending-of-another');
    const rejected = await submit(OTHER, 'rejected-of-another');
    await decide(rejected, 'rejected', 'A reason that nobody else may read.');
    const own = await submit(OWN, 'own-receipt');
    const last = own.receipt.at(-1) === '0' ? '1' : '0';
    const receipts = [
      await forge(OWN),
      await forge(OTHER),
      'rcp_unknown',
      'rcp_',
      '1',
      'x'.repeat(300),
      '%27%20OR%201=1',
      pending.receipt,
      rejected.receipt,
      own.receipt.slice(0, -1) + last,
      own.receipt.slice(0, -1),
      `${own.receipt}0`,
      own.receipt.toLowerCase(),
    ];
    const bodies = new Set<string>();
    for (const receipt of receipts) {
      const response = await ask(receipt, OWN);
      const text = await response.clone().text();
      await expectProblem(response, 'submission_not_found');
      bodies.add(text.replace(/"(request_id|instance)":"[^"]*"/g, ''));
    }
    expect(bodies.size).toBe(1);
    expect([...bodies][0]).not.toContain('nobody else');
  });

  test('a receipt of another is refused without the database', async () => {
    const { receipt } = await submit(OTHER, 'refused-without-database');
    await expectProblem(await ask(receipt, OWN, withoutTables), 'submission_not_found');
  });
});

test('getProposal 400 invalid_request: parameters are not taken', async () => {
  const response = await gateway.fetch(`${submissionApiPath('rcp_x')}?state=accepted`, { headers: bearer(await makeKey()) });
  await expectProblem(response, 'invalid_request');
});
