import type { Facilitator, PaidResource, ReadHeader } from '../../src/gateway/commerce/payments/payment-ports.ts';
import { paidResource, paymentTerms } from '../../src/gateway/commerce/payments/payment-terms.ts';
import {
  type PaidAccess,
  type PaymentDependencies,
  payForResource,
  paymentChallengeRefusal,
  readPayment,
} from '../../src/gateway/commerce/payments/settle-payment.ts';
import type { SigningSecrets } from '../../src/gateway/platform-ports.ts';
import type { Result } from '../../src/gateway/result.ts';
import { problemResponse } from '../../src/http/render-problem.ts';
import { paymentReservations } from '../../src/platform/d1/payment-reservations.ts';
import { readSigningSecrets } from '../../src/platform/environment.ts';
import { facilitatorPost } from '../../src/platform/payment-dependencies.ts';
import { PROTOCOL_ADAPTERS } from '../../src/protocols/protocols.ts';
import { type TextPrices, textPrices } from '../../src/schemas/commerce/capsule-price.ts';
import type { SignedAuthorization } from '../../src/schemas/commerce/stablecoin-payments.ts';
import type { Deployment } from '../../src/schemas/deployment.ts';
import { TEST_SIGNING_SECRETS } from './edge-gateway.ts';
import { TEST_BASE_URL } from './paths.ts';

/** Terms of tests; the address is nobody's. */
export const TEST_PAYMENTS = {
  payTo: '0x000000000000000000000000000000000000dEaD',
  network: 'eip155:84532',
  facilitator: 'http://127.0.0.1:9',
} as const satisfies Deployment['payments'];

export function testResource(id = 'sold-thing', price: number | TextPrices = 50_000, namedVersion?: string): PaidResource {
  const prices = typeof price === 'number' ? textPrices(price / 1_000_000, {}) : price;
  const capsule = { capsule_id: id, version: '1.2.0', title: 'A thing that is sold', status: 'current' as const, tags: ['selling'] };
  return paidResource({ metadata: { ...capsule, ...prices }, namedVersion }, TEST_BASE_URL);
}

export async function paymentDependencies(
  database: D1Database,
  facilitator: Facilitator,
  nowMs: () => number,
  more: Partial<PaymentDependencies> = {},
): Promise<PaymentDependencies> {
  const terms = paymentTerms({ payments: TEST_PAYMENTS });
  if (terms === undefined) throw new Error('there are terms');
  return {
    schemes: PROTOCOL_ADAPTERS.payments.schemes,
    terms,
    cardProfile: undefined,
    processor: undefined,
    facilitator,
    ledger: undefined,
    reservations: paymentReservations(database),
    quotas: undefined,
    secrets: await testSecrets(),
    clock: { nowMs },
    randomness: { bytes: (length) => crypto.getRandomValues(new Uint8Array(length)) },
    seller: 'Tested publication',
    baseUrl: TEST_BASE_URL,
    ...more,
  };
}

export async function testSecrets(): Promise<SigningSecrets> {
  const secrets = await readSigningSecrets(TEST_SIGNING_SECRETS);
  if ('missing' in secrets) throw new Error(secrets.missing);
  return secrets;
}

/** The facilitator at an address, as a deployment reaches it. */
export function httpFacilitator(...at: Parameters<typeof facilitatorPost>): Facilitator {
  return PROTOCOL_ADAPTERS.payments.facilitator(facilitatorPost(...at));
}

export function sentHeaders(headers: Readonly<Record<string, string>>): ReadHeader {
  const sent = new Headers(headers);
  return (name) => sent.get(name) ?? undefined;
}

export function x402Headers(payload: unknown): ReadHeader {
  return sentHeaders({ 'PAYMENT-SIGNATURE': Buffer.from(JSON.stringify(payload)).toString('base64') });
}

/** Pays for a resource with what the headers of a request hold, or gives the challenge if they hold no payment. */
export async function payWith(header: ReadHeader, resource: PaidResource, deps: PaymentDependencies): Promise<Result<PaidAccess>> {
  const payment = readPayment(header, deps.schemes);
  if (payment !== undefined) return payForResource(resource, payment, deps);
  return paymentChallengeRefusal({ code: 'payment_required', detail: 'It costs five cents.', error: 'payment_required' }, resource, deps);
}

/** An authorization over a price; its signature is none, for facilitators that do not look. */
export function testAuthorization(nowMs: number, changes: Partial<SignedAuthorization['authorization']> = {}): SignedAuthorization {
  const now = Math.floor(nowMs / 1_000);
  return {
    signature: `0x${'ab'.repeat(65)}`,
    authorization: {
      from: '0x1111111111111111111111111111111111111111',
      to: TEST_PAYMENTS.payTo,
      value: '50000',
      validAfter: String(now - 600),
      validBefore: String(now + 300),
      nonce: `0x${'07'.repeat(32)}`,
      ...changes,
    },
  };
}

export function testPayment(resource: PaidResource, signed: SignedAuthorization, identifier?: string): Record<string, unknown> {
  return {
    x402Version: 2,
    resource: { url: resource.url },
    accepted: {
      scheme: 'exact',
      network: TEST_PAYMENTS.network,
      amount: String(resource.priceMicros),
      asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
      payTo: TEST_PAYMENTS.payTo,
      maxTimeoutSeconds: 300,
      extra: { name: 'USDC', version: '2', paymentFlow: 'upfront' },
    },
    payload: signed,
    ...(identifier === undefined
      ? {}
      : { extensions: { 'payment-identifier': { info: { required: false, id: identifier }, schema: {} } } }),
  };
}

/** A shop that sells resources by their addresses, as `fetch`: for official clients, without a server. */
export function shopFetch(resources: readonly PaidResource[], deps: PaymentDependencies): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const resource = resources.find(({ url }) => url === request.url);
    if (resource === undefined) return new Response(null, { status: 404 });
    return answerOf(await payWith((name) => request.headers.get(name) ?? undefined, resource, deps), resource);
  };
}

function answerOf(result: Result<PaidAccess>, { url }: PaidResource): Response {
  if (result.ok) return new Response(`text of ${result.value.version}`, { headers: result.value.headers });
  return problemResponse(result.refusal, { baseUrl: TEST_BASE_URL, requestId: 'test', path: new URL(url).pathname });
}
