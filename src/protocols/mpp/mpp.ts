import * as z from 'zod';
import type { PaidResource, PaymentScheme, PaymentTerms, PresentedPayment } from '../../gateway/commerce/payments/payment-ports.ts';
import { atomicAmount, PAYMENT_TIMEOUT_SECONDS } from '../../gateway/commerce/payments/payment-terms.ts';
import { equalInConstantTime, keyedDigest } from '../../gateway/keyed-digests.ts';
import type { Randomness, SigningSecrets } from '../../gateway/ports.ts';
import { attempt } from '../../gateway/result.ts';
import { fromBase64Url, toBase64Url, toHex } from '../../provenance/bytes.ts';
import { canonicalJson, keccak256 } from '../../provenance/canonical-json.ts';
import { Authorization, PaymentSignature } from '../../schemas/commerce/stablecoin-payments.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { ProtocolModule } from '../protocol-module.ts';
import { decodePayment } from '../x402/payment-required.ts';

/** Supported draft of the HTTP authentication scheme Payment (draft-httpauth-payment). */
const MPP_VERSION = 'draft-httpauth-payment-00';

/** Payments of MPP: the challenge in `WWW-Authenticate`, the payment in `Authorization: Payment`, the receipt in `Payment-Receipt`. */
const mppScheme: PaymentScheme = {
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

/** MPP, the HTTP authentication scheme Payment: challenges and receipts of operations that sell. It has no document. */
export const mppProtocol: ProtocolModule = {
  capability: ({ baseUrl, payments }) =>
    payments && {
      name: 'MPP',
      version: MPP_VERSION,
      document: `${baseUrl}${PATHS.openApi}`,
      services: [`${MPP.method}/${MPP.intent}`],
    },
  paymentScheme: mppScheme,
  examples: () => ({}),
  schemas: { requests: {}, responses: {} },
};

export const MPP = { method: 'evm', intent: 'charge' } as const;

const PURPOSE = 'payment challenge';
const UTF8 = new TextEncoder();

/** A challenge of the scheme Payment as a buyer returns it (draft-httpauth-payment-00). */
const EchoedChallenge = z.object({
  id: z.string(),
  realm: z.string(),
  method: z.string(),
  intent: z.string(),
  request: z.string(),
  expires: z.string(),
  opaque: z.string(),
  digest: z.undefined().optional(),
});
type EchoedChallenge = z.infer<typeof EchoedChallenge>;

/** `Authorization: Payment …` of the method evm and the intent charge: the challenge, and an authorization by EIP-3009 for it. */
const PaymentCredential = z.object({
  challenge: EchoedChallenge,
  payload: Authorization.extend({ type: z.literal('authorization'), signature: PaymentSignature }),
});
type PaymentCredential = z.infer<typeof PaymentCredential>;

export type MppChallenge = Required<Omit<EchoedChallenge, 'digest'>>;

/**
 * A challenge of the scheme Payment (draft-httpauth-payment-00, method evm, intent charge). It is not stored: its id is a keyed digest of
 * its other members, which include the paid URL.
 *
 * @param nowMs It expires {@link PAYMENT_TIMEOUT_SECONDS} later.
 */
export async function mppChallenge(
  resource: PaidResource,
  terms: PaymentTerms,
  [secret]: SigningSecrets,
  randomness: Randomness,
  nowMs: number,
): Promise<MppChallenge> {
  const expires = new Date(nowMs + PAYMENT_TIMEOUT_SECONDS * 1_000).toISOString();
  const opaque = encoded({ resource: resource.url, salt: toBase64Url(randomness.bytes(16)) });
  const unnamed = { realm: realmOf(resource), ...MPP, request: requestOf(resource, terms), expires, opaque };
  return { id: await idOf(unnamed, secret), ...unnamed };
}

function mppHeader({ id, realm, method, intent, request, expires, opaque }: MppChallenge): string {
  const parts = { id, realm, method, intent, request, expires, opaque };
  return `Payment ${Object.entries(parts)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`;
}

/** Whether this service issued a challenge for this resource, under one of the secrets. Expiry and terms are not checked. */
export async function isOwnChallenge(challenge: EchoedChallenge, resource: PaidResource, secrets: SigningSecrets): Promise<boolean> {
  const given = fromBase64Url(challenge.id);
  if (given === undefined || challenge.realm !== realmOf(resource) || resourceIn(challenge.opaque) !== resource.url) return false;
  for (const secret of secrets) {
    const made = fromBase64Url(await idOf(challenge, secret));
    if (made !== undefined && equalInConstantTime(made, given)) return true;
  }
  return false;
}

export function hasTermsOf({ request, method, intent }: EchoedChallenge, resource: PaidResource, terms: PaymentTerms): boolean {
  return method === MPP.method && intent === MPP.intent && request === requestOf(resource, terms);
}

/** The seven slots of the draft, joined by a pipe. A GET has no body, so no digest. */
async function idOf(
  { realm, method, intent, request, expires, opaque }: Omit<EchoedChallenge, 'id'>,
  secret: SigningSecrets[number],
): Promise<string> {
  const text = [realm, method, intent, request, expires, '', opaque].join('|');
  return toBase64Url(await keyedDigest(secret, PURPOSE, UTF8.encode(text)));
}

function requestOf(resource: PaidResource, terms: PaymentTerms): string {
  const { chainId, asset } = terms.network;
  return encoded({
    amount: atomicAmount(resource.priceMicros, terms),
    currency: asset.address,
    recipient: terms.payTo,
    methodDetails: { chainId, credentialTypes: ['authorization'], decimals: asset.decimals },
  });
}

/** The host, as the draft recommends. */
function realmOf({ url }: PaidResource): string {
  return new URL(url).hostname;
}

function resourceIn(opaque: string): unknown {
  const bytes = fromBase64Url(opaque);
  const value = attempt((): unknown => bytes && JSON.parse(new TextDecoder().decode(bytes)));
  return typeof value === 'object' && value !== null && 'resource' in value ? value.resource : undefined;
}

function encoded(value: unknown): string {
  return toBase64Url(UTF8.encode(canonicalJson(value)));
}

function presented(credential: PaymentCredential): PresentedPayment {
  const { challenge, payload } = credential;
  const { signature, type: _, ...authorization } = payload;
  return {
    signed: { signature, authorization },
    // The challenge identifies the payment.
    identifier: undefined,
    origin: ['mpp', challenge.id],
    isSecret: true,
    resourceIssue: async (resource, secrets) => {
      if (secrets === undefined || !(await isOwnChallenge(challenge, resource, secrets)))
        return {
          reason: 'invalid_challenge',
          detail: 'This service did not issue this challenge for this URL, or the challenge was changed.',
        };
      const nonce = `0x${toHex(keccak256(UTF8.encode(challenge.id + challenge.realm)))}`;
      return payload.nonce.toLowerCase() === nonce
        ? undefined
        : { reason: 'invalid_nonce', detail: 'The nonce of the authorization is not the hash of the challenge.' };
    },
    termsIssue: (resource, terms, nowMs) => {
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
