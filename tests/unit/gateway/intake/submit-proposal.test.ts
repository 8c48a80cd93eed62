import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { examineCapsule } from '../../../../src/gateway/intake/check-proposal.ts';
import type { ProposalRecord, ProposalStore } from '../../../../src/gateway/intake/proposal-queue.ts';
import { isReceiptOf, mintReceipt, readProposal } from '../../../../src/gateway/intake/submit-proposal.ts';
import type { Generation } from '../../../../src/gateway/knowledge/read-generation.ts';
import { CapsuleProposal, Receipt } from '../../../../src/schemas/intake/proposals.ts';
import { capsuleProposal } from '../../../support/proposals.ts';
import { signingSecret } from '../signing.ts';

const OWN = '0123456789abcdef';
const FACTS = { agent: OWN, sha256: '5a'.repeat(32), receivedAtMs: 1_795_000_000_123 };

describe('readProposal()', () => {
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

  function holding(receipt: string) {
    const asked: string[] = [];
    const proposals: ProposalStore = {
      load: notAsked,
      store: notAsked,
      queue: notAsked,
      read: async (wanted, agent) => {
        asked.push(wanted);
        return wanted === receipt && agent === OWN ? RECORD : undefined;
      },
    };
    return { asked, proposals };
  }

  test('a receipt outlives the secret that signed it, for its own agent alone', async () => {
    const old = await signingSecret(1);
    const receipt = await mintReceipt(FACTS, old);
    const { asked, proposals } = holding(receipt);
    const inForce = [await signingSecret(2)] as const;
    expect(await readProposal(receipt, OWN, inForce, proposals)).toMatchObject({ ok: true, value: { receipt, state: 'pending' } });
    const forged = await mintReceipt(FACTS, await signingSecret(1, 9));
    for (const [text, agent] of [
      [receipt, 'ffffffffffffffff'],
      [forged, OWN],
    ] as const)
      expect(await readProposal(text, agent, inForce, proposals)).toMatchObject({ ok: false, refusal: { code: 'submission_not_found' } });
    expect(asked).toHaveLength(3);
  });

  test('a forged receipt under a secret in force is refused without the database', async () => {
    const inForce = [await signingSecret(1)] as const;
    const forged = await mintReceipt(FACTS, await signingSecret(1, 9));
    const { asked, proposals } = holding(forged);
    expect(await readProposal(forged, OWN, inForce, proposals)).toMatchObject({ ok: false });
    expect(asked).toEqual([]);
  });
});

describe('receipts of proposals', async () => {
  const first = await signingSecret(1);
  const second = await signingSecret(2);

  describe('a receipt', () => {
    test('is the same for the same facts, has the published form, and proves itself to its agent', async () => {
      const receipt = await mintReceipt(FACTS, first);
      expect(await mintReceipt(FACTS, first)).toBe(receipt);
      expect(Receipt.safeParse(receipt).success).toBe(true);
      expect(await isReceiptOf(receipt, FACTS.agent, [second, first])).toBe(true);
    });

    test.each([
      ['agent', { agent: 'ffffffffffffffff' }],
      ['proposal', { sha256: '5b'.repeat(32) }],
      ['time', { receivedAtMs: FACTS.receivedAtMs + 1 }],
    ])('is another one for another %s', async (_name, change) => {
      expect(await mintReceipt({ ...FACTS, ...change }, first)).not.toBe(await mintReceipt(FACTS, first));
    });

    test('is none of another agent or of another secret; of a secret that was withdrawn it is not known', async () => {
      const receipt = await mintReceipt(FACTS, first);
      expect(await isReceiptOf(receipt, 'ffffffffffffffff', [first])).toBe(false);
      expect(await isReceiptOf(receipt, FACTS.agent, [await signingSecret(1, 9)])).toBe(false);
      expect(await isReceiptOf(receipt, FACTS.agent, [second])).toBeUndefined();
    });

    test('no change of a character goes unseen', async () => {
      const receipt = await mintReceipt(FACTS, first);
      for (let at = 0; at < receipt.length; at += 1) {
        const changed = receipt.slice(0, at) + (receipt[at] === '7' ? '8' : '7') + receipt.slice(at + 1);
        expect([at, (await isReceiptOf(changed, FACTS.agent, [first])) ?? false]).toEqual([at, false]);
      }
    });

    test('is none of any other text', async () => {
      await fc.assert(
        fc.asyncProperty(fc.oneof(fc.string(), fc.stringMatching(/^rcp_[0-9A-Za-z]{54}$/)), async (text) => {
          expect((await isReceiptOf(text, FACTS.agent, [first, second])) ?? false).toBe(false);
        }),
        { numRuns: 300 },
      );
    });
  });
});

describe('examineCapsule()', () => {
  const ids = (count: number, name: string): string[] => Array.from({ length: count }, (_, index) => `${name}-${index}`);

  async function faultsOf(links: readonly string[], derivedFrom: readonly string[] = ids(12, 'derived')): Promise<string[]> {
    const newestOf = async (wanted: readonly string[]): Promise<unknown[]> => wanted.map((id) => (id.startsWith('lost') ? undefined : {}));
    const generation = { capsule: async () => undefined, newestOf } as unknown as Generation;
    // Too short a text, so that no text of the corpus is compared.
    const markdown = links.map((id) => `[A capsule](/capsules/${id}).`).join('\n\n');
    const proposal = CapsuleProposal.parse(capsuleProposal({ markdown }, { derived_from: derivedFrom, cites: ids(20, 'cited') }));
    const examined = await examineCapsule(proposal, generation, '2026-11-22');
    return examined.ok ? examined.value.map(({ message }) => message).filter((message) => /capsules?\b/.test(message)) : [];
  }

  test('as many links as are allowed are looked up, whatever relations stand beside them', async () => {
    expect(await faultsOf(ids(9, 'linked'))).toEqual([]);
    expect(await faultsOf(ids(40, 'linked'))).toEqual([]);
    expect(await faultsOf([...ids(39, 'linked'), 'lost'])).toEqual(['links to a capsule that is not published']);
    expect(await faultsOf(ids(41, 'linked'))).toEqual(['links to 41 capsules; at most 40 are allowed']);
    expect(await faultsOf(ids(40, 'linked'), ['lost'])).toEqual(['names a capsule that is not published']);
  });
});
