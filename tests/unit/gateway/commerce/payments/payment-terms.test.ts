import { describe, expect, test } from 'vitest';
import { isPayableAddress, paymentTerms } from '../../../../../src/gateway/commerce/payments/payment-terms.ts';
import { TEST_PAYMENTS } from '../../../../support/payments.ts';

test('paymentTerms() are none while payments are off, and an error for an unsupported network', () => {
  expect(paymentTerms({ payments: undefined })).toBeUndefined();
  expect(() => paymentTerms({ payments: { ...TEST_PAYMENTS, network: 'eip155:1' } })).toThrow(/^the network eip155:1 /);
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
