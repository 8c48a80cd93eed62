import { randomBytes } from 'node:crypto';
import { examplePayment } from '../../documents/agent-purchase.ts';
import type { PaymentProcessor } from '../../gateway/commerce/cart/checkout-ports.ts';
import type { Facilitator } from '../../gateway/commerce/payments/payment-ports.ts';
import { DEMO_PROFILE } from '../../schemas/commerce/stablecoin-payments.ts';
import { capsulePath } from '../../schemas/paths.ts';
import { PREVIEW_PATH } from '../../site/dev/live-site.ts';

/** Settings of `payments` for a publication that names none: everything is paid to the doubles below. */
export function demoPayments(address: string) {
  const pay_to = '0x000000000000000000000000000000000000dEaD';
  return { pay_to, network: 'eip155:84532', facilitator: address + PREVIEW_PATH, stripe_profile: DEMO_PROFILE };
}

const hex = (bytes: number): string => randomBytes(bytes).toString('hex');

/** Stand in for a facilitator and for Stripe: every wallet and every token pays, whoever signed. Nothing leaves this machine. */
export const DEMO_DOUBLES: { readonly facilitator: Facilitator; readonly processor: PaymentProcessor } = {
  facilitator: {
    verify: async () => ({ kind: 'valid' }),
    settle: async () => ({ kind: 'settled', transaction: `0x${hex(32)}` }),
  },
  processor: {
    takesRealMoney: false,
    charge: async ({ amountMinor, currency }) => ({ kind: 'paid', paymentReference: `pi_demo_${hex(12)}`, amountMinor, currency }),
    openCheckout: () => Promise.reject(new Error('the demonstration has no hosted checkout')),
  },
};

/** Buys a text at its address as an agent does, with a test wallet, and returns the messages. */
export async function demoPurchase(id: string, address: string): Promise<string> {
  const path = `${capsulePath(id)}.md`;
  const asked = await fetch(address + path);
  const terms = asked.headers.get('PAYMENT-REQUIRED');
  const refused = `> GET ${path}\n\n< ${asked.status}\n\n${await asked.text()}`;
  if (terms === null)
    return asked.status === 402
      ? `${refused}\n\nNo test wallet can pay this text, because it has no price_usd. A card can, by MPP.\n`
      : refused;
  const { resource, accepts } = JSON.parse(Buffer.from(terms, 'base64').toString());
  const payment = JSON.stringify(examplePayment(resource, accepts[0], Date.now(), `0x${hex(32)}`), null, 2);
  const paid = await fetch(address + path, { headers: { 'PAYMENT-SIGNATURE': Buffer.from(payment).toString('base64') } });
  const sent = `> GET ${path}\nPAYMENT-SIGNATURE, decoded: ${payment}`;
  return `${refused}\n\n${sent}\n\n< ${paid.status}\n\n${await paid.text()}\n`;
}
