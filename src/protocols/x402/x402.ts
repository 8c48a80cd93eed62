import * as z from 'zod';
import type {
  Facilitator,
  FacilitatorRequest,
  PaidResource,
  PaymentChallengeSource,
  PaymentIssue,
  PaymentReservation,
  PaymentScheme,
  PaymentTerms,
  PostToFacilitator,
  PresentedPayment,
  Settled,
  Verified,
} from '../../gateway/commerce/payments/payment-ports.ts';
import { PAYMENT_TIMEOUT_SECONDS, type PaidOffer, paidOffers } from '../../gateway/commerce/payments/payment-terms.ts';
import { keyedDigest } from '../../gateway/digests-and-base62.ts';
import type { SigningSecret, SigningSecrets } from '../../gateway/platform-ports.ts';
import { ok } from '../../gateway/result.ts';
import { defineRoute } from '../../http/define-route.ts';
import { toBase64Url, toBytes } from '../../provenance/bytes-and-sha256.ts';
import { canonicalJson } from '../../provenance/canonical-json.ts';
import { didDocument, ed25519Key } from '../../provenance/sign.ts';
import { DEMO_PAYMENT, isDemonstration, paymentNetwork, TransactionHash } from '../../schemas/commerce/stablecoin-payments.ts';
import { capsuleApiPath, didWebOf, docPath, PATHS } from '../../schemas/paths.ts';
import { IsoDateTime, Uri } from '../../schemas/primitives.ts';
import type { Publication } from '../../text/publication-model.ts';
import { jsonDocument, type ProtocolModule } from '../protocol-module.ts';
import {
  declaredExtensions,
  decodePayment,
  objectSchema,
  PaymentPayload,
  PaymentRequirements,
  paymentRequired,
  ResourceInfo,
  requirementsFor,
  requirementsOf,
  SettleResponse,
  VerifyResponse,
  X402_VERSION,
} from './payment-required.ts';
import { readSignIn, SIGN_IN_WITH_X, signInExtension } from './sign-in-with-x.ts';

/** Payments of x402 version 2 over HTTP: the challenge in `PAYMENT-REQUIRED` and the body, the payment in `PAYMENT-SIGNATURE`, the receipt in `PAYMENT-RESPONSE`. */
const x402Scheme: PaymentScheme = {
  read: (header) => {
    const encoded = header('PAYMENT-SIGNATURE')?.trim() ?? '';
    if (encoded === '')
      return header('X-PAYMENT') === undefined
        ? undefined
        : { unreadable: 'X-PAYMENT is of x402 version 1: pay by version 2, with PAYMENT-SIGNATURE' };
    const decoded = decodePayment(encoded, PaymentPayload, 'PAYMENT-SIGNATURE');
    if (!('unreadable' in decoded)) return presented(decoded.value);
    // 400 for a malformed payment, 402 for one by other terms: specs/transports-v2/http.md of x402, "Error Handling".
    return { unreadable: decoded.unreadable, ...(decoded.isMalformed && { refusedHeader: 'PAYMENT-SIGNATURE' }) };
  },
  challenge: async ({ error, failed }, resource, source) => {
    const { terms, clock } = source;
    if (terms === undefined || resource.priceMicros === 0) return { headers: {} };
    const required = paymentRequired(resource, terms, source, error);
    const offer = await signedOffer(resource, requirementsFor(resource, terms), clock.nowMs(), source);
    const signIn = { [SIGN_IN_WITH_X]: signInExtension(resource, terms, source) };
    const members = { ...required, extensions: { ...required.extensions, ...signIn, ...offer } };
    const headers = { 'PAYMENT-REQUIRED': toBase64(members) };
    if (failed === undefined) return { members, headers };
    const { reason: errorReason, payer } = failed;
    const response = { success: false, errorReason, transaction: '', network: terms.networkId, payer };
    return { members, headers: { ...headers, 'PAYMENT-RESPONSE': toBase64(response) } };
  },
  signedIn: readSignIn,
  receipt: async (settled, source) => {
    const { transaction, network, payer, amount } = settled;
    if (paymentNetwork(network) === undefined) return {};
    const extensions = source ? { extensions: await signedReceipt(settled, source) } : {};
    return { 'PAYMENT-RESPONSE': toBase64({ success: true, transaction, network, payer, amount, ...extensions }) };
  },
};

/** Deployed clients expect URLs as strings in `resources`. */
export const X402Descriptor = z.strictObject({
  x402Version: z.literal(2).describe('Version of x402.'),
  version: z.literal(1).describe('Version of this descriptor.'),
  kind: z.literal('resource-server').describe('Role of this site.'),
  name: z.string().describe('Name of the site.'),
  description: z.string().describe('What can be bought, or that nothing can.'),
  resources: z.array(Uri).describe('URLs that respond with 402 until they are paid; empty while payment is off.'),
  docs: Uri.describe('Documentation.'),
  contact: z.string().describe('Contact address.'),
  updated: IsoDateTime.describe('Newest change of an offer or of the publisher.'),
});

export type X402Descriptor = z.infer<typeof X402Descriptor>;

const DID_TYPE = 'application/did+json';

const getPaymentKeysRoute = defineRoute({
  id: 'getPaymentKeys',
  feature: 'payments',
  path: PATHS.paymentKeys,
  summary: 'Get the keys that sign payment receipts',
  description: 'DID document of the keys that sign offers and receipts of x402. They come from the signing secrets and sign nothing else.',
  capability: 'capsules',
  access: 'open',
  responses: [{ status: 200, description: 'The DID document.', content: { type: DID_TYPE, schema: z.object({ id: z.string() }) } }],
  needs: ['secrets'],
  cache: 300,
  handle: async (_, { secrets, deployment }) =>
    ok({ kind: 'text', contentType: DID_TYPE, body: JSON.stringify(await paymentKeys(secrets, deployment.baseUrl)) }),
});

/** Its descriptor is always published, even if nothing is sold. */
export const x402Protocol: ProtocolModule = {
  capability: ({ baseUrl, payments }, features) =>
    features.payments
      ? {
          name: 'x402',
          version: String(X402_VERSION),
          document: `${baseUrl}${PATHS.x402WellKnown}`,
          services: payments?.payTo ? ['exact'] : [],
          ...(isDemonstration(payments?.stripeProfile) && { demo: true as const }),
        }
      : undefined,
  documents: [
    {
      name: 'x402',
      path: PATHS.x402WellKnown,
      listing: { title: 'x402 descriptor', note: 'resources paid by x402' },
      feature: 'payments',
      make: (publication) => jsonDocument(x402Descriptor(publication)),
      route: () => ({
        id: 'getX402Descriptor',
        feature: 'payments',
        summary: 'Discover resources paid by x402',
        description: 'Payment descriptor for x402 clients. The list of resources is empty while nothing can be paid this way.',
        capability: 'capsules',
        schema: X402Descriptor,
        cache: 300,
      }),
    },
    {
      name: 'x402_items',
      path: PATHS.x402Json,
      isPublished: ({ payments }) => payments?.payTo !== undefined,
      feature: 'payments',
      make: (publication) => jsonDocument(x402Items(publication)),
      route: () => ({
        id: 'getX402Items',
        feature: 'payments',
        summary: 'List resources paid by x402',
        description: 'Every capsule whose text is sold, with the terms of its challenge.',
        capability: 'capsules',
        schema: X402Items,
        cache: 300,
      }),
    },
  ],
  operations: () => [getPaymentKeysRoute],
  paymentScheme: x402Scheme,
  examples: (publication) => ({
    getX402Descriptor: { response: x402Descriptor(publication) },
    getX402Items: { response: x402Items(publication) },
  }),
  schemas: { requests: {}, responses: { X402Descriptor } },
};

/** Texts that can be paid in a token. */
export function offersByToken(publication: Publication): (PaidOffer & { readonly terms: PaymentTerms })[] {
  return paidOffers(publication).flatMap(({ terms, ...offer }) => (terms === undefined ? [] : [{ ...offer, terms }]));
}

/** It has no merged specification; its members are those that deployed clients and draft-hawkins-x402-dns-discovery-02 expect. */
export function x402Descriptor(publication: Publication): X402Descriptor {
  const { deployment } = publication;
  const { name, baseUrl } = deployment;
  const offers = offersByToken(publication);
  return X402Descriptor.parse({
    x402Version: 2,
    version: 1,
    kind: 'resource-server',
    name,
    description: whatIsSold(offers.length, publication),
    resources: offers.map(({ resource }) => resource.url),
    docs: baseUrl + (deployment.payments ? docPath('paying') : PATHS.docs),
    contact: deployment.contactEmail,
    updated: deployment.catalogUpdatedAt,
  } satisfies X402Descriptor);
}

function whatIsSold(byToken: number, publication: Publication): string {
  const { name } = publication.deployment;
  const demo = isDemonstration(publication.deployment.payments?.stripeProfile) ? ` ${DEMO_PAYMENT}` : '';
  if (byToken > 0) return `Capsule texts that ${name} sells by x402 and MPP. The summary, metadata and digest of each are free.${demo}`;
  if (paidOffers(publication).length > 0) return `${name} sells nothing by x402. Texts are paid by card, with MPP.`;
  const pages = publication.offers.length > 0 ? ', and offers are bought through their pages' : '';
  return `${name} currently sells nothing by x402: every capsule is free to read${pages}. No URL here responds with 402.`;
}

const PaidRequest = z.object({
  method: z.literal('GET').describe('Method of the request.'),
  routeTemplate: z.string().describe('Path with parameters.'),
  pathParams: z.record(z.string(), z.string()).describe('Values of the parameters.'),
});

const PaidItem = z.object({
  resource: ResourceInfo.describe('What is sold.'),
  type: z.literal('http').describe('Kind of the request.'),
  accepts: z.array(PaymentRequirements).describe('Terms, as in the challenge.'),
  input: PaidRequest.describe('The paid request.'),
  output: z.object({ type: z.literal('json').describe('Kind of the response.') }).describe('The response.'),
});

const PaidService = z.object({
  method: z.literal('GET').describe('Method of the request.'),
  path: z.string().describe('Path of the request.'),
  description: z.string().describe('Summary of the capsule.'),
  price: z.string().describe('Price in dollars, as a decimal number.'),
  currency: z.literal('USD').describe('ISO 4217.'),
  discoverable: z.literal(true).describe('Whether it may be listed elsewhere.'),
});

export const X402Items = z.strictObject({
  x402Version: z.literal(2).describe('Version of x402.'),
  lastUpdated: IsoDateTime.describe('Newest change of an offer or of the publisher.'),
  name: z.string().describe('Name of the site.'),
  network: z.string().optional().describe('Network of payments, as a CAIP-2 id.'),
  facilitator: Uri.optional().describe('Service that settles payments.'),
  payTo: z.string().optional().describe('Address that receives payments.'),
  items: z.array(PaidItem).describe('Paid resources.'),
  services: z.array(PaidService).describe('The same resources, for clients that look for services.'),
});
export type X402Items = z.infer<typeof X402Items>;

/** No merged specification either: `items` follow x402 pull request 2646, `services` is what other clients look for. */
export function x402Items(publication: Publication): X402Items {
  const { name, baseUrl, catalogUpdatedAt, payments } = publication.deployment;
  const { network, facilitator, payTo, sellerName: seller = name, icon, stripeProfile: cardProfile } = payments ?? {};
  const offers = offersByToken(publication);
  return X402Items.parse({
    x402Version: 2,
    lastUpdated: catalogUpdatedAt,
    name,
    ...(payments ? { network, facilitator, payTo } : {}),
    items: offers.map(({ resource: sold, terms }) => {
      const { resource, accepts } = paymentRequired(sold, terms, { seller, baseUrl, icon, cardProfile }, '');
      const input = { method: 'GET', routeTemplate: capsuleApiPath(':capsule_id'), pathParams: { capsule_id: sold.capsuleId } } as const;
      return { resource, type: 'http', accepts, input, output: { type: 'json' } };
    }),
    services: offers.map(({ resource, price, summary }) => ({
      method: 'GET',
      path: new URL(resource.url).pathname,
      description: summary,
      price: price.amount,
      currency: 'USD',
      discoverable: true,
    })),
  } satisfies X402Items);
}

function presented({ payload, accepted, resource: named, extensions }: PaymentPayload): PresentedPayment {
  const identifier = extensions?.['payment-identifier']?.info.id;
  return {
    signed: payload,
    identifier,
    origin: ['x402', identifier ?? null],
    isSecret: identifier !== undefined,
    resourceIssue: async ({ url }) => ((named?.url ?? url) === url ? undefined : OTHER_RESOURCE),
    termsIssue: (resource, { terms }) =>
      terms === undefined || resource.priceMicros === 0 ? NO_TOKEN : acceptedFault(accepted, requirementsFor(resource, terms)),
  };
}

const OTHER_RESOURCE: PaymentIssue = { reason: 'invalid_payload', detail: 'The payment names a resource other than the requested URL.' };
const NO_TOKEN: PaymentIssue = { reason: 'unsupported_scheme', detail: 'No token is accepted here.' };

/** Why the accepted terms are not the offered ones, by the reasons of x402 version 2, section 9. */
function acceptedFault(accepted: PaymentPayload['accepted'], offered: PaymentRequirements): PaymentIssue | undefined {
  if (accepted.scheme !== offered.scheme) return { reason: 'unsupported_scheme', detail: 'Only the scheme "exact" is accepted.' };
  if (accepted.network !== offered.network)
    return { reason: 'invalid_network', detail: `Only the network ${offered.network} is accepted.` };
  if (accepted.amount === offered.amount && isSameHex(accepted.asset, offered.asset) && isSameHex(accepted.payTo, offered.payTo))
    return undefined;
  const detail = 'The payment accepts terms that differ from the current ones. Request the resource again for its terms.';
  return { reason: 'invalid_payment_requirements', detail };
}

function isSameHex(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase();
}

function toBase64(value: unknown): string {
  return btoa(String.fromCharCode(...toBytes(JSON.stringify(value))));
}

/** Longest time that a facilitator may take to verify a payment, and to settle it and wait for its network, in milliseconds. */
const VERIFY_DEADLINE_MS = 6_000;
const SETTLE_DEADLINE_MS = 20_000;

/** The network accepted the transaction and has not confirmed it (@x402/evm since 2.23; the second is the name in its specification). */
const PENDING: readonly string[] = ['settlement_pending', 'settle_pending'];

/**
 * Maybe used by another transfer: the payer can sign a second authorization with the same nonce that pays somebody else
 * (@x402/evm 2.27; the second is its name in facilitators of version 1).
 */
const NONCE_USED: readonly string[] = ['invalid_exact_evm_nonce_already_used', 'authorization_already_used'];

/**
 * Reasons that a facilitator gives before it sends anything (@x402/evm 2.27, exact/facilitator/errors.ts; x402 version 2, section 9). Not listed:
 * unknown ones, and `invalid_exact_evm_transaction_failed`, `invalid_transaction_state`, `invalid_exact_evm_transfer_event_mismatch` and
 * `unexpected_settle_error`, which also follow a transaction that was sent and whose outcome the facilitator could not read or store.
 */
const NOTHING_SENT: ReadonlySet<string> = new Set([
  'asset_not_deployed_contract',
  'eip6492_factory_not_allowed',
  'insufficient_funds',
  'invalid_exact_evm_authorization_value',
  'invalid_exact_evm_eip3009_not_supported',
  'invalid_exact_evm_failed_to_parse_signature',
  'invalid_exact_evm_insufficient_balance',
  'invalid_exact_evm_missing_eip712_domain',
  'invalid_exact_evm_network_mismatch',
  'invalid_exact_evm_payload_authorization_valid_after',
  'invalid_exact_evm_payload_authorization_valid_before',
  'invalid_exact_evm_payload_authorization_value',
  'invalid_exact_evm_payload_authorization_value_mismatch',
  'invalid_exact_evm_payload_recipient_mismatch',
  'invalid_exact_evm_payload_signature',
  'invalid_exact_evm_payload_undeployed_smart_wallet',
  'invalid_exact_evm_recipient_mismatch',
  'invalid_exact_evm_scheme',
  'invalid_exact_evm_signature',
  'invalid_exact_evm_token_name_mismatch',
  'invalid_exact_evm_token_version_mismatch',
  'invalid_exact_evm_transaction_simulation_failed',
  'invalid_network',
  'invalid_payload',
  'invalid_payment_requirements',
  'invalid_scheme',
  'invalid_x402_version',
  'unsupported_scheme',
]);

/** A facilitator (x402 version 2, section 7). A missing or malformed response proves nothing. */
export function x402Facilitator(post: PostToFacilitator): Facilitator {
  return {
    verify: async (request) => verifiedBy(await post('/verify', bodyOf(request), VERIFY_DEADLINE_MS)),
    settle: async (request) => settledBy(await post('/settle', bodyOf(request), SETTLE_DEADLINE_MS)),
  };
}

function bodyOf({ signed: payload, resource: { url, title }, terms, amount, payTo }: FacilitatorRequest): object {
  const accepted = requirementsOf(amount, payTo, terms);
  const { bazaar } = declaredExtensions({ url });
  const resource = { url, description: title, mimeType: 'application/json' };
  const paymentPayload = { x402Version: X402_VERSION, resource, accepted, payload, extensions: { bazaar } };
  return { x402Version: X402_VERSION, paymentPayload, paymentRequirements: accepted };
}

function verifiedBy(response: unknown): Verified {
  const parsed = VerifyResponse.safeParse(response);
  if (!parsed.success) return { kind: 'unknown' };
  return parsed.data.isValid ? { kind: 'valid' } : { kind: 'invalid', reason: plainReason(parsed.data.invalidReason ?? '') };
}

/** A success without a transaction proves nothing (x402 version 2, section 5.3, `transaction`). */
function settledBy(response: unknown): Settled {
  const parsed = SettleResponse.safeParse(response);
  if (!parsed.success) return { kind: 'unknown' };
  const { success, errorReason } = parsed.data;
  const hash = TransactionHash.safeParse(parsed.data.transaction);
  if (success) return hash.success ? { kind: 'settled', transaction: hash.data } : { kind: 'unknown' };
  const reason = errorReason ?? '';
  const named = hash.success ? { transaction: hash.data } : {};
  if (PENDING.includes(reason)) return { kind: 'pending', ...named };
  const cause = NOTHING_SENT.has(reason) ? 'nothing_sent' : NONCE_USED.includes(reason) ? 'nonce_used' : 'unknown';
  return { kind: 'refused', reason: plainReason(reason), cause, ...named };
}

function plainReason(reason: string): string {
  return /^[A-Za-z0-9_]{1,80}$/.test(reason) ? reason : 'refused_by_facilitator';
}

/** Name of the extension that signs offers and receipts as JWS (x402, extension offer-receipt, version 1). */
const OFFER_RECEIPT = 'offer-receipt';
const VERSION = 1;
const PURPOSE = 'x402 offer-receipt';

type Source = Pick<PaymentChallengeSource, 'secrets' | 'baseUrl'>;

/** The extension of a 402: the offer to sell on its terms, signed. Empty without signing secrets. */
async function signedOffer({ url }: PaidResource, terms: PaymentRequirements, nowMs: number, source: Source): Promise<object> {
  const { scheme, network, asset, payTo, amount } = terms;
  const validUntil = Math.floor(nowMs / 1_000) + PAYMENT_TIMEOUT_SECONDS;
  const offer = { version: VERSION, resourceUrl: url, scheme, network, asset, payTo, amount, validUntil };
  return signed(offer, source, (jws) => ({
    info: { offers: [{ ...jws, acceptIndex: 0 }] },
    schema: objectSchema({ offers: { type: 'array' } }, ['offers']),
  }));
}

/** The extension of a settlement: the receipt, which names the transaction. Empty without signing secrets; the same whenever it is repeated. */
async function signedReceipt(reservation: Partial<PaymentReservation>, source: Source): Promise<object> {
  const { network, resource, payer, transaction, settledAtMs = 0 } = reservation;
  const receipt = { version: VERSION, network, resourceUrl: resource, payer, issuedAt: Math.floor(settledAtMs / 1_000), transaction };
  return signed(receipt, source, (jws) => ({ info: { receipt: jws }, schema: objectSchema({ receipt: { type: 'object' } }, ['receipt']) }));
}

/** One key for each signing secret. It is not the publisher's document: that one's keys are trusted for lineages; these are on every server. */
async function paymentKeys(secrets: SigningSecrets, baseUrl: string) {
  const keys = secrets.map(async (secret) => {
    const { x } = (await crypto.subtle.exportKey('jwk', await keyOf(secret))) as JsonWebKey;
    return { fragment: `${secret.id}`, publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x } };
  });
  return didDocument(didOf(baseUrl), await Promise.all(keys));
}

/** The DID whose document is at {@link PATHS.paymentKeys}. */
const didOf = (baseUrl: string): string => didWebOf(baseUrl + PATHS.paymentKeys.slice(0, -'/did.json'.length));

/** Keys of this isolate: to derive one takes as long as to sign. */
const KEYS = new WeakMap<SigningSecret, CryptoKey>();

/** Each signing secret yields one key, so that keys are set, rotated and withdrawn with it. */
async function keyOf(secret: SigningSecret): Promise<CryptoKey> {
  const key = KEYS.get(secret) ?? (await ed25519Key(await keyedDigest(secret, PURPOSE)));
  KEYS.set(secret, key);
  return key;
}

async function signed(payload: object, { secrets, baseUrl }: Source, extension: (jws: object) => object): Promise<object> {
  if (secrets === undefined) return {};
  const [secret] = secrets;
  const header = { alg: 'EdDSA', kid: `${didOf(baseUrl)}#${secret.id}` };
  const content = [header, payload].map((part) => toBase64Url(canonicalJson(part))).join('.');
  const signature = await crypto.subtle.sign('Ed25519', await keyOf(secret), toBytes(content));
  return { [OFFER_RECEIPT]: extension({ format: 'jws', signature: `${content}.${toBase64Url(new Uint8Array(signature))}` }) };
}
