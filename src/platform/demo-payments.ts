import type { PaymentProcessor } from '../gateway/commerce/cart/checkout-ports.ts';
import type { Facilitator } from '../gateway/commerce/payments/payment-ports.ts';
import { DEMO_REFERENCES } from '../schemas/commerce/stablecoin-payments.ts';

/**
 * Stands in for a facilitator: every wallet pays, whoever signed, and nothing leaves this machine. The transaction follows from the authorization,
 * so that a repeated settlement names the same one.
 */
export function demoFacilitator(): Facilitator {
  return {
    verify: async () => ({ kind: 'valid' }),
    settle: async ({ signed: { authorization } }) => ({
      kind: 'settled',
      transaction: DEMO_REFERENCES.token + authorization.nonce.slice(DEMO_REFERENCES.token.length).toLowerCase(),
    }),
  };
}

/** Stands in for a payment processor: every shared payment token pays. */
export function demoProcessor(): PaymentProcessor {
  return {
    takesRealMoney: false,
    charge: async ({ amountMinor, currency, idempotencyKey }) => ({
      kind: 'paid',
      paymentReference: DEMO_REFERENCES.card + idempotencyKey.slice(-24),
      amountMinor,
      currency,
    }),
    openCheckout: () => Promise.reject(new Error('the demonstration has no hosted checkout')),
  };
}
