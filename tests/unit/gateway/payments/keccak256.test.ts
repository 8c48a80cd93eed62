import { describe, expect, test } from 'vitest';
import { toHex } from '../../../../src/gateway/hexadecimal.ts';
import { keccak256 } from '../../../../src/gateway/payments/keccak256.ts';
import { isPayableAddress } from '../../../../src/gateway/payments/payable-address.ts';
import { loadCommerceKit } from '../../../support/commerce-kit.ts';

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

describe('isPayableAddress()', () => {
  test.each([
    '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
    '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
    '0x000000000000000000000000000000000000dEaD',
    '0x52908400098527886e0f7030069857d2e4169ee7',
    '0x52908400098527886E0F7030069857D2E4169EE7',
  ])('takes %s, as EIP-55 writes it or without capitals that mean anything', (address) => {
    expect(isPayableAddress(address)).toBe(true);
  });

  test.each(['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1Beaed', '0x000000000000000000000000000000000000DeaD', `0x${'0'.repeat(40)}`])(
    'refuses %s: a letter is wrong, or it is nobody',
    (address) => {
      expect(isPayableAddress(address)).toBe(false);
    },
  );
});
