import { describe, expect, test } from 'vitest';
import { toHex } from '../../../src/provenance/bytes.ts';
import { keccak256 } from '../../../src/provenance/digest.ts';
import { loadCommerceKit } from '../../support/commerce-kit.ts';

const kit = await loadCommerceKit();
const digest = (text: string): string => toHex(keccak256(new TextEncoder().encode(text)));

describe('keccak256()', () => {
  test('gives the digests that are known of it', () => {
    // The empty text and "abc", from the submission of Keccak to SHA-3; the signature of an event of every token, from ERC-20.
    expect(digest('')).toBe('c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470');
    expect(digest('abc')).toBe('4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45');
    expect(digest('Transfer(address,address,uint256)')).toBe('ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef');
  });

  test.skipIf(kit === undefined)('agrees with viem on every length around the blocks', () => {
    for (const length of [1, 31, 32, 135, 136, 137, 271, 272, 273, 1_000]) {
      const bytes = Uint8Array.from({ length }, (_, index) => (index * 7 + length) & 255);
      expect(`0x${toHex(keccak256(bytes))}`).toBe(kit?.keccak256(bytes));
    }
  });
});
