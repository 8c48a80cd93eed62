import { expect, test } from 'vitest';
import type { ProposalRecord, Submissions } from '../../../../src/gateway/intake/intake-queue.ts';
import { mintReceipt, readProposal } from '../../../../src/gateway/intake/submit-proposal.ts';
import type { SigningSecret } from '../../../../src/gateway/ports.ts';

const secret = async (id: number, fill: number): Promise<SigningSecret> => ({
  id,
  key: await crypto.subtle.importKey('raw', new Uint8Array(32).fill(fill), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']),
});
const OWN = '0123456789abcdef';
const FACTS = { agent: OWN, sha256: '5a'.repeat(32), receivedAtMs: 1_795_000_000_123 };
const RECORD: ProposalRecord = {
  kind: 'capsule',
  capsuleId: 'some-capsule',
  sha256: FACTS.sha256,
  state: 'pending',
  receivedAtMs: FACTS.receivedAtMs,
  decidedAtMs: undefined,
  reason: undefined,
};
const notAsked = (): never => {
  throw new Error('not asked for');
};

/** A database that holds one receipt, and what it was asked for. */
function holding(receipt: string) {
  const asked: string[] = [];
  const submissions: Submissions = {
    load: notAsked,
    store: notAsked,
    queue: notAsked,
    read: async (wanted, agent) => {
      asked.push(wanted);
      return wanted === receipt && agent === OWN ? RECORD : undefined;
    },
  };
  return { asked, submissions };
}

test('a receipt outlives the secret that signed it, for its own agent alone', async () => {
  const old = await secret(1, 7);
  const receipt = await mintReceipt(FACTS, old);
  const { asked, submissions } = holding(receipt);
  const inForce = [await secret(2, 8)] as const;
  expect(await readProposal(receipt, OWN, inForce, submissions)).toMatchObject({ ok: true, value: { receipt, state: 'pending' } });
  const forged = await mintReceipt(FACTS, await secret(1, 9));
  for (const [text, agent] of [
    [receipt, 'ffffffffffffffff'],
    [forged, OWN],
  ] as const)
    expect(await readProposal(text, agent, inForce, submissions)).toMatchObject({ ok: false, refusal: { code: 'submission_not_found' } });
  expect(asked).toHaveLength(3);
});

test('a forged receipt under a secret in force is refused without the database', async () => {
  const inForce = [await secret(1, 7)] as const;
  const forged = await mintReceipt(FACTS, await secret(1, 9));
  const { asked, submissions } = holding(forged);
  expect(await readProposal(forged, OWN, inForce, submissions)).toMatchObject({ ok: false });
  expect(asked).toEqual([]);
});
