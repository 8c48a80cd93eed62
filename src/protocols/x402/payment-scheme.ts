import type { PaymentScheme, PresentedPayment } from '../../gateway/commerce/payments/payment-scheme.ts';
import type { PaymentFault } from '../../gateway/commerce/payments/payment-terms.ts';
import { decodePayment } from '../decode-payment.ts';
import { paymentRequired, requirementsFor } from './challenge.ts';
import { PaymentPayload, type PaymentRequirements } from './schemas.ts';

/** Payments of x402 version 2 over HTTP: the challenge in `PAYMENT-REQUIRED` and the body, the payment in `PAYMENT-SIGNATURE`, the receipt in `PAYMENT-RESPONSE`. */
export const x402Scheme: PaymentScheme = {
  read: (header) => {
    const encoded = header('PAYMENT-SIGNATURE')?.trim() ?? '';
    if (encoded === '') return undefined;
    const decoded = decodePayment(encoded, PaymentPayload, 'PAYMENT-SIGNATURE');
    return 'unreadable' in decoded ? decoded : presented(decoded.value);
  },
  challenge: async ({ error, failed }, resource, { terms, seller }) => {
    const members = paymentRequired(resource, terms, seller, error);
    const response = failed && {
      success: false,
      errorReason: failed.reason,
      transaction: '',
      network: terms.networkId,
      payer: failed.payer,
    };
    return { members, headers: { 'PAYMENT-REQUIRED': toBase64(members), ...(response ? { 'PAYMENT-RESPONSE': toBase64(response) } : {}) } };
  },
  receipt: ({ transaction, network, payer, amount }) => ({
    'PAYMENT-RESPONSE': toBase64({ success: true, transaction, network, payer, amount }),
  }),
};

function presented({ payload, accepted, resource: named, extensions }: PaymentPayload): PresentedPayment {
  const identifier = extensions?.['payment-identifier']?.info.id;
  return {
    signed: payload,
    identifier,
    origin: ['x402', identifier ?? null],
    isSecret: identifier !== undefined,
    resourceFault: async ({ url }) =>
      named?.url === undefined || named.url === url
        ? undefined
        : { reason: 'invalid_payload', detail: 'The payment names a resource other than the requested URL.' },
    termsFault: (resource, terms) => acceptedFault(accepted, requirementsFor(resource, terms)),
  };
}

/** Why the accepted terms are not the offered ones, by the reasons of x402 version 2, section 9. */
function acceptedFault(accepted: PaymentPayload['accepted'], offered: PaymentRequirements): PaymentFault | undefined {
  if (accepted.scheme !== offered.scheme) return { reason: 'unsupported_scheme', detail: 'Only the scheme "exact" is accepted.' };
  if (accepted.network !== offered.network)
    return { reason: 'invalid_network', detail: `Only the network ${offered.network} is accepted.` };
  const isSame = accepted.amount === offered.amount && isSameHex(accepted.asset, offered.asset) && isSameHex(accepted.payTo, offered.payTo);
  return isSame
    ? undefined
    : {
        reason: 'invalid_payment_requirements',
        detail: 'The payment accepts terms that differ from the current ones. Request the resource again for its terms.',
      };
}

function isSameHex(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function toBase64(value: unknown): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value))));
}
