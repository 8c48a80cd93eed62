import { sha256Hex } from '../../../provenance/bytes-and-sha256.ts';
import { canonicalJson } from '../../../provenance/canonical-json.ts';
import { CARD } from '../../../schemas/commerce/capsule-price.ts';
import { CardToken, SignedAuthorization } from '../../../schemas/commerce/stablecoin-payments.ts';
import { LIMITS, type QuotaName } from '../../../schemas/limits.ts';
import { consumeQuota } from '../../limits/quotas.ts';
import type { Clock, ReturnableQuotas } from '../../platform-ports.ts';
import { isBug, ok, type Refusal, type Refused, type Result, refuse } from '../../result.ts';
import type { ChargeOutcome, PaymentProcessor } from '../cart/checkout-ports.ts';
import type {
  AuthorizationId,
  Facilitator,
  PaidResource,
  PaymentChallengeReason,
  PaymentChallengeSource,
  PaymentIssue,
  PaymentReservation,
  PaymentReservations,
  PaymentScheme,
  PresentedPayment,
  Purchase,
  ReadHeader,
  Settled,
  TermsInForce,
  TransferLedger,
  UnreadablePayment,
  UnsettledAttempt,
} from './payment-ports.ts';
import { atomicAmount, authorizationIssue, PAYMENT_TIMEOUT_SECONDS } from './payment-terms.ts';

export interface PaymentDependencies extends PaymentChallengeSource, SettleDependencies {
  /** Counts payments that leave a row; `undefined` where none are counted. */
  readonly quotas: ReturnableQuotas | undefined;
  /** Of the caller, whose payments by card are counted. */
  readonly network?: string;
}

export interface PaidAccess {
  /** Paid version: the version in the first response, even if a newer one exists. */
  readonly version: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** How long a request may take to settle a payment: longer than the facilitator's deadline. Afterwards another request may take over. */
const LEASE_MS = 30_000;
/** A payment by card may take three requests with retries to the payment processor. */
const CARD_LEASE_MS = 60_000;
/** How long a charge may be repeated: shorter than the processor keeps idempotency keys (docs.stripe.com/api/idempotent_requests). */
const CARD_KEY_MS = 23 * 3_600_000;

/**
 * Sells one resource. A payment is reserved before it is settled, and settled before anything is delivered: one authorization has one effect, at
 * the URL where it was first presented. A settled payment is replayed for a while, so that a lost response is not paid twice.
 *
 * @returns What was bought; or `invalid_request`, `payment_invalid` with the challenge, `payment_settling`, `payment_conflict`, `payment_unresolved`,
 *   `facilitator_unavailable` or `state_unavailable`, after which the same payment can be sent again.
 */
export async function payForResource(
  resource: PaidResource,
  payment: PresentedPayment | UnreadablePayment,
  deps: PaymentDependencies,
): Promise<Result<PaidAccess>> {
  if ('unreadable' in payment) return unreadablePayment(payment, resource, deps);
  const misplaced = await payment.resourceIssue(resource, deps.secrets);
  if (misplaced) return invalid(misplaced, resource, deps);
  return decide({ resource, payment, purchase: await purchaseOf(payment, resource, deps), deps });
}

async function purchaseOf(payment: PresentedPayment, resource: PaidResource, deps: PaymentDependencies): Promise<Purchase> {
  const { identifier, isSecret, signed } = payment;
  return {
    ...transferOf(signed, deps),
    identifier,
    resource: resource.url,
    capsuleId: resource.capsuleId,
    version: resource.version,
    fingerprint: await paymentFingerprint(payment),
    isSecret,
    signed: JSON.stringify(signed),
  };
}

function transferOf(
  signed: PresentedPayment['signed'],
  { terms, cardProfile = '' }: TermsInForce,
): AuthorizationId & Pick<Purchase, 'amount' | 'payTo'> {
  if ('spt' in signed) {
    const { amount, currency: asset, challengeId: nonce } = signed;
    return { network: CARD.network, asset, payer: '', nonce, amount, payTo: cardProfile };
  }
  const { from, nonce, value, to } = signed.authorization;
  return {
    network: terms?.networkId ?? '',
    asset: terms?.network.asset.address.toLowerCase() ?? '',
    payer: from.toLowerCase(),
    nonce: nonce.toLowerCase(),
    amount: value,
    payTo: to.toLowerCase(),
  };
}

interface Sale {
  readonly resource: PaidResource;
  readonly payment: PresentedPayment;
  readonly purchase: Purchase;
  readonly deps: PaymentDependencies;
}

const NOT_VERIFIED = 'The facilitator did not respond. Nothing was charged.';

const PROCESSOR_UNAVAILABLE = 'processor_unavailable';

function claimOf({ network, payer }: AuthorizationId, { network: caller = '' }: PaymentDependencies): [QuotaName, string] {
  return network === CARD.network ? ['network_charges', caller] : ['payer_claims', payer];
}

/** The quota bounds unpaid reservations. A count that cannot be returned expires at midnight. */
async function returnClaim(id: AuthorizationId, takenAtMs: number, deps: PaymentDependencies): Promise<void> {
  await deps.quotas?.giveBack(...claimOf(id, deps), takenAtMs).catch(() => undefined);
}

function leaseMs({ network }: AuthorizationId): number {
  return network === CARD.network ? CARD_LEASE_MS : LEASE_MS;
}

async function decide(sale: Sale): Promise<Result<PaidAccess>> {
  const { purchase, resource, deps } = sale;
  const { quotas, clock, reservations } = deps;
  const find = async (): Promise<PaymentReservation | undefined> => {
    const found = await reservations.find(purchase, purchase.identifier);
    return found?.state === 'failed' ? undefined : found;
  };
  try {
    const existing = await find();
    if (existing) return await follow(existing, sale);
    const issue = await verifyPayment(sale);
    if (issue === 'unknown') return unavailable(NOT_VERIFIED);
    // During verification another request may have settled the payment, which the facilitator then reports as used.
    const concurrent = issue && (await find());
    if (concurrent) return await follow(concurrent, sale);
    if (issue) return invalid(issue, resource, deps);
    const counted = quotas && (await consumeQuota(quotas, ...claimOf(purchase, deps), clock));
    if (counted?.ok === false) {
      // Requests with the same payment may have used up the quota for now.
      const underWay = await find();
      return underWay ? await follow(underWay, sale) : withoutChallenge(counted.refusal);
    }
    const now = clock.nowMs();
    const { reservation, isOurs } = await reservations.reserve(purchase, now, now + leaseMs(purchase));
    if (isOurs) return await settle(reservation, true, sale);
    await returnClaim(purchase, now, deps);
    return await follow(reservation, sale);
  } catch (error) {
    if (isBug(error)) throw error;
    return refuse('state_unavailable', 'The database did not respond. Send the same payment again; nothing is charged twice.');
  }
}

function withoutChallenge(refusal: Refusal): Refused {
  if (refusal.code !== 'challenge_required') return { ok: false, refusal };
  return refuse(
    'quota_exceeded',
    'Too many payments by card were not completed today. Nothing was charged. Pay in another way, or tomorrow.',
  );
}

async function follow(reservation: PaymentReservation, sale: Sale): Promise<Result<PaidAccess>> {
  const { purchase, resource, deps } = sale;
  const isSameAuthorization = reservation.nonce === purchase.nonce;
  const isElsewhere = reservation.resource !== resource.url;
  if (isElsewhere && isSameAuthorization)
    return conflict('The authorization was first presented at another URL. One authorization buys one resource.');
  if (isElsewhere) return conflict('The payment identifier belongs to a purchase at another URL.');
  if (isSameAuthorization && reservation.fingerprint !== purchase.fingerprint)
    return conflict('The authorization was already presented in another payment.');
  if (!isSameAuthorization) {
    // A new signature under the same identifier proves that the payer sent it: it is verified, not settled.
    const issue = await verifyPayment(sale);
    if (issue === 'unknown') return unavailable(NOT_VERIFIED);
    if (issue) return invalid(issue, resource, deps);
  }
  if (reservation.state === 'settled') return release(reservation, deps);
  return reservation.state === 'unresolved'
    ? respond(await resolveReservation(reservation, { state: 'unresolved' }, deps), reservation, sale)
    : resume(reservation, sale);
}

async function resume(reservation: PaymentReservation, sale: Sale): Promise<Result<PaidAccess>> {
  const { clock, reservations } = sale.deps;
  const now = clock.nowMs();
  const isLeased = reservation.leaseUntilMs > now;
  const taken = isLeased ? undefined : await reservations.takeOver(reservation, reservation.attempt, now, now + leaseMs(reservation));
  if (taken !== undefined) return settle(taken, false, sale);
  return refuse('payment_settling', 'Another request is settling this payment. Send the same payment again.', { retryAfterSeconds: 3 });
}

async function settle(reservation: PaymentReservation, isFirst: boolean, sale: Sale): Promise<Result<PaidAccess>> {
  return respond(await settleReservation(reservation, isFirst, sale.resource, sale.deps), reservation, sale);
}

async function respond(outcome: SettleOutcome, reservation: PaymentReservation, { resource, deps }: Sale): Promise<Result<PaidAccess>> {
  switch (outcome.kind) {
    case 'settled':
      await returnClaim(reservation, reservation.reservedAtMs, deps);
      return release(outcome.reservation, deps);
    case 'open':
      return unavailable('The payment may not be settled yet. Do not pay again: send the same payment again, which is not charged twice.');
    case 'unresolved':
      return refuse(
        'payment_unresolved',
        `The outcome of the settlement is unknown. Do not pay again: the publisher reviews the payment as ${paymentIdOf(reservation)}. Send the same payment later: it returns the text once the publisher has confirmed it.`,
      );
    case 'refused': {
      const { reason } = outcome;
      if (reason === PROCESSOR_UNAVAILABLE)
        return unavailable('The payment processor accepted no payment, and nothing was charged. Send the same payment again.');
      const detail = 'The payment was not settled, and nothing was charged.';
      return invalid({ reason, detail }, resource, deps, reservation.payer === '' ? undefined : { reason, payer: reservation.payer });
    }
  }
}

async function release(reservation: PaymentReservation, deps: PaymentDependencies): Promise<Result<PaidAccess>> {
  const { clock, schemes } = deps;
  // Shared caches must not store paid content.
  const receipt = merged(await Promise.all(schemes.map((scheme) => scheme.receipt(reservation, deps))));
  const isRepeatedLong = reservation.isSecret || reservation.reviewedAtMs !== undefined;
  const repeatableMs = isRepeatedLong ? LIMITS.paymentRepeatHours * 3_600_000 : PAYMENT_TIMEOUT_SECONDS * 1_000;
  return clock.nowMs() <= (reservation.settledAtMs ?? 0) + repeatableMs
    ? ok({ version: reservation.version, headers: { ...receipt, 'Cache-Control': 'private, no-store' } })
    : conflict('The authorization was used, and its purchase can no longer be replayed.');
}

async function verifyPayment({ payment, resource, deps }: Sale): Promise<PaymentIssue | 'unknown' | undefined> {
  const { terms, clock, facilitator } = deps;
  const { signed } = payment;
  const nowMs = clock.nowMs();
  const changed = payment.termsIssue(resource, deps, nowMs);
  // The payment processor checks a token only by charging it.
  if (changed !== undefined || 'spt' in signed || terms === undefined) return changed;
  const own = authorizationIssue(signed, resource.priceMicros, terms, nowMs);
  if (own) return own;
  const amount = atomicAmount(resource.priceMicros, terms);
  const verified = await facilitator.verify({ signed, resource, terms, amount, payTo: terms.payTo });
  if (verified.kind === 'valid') return undefined;
  return verified.kind === 'unknown' ? 'unknown' : { reason: verified.reason, detail: 'The facilitator rejected the payment.' };
}

function unavailable(detail: string): Result<never> {
  return refuse('facilitator_unavailable', detail, { retryAfterSeconds: 5 });
}

function conflict(detail: string): Result<never> {
  return refuse('payment_conflict', detail);
}

async function unreadablePayment(
  { unreadable, refusedHeader: pointer }: UnreadablePayment,
  resource: PaidResource,
  deps: PaymentDependencies,
): Promise<Result<never>> {
  if (pointer === undefined) return invalid({ reason: 'invalid_payload', detail: `${unreadable}.` }, resource, deps);
  return refuse('invalid_request', `${unreadable}. Nothing was charged.`, {
    errors: [{ pointer, message: 'cannot be read as a payment' }],
    nextActions: [{ description: `Send the request without ${pointer} to get the terms, and sign a payment for them.` }],
  });
}

function invalid(
  { reason, detail }: PaymentIssue,
  resource: PaidResource,
  deps: PaymentDependencies,
  failed?: NonNullable<PaymentChallengeReason['failed']>,
): Promise<Result<never>> {
  return paymentChallengeRefusal({ code: 'payment_invalid', detail, error: reason, ...(failed ? { failed } : {}) }, resource, deps);
}

interface SettleDependencies extends TermsInForce {
  /** Charges cards; `undefined` where none are taken. */
  readonly processor: Pick<PaymentProcessor, 'charge'> | undefined;
  readonly facilitator: Facilitator;
  /** `undefined` where no node of the network is configured. */
  readonly ledger: TransferLedger | undefined;
  readonly reservations: PaymentReservations;
  readonly clock: Clock;
}

type SettleOutcome =
  | { readonly kind: 'settled'; readonly reservation: PaymentReservation }
  /** It is certain that the authorization has paid nothing. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Unknown: the next attempt determines the outcome. */
  | { readonly kind: 'open' }
  /** It may have been settled, and the facilitator can no longer determine the outcome. */
  | { readonly kind: 'unresolved' };

/**
 * Settles a reservation and stores the outcome. Only the facilitator's success with a transaction, or a transfer recorded by the network, proves
 * a settlement.
 *
 * @param isFirst After an attempt without a response, no refusal proves that nothing was paid: the earlier settlement may have used the nonce.
 */
async function settleReservation(
  reservation: PaymentReservation,
  isFirst: boolean,
  resource: PaidResource,
  deps: SettleDependencies,
): Promise<SettleOutcome> {
  const attempt = reservation.network === CARD.network ? settleCard : settleTransfer;
  const { settled, isExpired } = await attempt(reservation, resource, deps);
  if (settled.kind === 'settled') return markSettled(reservation, settled.transaction, deps);
  const state = stateAfter(settled, isFirst, isExpired);
  if (state === 'failed' && settled.kind === 'refused') return markRefused(reservation, settled.reason, deps);
  const named = 'transaction' in settled && settled.transaction !== undefined ? { transaction: settled.transaction } : {};
  const markUnsettled = isFirst && state === 'settling' ? markOpen : resolveReservation;
  return markUnsettled(reservation, { state, ...named }, deps);
}

interface SettleAttempt {
  readonly settled: Settled;
  readonly isExpired: boolean;
}

async function settleTransfer(reservation: PaymentReservation, resource: PaidResource, deps: SettleDependencies): Promise<SettleAttempt> {
  const { terms, facilitator, clock } = deps;
  const signed = SignedAuthorization.parse(JSON.parse(reservation.signed));
  const { to: payTo, validBefore } = signed.authorization;
  // Where tokens are no longer taken, nobody settles what was signed before.
  const settled = terms && (await facilitator.settle({ signed, resource, terms, amount: reservation.amount, payTo }));
  return { settled: settled ?? { kind: 'unknown' }, isExpired: BigInt(validBefore) * 1_000n <= BigInt(clock.nowMs()) };
}

/** Charges a card. All attempts share the idempotency key, so that the response of one holds for those before it. */
async function settleCard(reservation: PaymentReservation, { title }: PaidResource, deps: SettleDependencies): Promise<SettleAttempt> {
  const { amount, asset, fingerprint, capsuleId, version, reservedAtMs } = reservation;
  if (deps.processor === undefined || deps.clock.nowMs() >= reservedAtMs + CARD_KEY_MS)
    return { settled: { kind: 'refused', reason: 'expired', cause: 'unknown' }, isExpired: true };
  const { spt, challengeId } = CardToken.parse(JSON.parse(reservation.signed));
  const request = {
    token: spt,
    amountMinor: Number(amount),
    currency: asset.toUpperCase(),
    idempotencyKey: `pay_${fingerprint}`,
    metadata: { mpp_intent: 'charge', mpp_challenge_id: challengeId, capsule_id: capsuleId, version, title: title.slice(0, 500) },
  };
  const charged = await deps.processor.charge(request).catch(() => undefined);
  return { settled: settledByCharge(charged, request.amountMinor), isExpired: false };
}

function settledByCharge(charged: ChargeOutcome | undefined, amountMinor: number): Settled {
  switch (charged?.kind) {
    case 'paid':
      return charged.amountMinor === amountMinor ? { kind: 'settled', transaction: charged.paymentReference } : { kind: 'unknown' };
    case 'pending':
      return { kind: 'pending', transaction: charged.paymentReference };
    case 'declined':
      return { kind: 'refused', reason: charged.reason, cause: 'final' };
    case 'unavailable':
      return { kind: 'refused', reason: PROCESSOR_UNAVAILABLE, cause: 'final' };
    case undefined:
      return { kind: 'unknown' };
  }
}

async function resolveReservation(
  reservation: PaymentReservation,
  otherwise: UnsettledAttempt,
  deps: SettleDependencies,
): Promise<SettleOutcome> {
  const recorded = reservation.network === CARD.network ? undefined : await deps.ledger?.find(reservation);
  if (recorded?.kind === 'paid') return markSettled(reservation, recorded.transaction, deps);
  if (recorded?.kind === 'never') return markRefused(reservation, recorded.reason, deps);
  return markOpen(reservation, otherwise, deps);
}

function stateAfter(settled: Settled, isFirst: boolean, isExpired: boolean): UnsettledAttempt['state'] {
  if (settled.kind !== 'refused') return 'settling';
  if (settled.cause === 'final') return 'failed';
  if (isFirst && settled.transaction === undefined && settled.cause === 'nothing_sent') return 'failed';
  return settled.cause === 'nonce_used' || isExpired ? 'unresolved' : 'settling';
}

async function markSettled(reservation: PaymentReservation, transaction: string, deps: SettleDependencies): Promise<SettleOutcome> {
  const nowMs = deps.clock.nowMs();
  // The text is paid and delivered even if this cannot be stored; the next request then has to prove the payment again.
  const mark = (): Promise<void> => deps.reservations.settled(reservation, transaction, nowMs);
  await mark().catch(() => mark().catch(() => undefined));
  return { kind: 'settled', reservation: { ...reservation, state: 'settled', transaction, settledAtMs: nowMs } };
}

/** A refusal is certain only if it is stored: otherwise another attempt may have started, and may settle. */
async function markRefused(reservation: PaymentReservation, reason: string, deps: SettleDependencies): Promise<SettleOutcome> {
  const { reservations, clock } = deps;
  const isStored = await reservations.unsettled(reservation, reservation.attempt, { state: 'failed' }, clock.nowMs()).catch(() => false);
  return isStored ? { kind: 'refused', reason } : { kind: 'open' };
}

/** If this cannot be stored, the lease expires, and the next attempt treats the outcome as open. */
async function markOpen(reservation: PaymentReservation, outcome: UnsettledAttempt, deps: SettleDependencies): Promise<SettleOutcome> {
  if (reservation.state !== 'unresolved')
    await deps.reservations.unsettled(reservation, reservation.attempt, outcome, deps.clock.nowMs()).catch(() => undefined);
  return { kind: outcome.state === 'unresolved' ? 'unresolved' : 'open' };
}

/** Id of a payment for correspondence; it reveals nothing of what was signed. */
export function paymentIdOf({ fingerprint }: Pick<Purchase, 'fingerprint'>): string {
  return `pay_${fingerprint.slice(0, 32)}`;
}

/** The payment of a request. One that can be read comes before one that cannot: a client may send the headers of several protocols. */
export function readPayment(header: ReadHeader, schemes: readonly PaymentScheme[]): PresentedPayment | UnreadablePayment | undefined {
  const payments = schemes.map(({ read }) => read(header)).filter((payment) => payment !== undefined);
  return payments.find((payment) => !('unreadable' in payment)) ?? payments[0];
}

/** Digest that identifies a payment, with what the scheme adds: signature and authorization alone are public once settled. */
export function paymentFingerprint({ origin, signed }: PresentedPayment): Promise<string> {
  if ('spt' in signed) return sha256Hex(canonicalJson([...origin, signed.spt]));
  const { signature, authorization } = signed;
  return sha256Hex(canonicalJson([...origin, signature.toLowerCase(), { ...authorization, nonce: authorization.nonce.toLowerCase() }]));
}

export async function paymentChallengeRefusal(
  reason: PaymentChallengeReason,
  resource: PaidResource,
  source: PaymentChallengeSource,
): Promise<Refused> {
  const challenges = await Promise.all(source.schemes.map((scheme) => scheme.challenge(reason, resource, source)));
  return refuse(reason.code, reason.detail, {
    members: merged(challenges.map(({ members = {} }) => members)),
    headers: merged(challenges.map(({ headers }) => headers)),
  });
}

export function merged<T>(parts: readonly Readonly<Record<string, T>>[]): Record<string, T> {
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
}
