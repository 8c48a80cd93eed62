import { LIMITS } from '../../../schemas/limits.ts';
import { consumeQuota } from '../../limits/consume-quota.ts';
import type { ReturnableQuotas } from '../../ports.ts';
import { ok, outage, type Result, refuse } from '../../result.ts';
import type { PaidResource } from './paid-resource.ts';
import { type AuthorizationId, type PaymentClaim, type PaymentClaims, type Purchase, paymentIdOf } from './payment-ports.ts';
import {
  type ChallengeReason,
  type ChallengeSource,
  challengeRefusal,
  type PresentedPayment,
  paymentFingerprint,
  receiptHeaders,
  type UnreadablePayment,
} from './payment-scheme.ts';
import { atomicAmount, authorizationFault, PAYMENT_TIMEOUT_SECONDS, type PaymentFault } from './payment-terms.ts';
import { resolveClaim, type SettleDependencies, type SettleOutcome, settleClaim } from './settle-claim.ts';

/** What a payment needs. */
export interface PaymentDependencies extends ChallengeSource, SettleDependencies {
  /** Counts payments that leave a row; `undefined` where none are counted. */
  readonly quotas: ReturnableQuotas | undefined;
}

/** What was bought. */
export interface PaidAccess {
  /** Paid version: the version in the first response, even if a newer one exists. */
  readonly version: string;
  /** The receipt. */
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * How long a request may take to settle a payment, in milliseconds: longer than the facilitator's deadline. Afterwards another request may
 * take over.
 */
const LEASE_MS = 30_000;

const SETTLING_RETRY_SECONDS = 3;

const OPEN_RETRY_SECONDS = 5;

/**
 * Sells one resource. A payment is claimed before it is settled, and settled before anything is delivered: one authorization has one
 * effect, at the URL where it was first presented, however many concurrent requests present it. A settled payment is replayed for a while,
 * so that nobody pays twice for a lost response.
 *
 * @returns What was bought; or `payment_invalid` with the challenge, `payment_settling`, `payment_conflict`, `payment_unresolved`,
 *   `facilitator_unavailable` or `state_unavailable`, after which the same payment can be sent again.
 */
export async function payForResource(
  resource: PaidResource,
  payment: PresentedPayment | UnreadablePayment,
  deps: PaymentDependencies,
): Promise<Result<PaidAccess>> {
  if ('unreadable' in payment) return invalid({ reason: 'invalid_payload', detail: `${payment.unreadable}.` }, resource, deps);
  const misplaced = await payment.resourceFault(resource, deps.secrets);
  if (misplaced) return invalid(misplaced, resource, deps);
  return new Sale(resource, payment, await purchaseOf(payment, resource, deps), deps).run();
}

/** The database cannot be reached; any other error is a bug. */
class ClaimsUnavailableError extends Error {
  override readonly name = 'ClaimsUnavailableError';
}

/** Wraps what the claims throw, to distinguish it from bugs. */
function withClaimErrors(claims: PaymentClaims): PaymentClaims {
  const failed = (cause: unknown): never => {
    throw new ClaimsUnavailableError('the claims cannot be reached', { cause });
  };
  return {
    find: (...values) => claims.find(...values).catch(failed),
    claim: (...values) => claims.claim(...values).catch(failed),
    takeOver: (...values) => claims.takeOver(...values).catch(failed),
    settled: (...values) => claims.settled(...values).catch(failed),
    unsettled: (...values) => claims.unsettled(...values).catch(failed),
  };
}

async function purchaseOf(payment: PresentedPayment, resource: PaidResource, { terms }: PaymentDependencies): Promise<Purchase> {
  const { identifier, isSecret, signed } = payment;
  const { authorization } = signed;
  return {
    network: terms.networkId,
    asset: terms.network.asset.address.toLowerCase(),
    payer: authorization.from.toLowerCase(),
    nonce: authorization.nonce.toLowerCase(),
    identifier,
    resource: resource.url,
    capsuleId: resource.capsuleId,
    version: resource.version,
    amount: authorization.value,
    payTo: authorization.to.toLowerCase(),
    fingerprint: await paymentFingerprint(payment),
    isSecret,
    signed: JSON.stringify(signed),
  };
}

class Sale {
  readonly #resource: PaidResource;
  readonly #payment: PresentedPayment;
  readonly #purchase: Purchase;
  readonly #deps: PaymentDependencies;
  readonly #claims: PaymentClaims;

  constructor(resource: PaidResource, payment: PresentedPayment, purchase: Purchase, deps: PaymentDependencies) {
    this.#resource = resource;
    this.#payment = payment;
    this.#purchase = purchase;
    this.#deps = deps;
    this.#claims = withClaimErrors(deps.claims);
  }

  async run(): Promise<Result<PaidAccess>> {
    try {
      const existing = await this.#find();
      if (existing !== undefined && existing.state !== 'failed') return await this.#follow(existing);
      const fault = await this.#verifyPayment();
      if (fault === 'unknown') return this.#unavailable('The facilitator did not respond. Nothing was charged.');
      // During verification another request may have settled the payment, which the facilitator then reports as used.
      const concurrent = fault && (await this.#find());
      if (concurrent && concurrent.state !== 'failed') return await this.#follow(concurrent);
      if (fault) return invalid(fault, this.#resource, this.#deps);
      const { quotas, clock } = this.#deps;
      const counted = quotas && (await consumeQuota(quotas, 'payer_claims', this.#purchase.payer, clock));
      if (counted?.ok === false) return counted;
      const now = clock.nowMs();
      const { claim, isOurs } = await this.#claims.claim(this.#purchase, now, now + LEASE_MS);
      return isOurs ? await this.#settle(claim, true) : await this.#follow(claim);
    } catch (error) {
      if (!(error instanceof ClaimsUnavailableError)) throw error;
      return outage('state_unavailable', 'The database did not respond. Send the same payment again; nothing is charged twice.');
    }
  }

  async #follow(claim: PaymentClaim): Promise<Result<PaidAccess>> {
    const isSameAuthorization = claim.nonce === this.#purchase.nonce;
    if (claim.resource !== this.#resource.url)
      return conflict(
        isSameAuthorization
          ? 'The authorization was first presented at another URL. One authorization buys one resource.'
          : 'The payment identifier belongs to a purchase at another URL.',
      );
    if (isSameAuthorization && claim.fingerprint !== this.#purchase.fingerprint)
      return conflict('The authorization was already presented in another payment.');
    if (!isSameAuthorization) {
      // A new signature under the same identifier proves that the payer sent it: it is verified, not settled.
      const fault = await this.#verifyPayment();
      if (fault === 'unknown') return this.#unavailable('The facilitator did not respond. Nothing was charged.');
      if (fault) return invalid(fault, this.#resource, this.#deps);
    }
    if (claim.state === 'settled') return this.#release(claim);
    return claim.state === 'unresolved'
      ? this.#respond(await resolveClaim(claim, { state: 'unresolved' }, this.#deps), claim)
      : this.#resume(claim);
  }

  /** Takes over a payment whose settlement another request started and did not finish. */
  async #resume(claim: PaymentClaim): Promise<Result<PaidAccess>> {
    const now = this.#deps.clock.nowMs();
    const taken = claim.leaseUntilMs > now ? undefined : await this.#claims.takeOver(claim, claim.attempt, now, now + LEASE_MS);
    if (taken === undefined)
      return refuse('payment_settling', 'Another request is settling this payment. Send the same payment again.', {
        retryAfterSeconds: SETTLING_RETRY_SECONDS,
      });
    return this.#settle(taken, false);
  }

  async #settle(claim: PaymentClaim, isFirst: boolean): Promise<Result<PaidAccess>> {
    return this.#respond(await settleClaim(claim, isFirst, this.#resource, this.#deps), claim);
  }

  async #respond(outcome: SettleOutcome, claim: PaymentClaim): Promise<Result<PaidAccess>> {
    switch (outcome.kind) {
      case 'settled':
        // The budget bounds unpaid claims. A count that cannot be returned expires at midnight.
        await this.#deps.quotas?.giveBack('payer_claims', claim.payer, claim.claimedAtMs).catch(() => undefined);
        return this.#release(outcome.claim);
      case 'open':
        return this.#unavailable(
          'The payment may not be settled yet. Do not pay again: send the same payment again, which is not charged twice.',
        );
      case 'unresolved':
        return refuse(
          'payment_unresolved',
          `The outcome of the settlement is unknown. Do not pay again: the publisher reviews the payment as ${paymentIdOf(claim)}. Send the same payment later: it returns the text once the publisher has confirmed it.`,
        );
      case 'refused':
        return invalid(
          { reason: outcome.reason, detail: 'The payment was not settled, and nothing was charged.' },
          this.#resource,
          this.#deps,
          { reason: outcome.reason, payer: claim.payer },
        );
    }
  }

  #release(claim: PaymentClaim): Result<PaidAccess> {
    const isRepeatedLong = claim.isSecret || claim.reviewedAtMs !== undefined;
    const keptMs = isRepeatedLong ? LIMITS.paymentRepeatHours * 3_600_000 : PAYMENT_TIMEOUT_SECONDS * 1_000;
    return this.#deps.clock.nowMs() <= (claim.settledAtMs ?? 0) + keptMs
      ? ok({ version: claim.version, headers: receiptHeaders(claim, this.#deps.schemes) })
      : conflict('The authorization was used, and its purchase can no longer be replayed.');
  }

  /** Why the payment fails the current terms or the facilitator's verification. */
  async #verifyPayment(): Promise<PaymentFault | 'unknown' | undefined> {
    const { terms, clock, facilitator } = this.#deps;
    const { signed } = this.#payment;
    const nowMs = clock.nowMs();
    const own =
      this.#payment.termsFault(this.#resource, terms, nowMs) ?? authorizationFault(signed, this.#resource.priceMicros, terms, nowMs);
    if (own) return own;
    const amount = atomicAmount(this.#resource.priceMicros, terms);
    const verified = await facilitator.verify({ signed, resource: this.#resource, terms, amount, payTo: terms.payTo });
    if (verified.kind === 'valid') return undefined;
    return verified.kind === 'unknown' ? 'unknown' : { reason: verified.reason, detail: 'The facilitator rejected the payment.' };
  }

  #find(): Promise<PaymentClaim | undefined> {
    const id: AuthorizationId = this.#purchase;
    return this.#claims.find(id, this.#purchase.identifier);
  }

  #unavailable(detail: string): Result<never> {
    return refuse('facilitator_unavailable', detail, { retryAfterSeconds: OPEN_RETRY_SECONDS });
  }
}

function conflict(detail: string): Result<never> {
  return refuse('payment_conflict', detail);
}

function invalid(
  { reason, detail }: PaymentFault,
  resource: PaidResource,
  deps: PaymentDependencies,
  failed?: NonNullable<ChallengeReason['failed']>,
): Promise<Result<never>> {
  return challengeRefusal({ code: 'payment_invalid', detail, error: reason, ...(failed ? { failed } : {}) }, resource, deps);
}
