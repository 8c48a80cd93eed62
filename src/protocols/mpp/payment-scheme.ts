import type { PaymentScheme, PresentedPayment } from '../../gateway/commerce/payments/payment-scheme.ts';
import { toBase64Url } from '../../provenance/bytes.ts';
import { decodePayment } from '../decode-payment.ts';
import { hasTermsOf, isOwnChallenge, isSignedFor, MPP, mppChallenge, mppHeader, PaymentCredential } from './challenge.ts';

/** Payments of MPP: the challenge in `WWW-Authenticate`, the payment in `Authorization: Payment`, the receipt in `Payment-Receipt`. */
export const mppScheme: PaymentScheme = {
  read: (header) => {
    const authorization = header('Authorization') ?? '';
    if (!/^\s*Payment(\s|$)/i.test(authorization)) return undefined;
    const [, encoded] = /^\s*Payment\s+(\S+)\s*$/i.exec(authorization) ?? [];
    if (encoded === undefined) return { unreadable: 'Authorization: Payment must have exactly one value' };
    const decoded = decodePayment(encoded.replaceAll('-', '+').replaceAll('_', '/'), PaymentCredential, 'Authorization: Payment');
    return 'unreadable' in decoded ? decoded : presented(decoded.value);
  },
  challenge: async (_reason, resource, { terms, secrets, randomness, clock }) => {
    if (secrets === undefined) return { headers: {} };
    return { headers: { 'WWW-Authenticate': mppHeader(await mppChallenge(resource, terms, secrets, randomness, clock.nowMs())) } };
  },
  receipt: ({ transaction, settledAtMs = 0 }) => {
    const receipt = { status: 'success', method: MPP.method, timestamp: new Date(settledAtMs).toISOString(), reference: transaction };
    return { 'Payment-Receipt': toBase64Url(new TextEncoder().encode(JSON.stringify(receipt))) };
  },
};

function presented(credential: PaymentCredential): PresentedPayment {
  const { challenge, payload } = credential;
  const { signature, type: _, ...authorization } = payload;
  return {
    signed: { signature, authorization },
    // The challenge identifies the payment.
    identifier: undefined,
    origin: ['mpp', challenge.id],
    isSecret: true,
    resourceFault: async (resource, secrets) => {
      if (secrets === undefined || !(await isOwnChallenge(challenge, resource, secrets)))
        return {
          reason: 'invalid_challenge',
          detail: 'This service did not issue this challenge for this URL, or the challenge was changed.',
        };
      return isSignedFor(credential)
        ? undefined
        : { reason: 'invalid_nonce', detail: 'The nonce of the authorization is not the hash of the challenge.' };
    },
    termsFault: (resource, terms, nowMs) => {
      if (!hasTermsOf(challenge, resource, terms))
        return {
          reason: 'invalid_payment_requirements',
          detail: 'The terms of the challenge are no longer current. Request a new challenge.',
        };
      return Date.parse(challenge.expires) > nowMs
        ? undefined
        : { reason: 'challenge_expired', detail: 'The challenge has expired. Request a new one.' };
    },
  };
}
