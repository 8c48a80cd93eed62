import { type CapsulePrice, microDollars } from '../../../schemas/commerce/payments.ts';
import type { CapsuleMetadata } from '../../../schemas/knowledge/capsule.ts';
import type { Generation } from '../../knowledge/generation.ts';
import { findCapsule, type PaidVersion, paymentDetail, readPaidText } from '../../knowledge/read-capsule.ts';
import { ok, type Result, refuse } from '../../result.ts';
import { type PaidResource, paidResource } from './paid-resource.ts';
import { type PaymentDependencies, payForResource } from './pay-for-resource.ts';
import { challengeRefusal, type PresentedPayment, type UnreadablePayment } from './payment-scheme.ts';

/** A requested paid capsule. */
export interface RequestedCapsule {
  /** The requested version. */
  readonly metadata: CapsuleMetadata;
  readonly price: CapsulePrice;
  readonly namedVersion: string | undefined;
}

/** A paid text and its receipt. */
export interface SoldCapsule {
  readonly sold: PaidVersion;
  readonly headers: Readonly<Record<string, string>>;
}

type Payments = PaymentDependencies | { readonly missing: string } | undefined;

/**
 * Sells the text of a capsule. The text is read before anything is charged, so that nobody pays for a text that cannot be sent.
 *
 * @throws {BlockBrokenError} If the text is missing or corrupt in the store.
 * @throws {BlockUnavailableError} If the store does not respond.
 */
export async function sellCapsule(
  requested: RequestedCapsule,
  payment: PresentedPayment | UnreadablePayment,
  generation: Generation,
  payments: Payments,
  baseUrl: string,
): Promise<Result<SoldCapsule>> {
  if (payments === undefined || 'missing' in payments) return cannotSell(requested, payments);
  const { capsule_id, version } = requested.metadata;
  const text = await readPaidText(generation, capsule_id, version);
  const paid = await payForResource(resourceOf(requested, baseUrl), payment, payments);
  if (!paid.ok) return paid;
  const sold = text?.metadata.version === paid.value.version ? text : await readPaidText(generation, capsule_id, paid.value.version);
  if (sold === undefined) throw new TypeError('a version that was sold is no longer there');
  return ok({ sold, headers: paid.value.headers });
}

/** The challenge for a capsule; `undefined` if it is free or does not exist. */
export async function challengeFor(id: string, generation: Generation, payments: Payments, baseUrl: string) {
  const stored = await findCapsule(id, undefined, generation);
  const price = stored.ok ? stored.value.metadata.price : undefined;
  if (!stored.ok || price === undefined) return undefined;
  const requested: RequestedCapsule = { metadata: stored.value.metadata, price, namedVersion: undefined };
  return unpaid(requested, payments, baseUrl);
}

/** The response to a request without a payment. */
export function unpaid(requested: RequestedCapsule, payments: Payments, baseUrl: string): Promise<Result<never>> {
  if (payments === undefined || 'missing' in payments) return Promise.resolve(cannotSell(requested, payments));
  const reason = { code: 'payment_required', detail: paymentDetail(requested.metadata), error: 'payment_required' } as const;
  return challengeRefusal(reason, resourceOf(requested, baseUrl), payments);
}

function cannotSell({ metadata }: RequestedCapsule, payments: { readonly missing: string } | undefined): Result<never> {
  return payments === undefined ? refuse('payment_required', paymentDetail(metadata)) : refuse('not_configured', payments.missing);
}

function resourceOf({ metadata, price, namedVersion }: RequestedCapsule, baseUrl: string): PaidResource {
  return paidResource(metadata, microDollars(price), namedVersion, baseUrl);
}
