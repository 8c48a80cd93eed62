import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isReceiptOf, mintReceipt } from '../../../../src/gateway/intake/submit-proposal.ts';
import type { SigningSecret } from '../../../../src/gateway/ports.ts';
import { Receipt } from '../../../../src/schemas/intake/intake.ts';

const secret = async (id: number, fill: number): Promise<SigningSecret> => ({
  id,
  key: await crypto.subtle.importKey('raw', new Uint8Array(32).fill(fill), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']),
});
const first = await secret(1, 7);
const second = await secret(2, 8);
const FACTS = { agent: '0123456789abcdef', sha256: '5a'.repeat(32), receivedAtMs: 1_795_000_000_123 };

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
    expect(await isReceiptOf(receipt, FACTS.agent, [await secret(1, 9)])).toBe(false);
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
