import * as z from 'zod';
import type { PaidResource, PaymentScheme, PresentedPayment, TermsInForce } from '../../gateway/commerce/payments/payment-ports.ts';
import { atomicAmount, PAYMENT_TIMEOUT_SECONDS } from '../../gateway/commerce/payments/payment-terms.ts';
import { equalInConstantTime, keyedDigest } from '../../gateway/digests-and-base62.ts';
import type { Randomness, SigningSecrets } from '../../gateway/platform-ports.ts';
import { attempt } from '../../gateway/result.ts';
import { acceptWeight } from '../../http/content-negotiation.ts';
import { fromBase64Url, toBase64Url, toBytes, toHex } from '../../provenance/bytes-and-sha256.ts';
import { canonicalJson, keccak256 } from '../../provenance/canonical-json.ts';
import { CREDIT } from '../../schemas/commerce/access-passes.ts';
import {
  Authorization,
  CardToken,
  DEMO_PAYMENT,
  isDemonstration,
  PaymentSignature,
  paymentNetwork,
} from '../../schemas/commerce/stablecoin-payments.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { ProtocolModule } from '../protocol-module.ts';
import { decodePayment } from '../x402/payment-required.ts';

/** The HTTP authentication scheme Payment (draft-httpauth-payment). */
const MPP_VERSION = 'draft-httpauth-payment-00';

/** Payments of MPP: the challenge in `WWW-Authenticate`, the payment in `Authorization: Payment`, the receipt in `Payment-Receipt`. */
const mppScheme: PaymentScheme = {
  read: (header) => {
    const authorization = header('Authorization') ?? '';
    if (!/^\s*Payment(\s|$)/i.test(authorization)) return undefined;
    const [, encoded] = /^\s*Payment\s+(\S+)\s*$/i.exec(authorization) ?? [];
    if (encoded === undefined) return { unreadable: 'Authorization: Payment must have exactly one value' };
    const decoded = decodePayment(encoded.replaceAll('-', '+').replaceAll('_', '/'), PaymentCredential, 'Authorization: Payment');
    return 'unreadable' in decoded ? { unreadable: decoded.unreadable } : presented(decoded.value);
  },
  challenge: async (_reason, resource, { secrets, randomness, clock, accepts = null, ...terms }) => {
    if (secrets === undefined) return { headers: {} };
    const offered = METHODS.filter((method) => requestsOf(method, resource, terms).length > 0);
    const made = preferred(offered, accepts).map((method) => mppChallenges(method, resource, terms, secrets, randomness, clock.nowMs()));
    const challenges = (await Promise.all(made)).flat().map(mppHeader);
    return { headers: challenges.length === 0 ? {} : { 'WWW-Authenticate': challenges.join(', ') } };
  },
  receipt: async ({ network, transaction, settledAtMs = 0, amount, resource }) => {
    const method = paymentNetwork(network) === undefined ? network : 'evm';
    // An order pays several texts with its credit, so that its id alone does not say which.
    const bought = network === CREDIT ? { resource, amount, currency: 'usd' } : {};
    const receipt = { status: 'success', method, timestamp: new Date(settledAtMs).toISOString(), reference: transaction, ...bought };
    return { 'Payment-Receipt': toBase64Url(JSON.stringify(receipt)) };
  },
};

export const mppProtocol: ProtocolModule = {
  capability: ({ baseUrl, payments }) =>
    payments && {
      name: 'MPP',
      version: MPP_VERSION,
      document: `${baseUrl}${PATHS.openApi}`,
      services: METHODS.filter((method) => (method === 'evm' ? payments.payTo : payments.stripeProfile) !== undefined).map(
        (method) => `${method}/${MPP_INTENT}`,
      ),
      ...(isDemonstration(payments?.stripeProfile) && { demo: true as const }),
    },
  paymentScheme: mppScheme,
  schemas: { requests: {}, responses: {} },
};

export const MPP_INTENT = 'charge';

/** In the order of challenges. */
const METHODS = ['evm', 'stripe'] as const;
type MppMethod = (typeof METHODS)[number];

/** The methods that Accept-Payment takes, the most preferred first (draft-httpauth-payment-00, "Client Payment Preferences"); all if it takes none. */
function preferred(offered: readonly MppMethod[], accepts: string | null): readonly MppMethod[] {
  const weights = new Map(offered.map((method) => [method, acceptWeight(accepts, `${method}/${MPP_INTENT}`, `*/${MPP_INTENT}`)]));
  const taken = offered.filter((method) => weights.get(method) !== 0).sort((a, b) => (weights.get(b) ?? 0) - (weights.get(a) ?? 0));
  return taken.length === 0 ? offered : taken;
}

/** How cards are paid: the kinds of payment methods of a shared payment token. */
const CARD_TYPES = ['card', 'link'] as const;

/** As a buyer returns it (draft-httpauth-payment-00). */
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

/** `Authorization: Payment …` of the intent charge: the challenge, and for it an authorization by EIP-3009 or a shared payment token. */
const PaymentCredential = z.object({
  challenge: EchoedChallenge,
  payload: z.union([
    z.object({ spt: z.string().regex(/^[A-Za-z0-9_]{1,255}$/), externalId: z.undefined().optional() }),
    Authorization.extend({ type: z.literal('authorization'), signature: PaymentSignature }),
  ]),
});
type PaymentCredential = z.infer<typeof PaymentCredential>;

export type MppChallenge = Required<Omit<EchoedChallenge, 'digest'>> & { readonly description?: string };

/**
 * The challenges of a method (draft-httpauth-payment-00, intent charge), one for each currency; none if it is off, or cannot carry the price.
 * They are not stored: the id of each is a keyed digest of its other members, which include the paid URL.
 */
export function mppChallenges(
  method: MppMethod,
  resource: PaidResource,
  terms: TermsInForce,
  [secret]: SigningSecrets,
  randomness: Randomness,
  nowMs: number,
): Promise<MppChallenge[]> {
  const expires = new Date(nowMs + PAYMENT_TIMEOUT_SECONDS * 1_000).toISOString();
  // For the reader; no part of what is paid, so not of the id.
  const description = isDemonstration(terms.cardProfile) && { description: DEMO_PAYMENT };
  const made = requestsOf(method, resource, terms).map(async (request) => {
    const opaque = toBase64Url(canonicalJson({ resource: resource.url, salt: toBase64Url(randomness.bytes(16)) }));
    const unnamed = { realm: realmOf(resource), method, intent: MPP_INTENT, request, expires, opaque };
    return { id: await idOf(unnamed, secret), ...unnamed, ...description };
  });
  return Promise.all(made);
}

function mppHeader(challenge: MppChallenge): string {
  return `Payment ${Object.entries(challenge)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ')}`;
}

/** Whether this service issued a challenge for this resource, under one of the secrets. Expiry and terms are not checked. */
export async function isOwnChallenge(challenge: EchoedChallenge, resource: PaidResource, secrets: SigningSecrets): Promise<boolean> {
  const given = fromBase64Url(challenge.id);
  if (given === undefined || challenge.realm !== realmOf(resource) || memberIn(challenge.opaque, 'resource') !== resource.url) return false;
  for (const secret of secrets) {
    const made = fromBase64Url(await idOf(challenge, secret));
    if (made !== undefined && equalInConstantTime(made, given)) return true;
  }
  return false;
}

export function hasTermsOf({ request, method, intent }: EchoedChallenge, resource: PaidResource, terms: TermsInForce): boolean {
  const known = METHODS.find((name) => name === method);
  return known !== undefined && intent === MPP_INTENT && requestsOf(known, resource, terms).includes(request);
}

/** Whether a payment is of the method of its challenge; an authorization was signed for it if its nonce is the hash of id and realm. */
function isSignedFor({ challenge: { id, realm, method }, payload }: PaymentCredential): boolean {
  if ('spt' in payload) return method === 'stripe';
  return method === 'evm' && payload.nonce.toLowerCase() === `0x${toHex(keccak256(toBytes(id + realm)))}`;
}

/** The seven slots of the draft, joined by a pipe. A GET has no body, so no digest. */
async function idOf(challenge: Omit<EchoedChallenge, 'id'>, secret: SigningSecrets[number]): Promise<string> {
  const { realm, method, intent, request, expires, opaque } = challenge;
  const text = [realm, method, intent, request, expires, '', opaque].join('|');
  return toBase64Url(await keyedDigest(secret, 'payment challenge', toBytes(text)));
}

/** The members `request` of the challenges of a method (draft-evm-charge-00, draft-stripe-charge-00). */
function requestsOf(method: MppMethod, { priceMicros, cards }: PaidResource, { terms, cardProfile }: TermsInForce): string[] {
  if (method === 'stripe') {
    if (cardProfile === undefined) return [];
    const methodDetails = { networkId: cardProfile, paymentMethodTypes: [...CARD_TYPES] };
    return cards.map(({ amountMinor, currency }) =>
      toBase64Url(canonicalJson({ amount: String(amountMinor), currency: currency.toLowerCase(), methodDetails })),
    );
  }
  if (terms === undefined || priceMicros === 0) return [];
  const { chainId, asset } = terms.network;
  const methodDetails = { chainId, credentialTypes: ['authorization'], decimals: asset.decimals };
  const request = { amount: atomicAmount(priceMicros, terms), currency: asset.address, recipient: terms.payTo, methodDetails };
  return [toBase64Url(canonicalJson(request))];
}

/** As the draft recommends. */
function realmOf({ url }: PaidResource): string {
  return new URL(url).hostname;
}

function memberIn(encoded: string, name: string): unknown {
  const bytes = fromBase64Url(encoded);
  const value = attempt((): unknown => bytes && JSON.parse(new TextDecoder().decode(bytes)));
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

function signedBy({ challenge, payload }: PaymentCredential): PresentedPayment['signed'] {
  if ('spt' in payload) {
    const [amount, currency] = ['amount', 'currency'].map((name) => String(memberIn(challenge.request, name)));
    return CardToken.parse({ spt: payload.spt, challengeId: challenge.id, amount, currency });
  }
  const { signature, type: _, ...authorization } = payload;
  return { signature, authorization };
}

function presented(credential: PaymentCredential): PresentedPayment {
  const { challenge } = credential;
  return {
    signed: signedBy(credential),
    // The challenge identifies the payment.
    identifier: undefined,
    origin: ['mpp', challenge.id],
    isSecret: true,
    resourceIssue: async (resource, secrets) => {
      if (secrets === undefined || !(await isOwnChallenge(challenge, resource, secrets))) return ISSUES.challenge;
      return isSignedFor(credential) ? undefined : ISSUES.nonce;
    },
    termsIssue: (resource, terms, nowMs) => {
      if (!hasTermsOf(challenge, resource, terms)) return ISSUES.terms;
      return Date.parse(challenge.expires) > nowMs ? undefined : ISSUES.expired;
    },
  };
}

const ISSUES = {
  challenge: {
    reason: 'invalid_challenge',
    detail: 'This service did not issue this challenge for this URL, or the challenge was changed.',
  },
  nonce: {
    reason: 'invalid_nonce',
    detail: 'The payment is of another method, or the nonce of the authorization is not the hash of the challenge.',
  },
  terms: { reason: 'invalid_payment_requirements', detail: 'The terms of the challenge are no longer current. Request a new challenge.' },
  expired: { reason: 'challenge_expired', detail: 'The challenge has expired. Request a new one.' },
} as const;
