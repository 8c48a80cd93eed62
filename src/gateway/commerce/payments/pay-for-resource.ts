import { sha256Hex } from '../../../provenance/bytes.ts';
import { canonicalJson } from '../../../provenance/canonical-json.ts';
import { type CapsulePrice, microDollars } from '../../../schemas/commerce/capsule-price.ts';
import { SignedAuthorization } from '../../../schemas/commerce/stablecoin-payments.ts';
import type { CapsuleMetadata } from '../../../schemas/knowledge/capsule.ts';
import type { TextPreview } from '../../../schemas/knowledge/generation.ts';
import { LIMITS } from '../../../schemas/limits.ts';
import { buyPath, capsulePath } from '../../../schemas/paths.ts';
import { errorEntry } from '../../errors.ts';
import { offersDelivering } from '../../knowledge/capsule-page.ts';
import { findCapsule, type PaidVersion, paymentDetail, readPaidText } from '../../knowledge/read-capsule.ts';
import type { Generation } from '../../knowledge/read-generation.ts';
import { previewOf, type Seller } from '../../knowledge/sold-text.ts';
import { consumeQuota } from '../../limits/quotas.ts';
import { get } from '../../next-steps.ts';
import type { Clock, ReturnableQuotas } from '../../ports.ts';
import { isBug, ok, outage, type Refused, type Result, refuse } from '../../result.ts';
import type {
  Facilitator,
  PaidResource,
  PaymentChallengeReason,
  PaymentChallengeSource,
  PaymentIssue,
  PaymentReservation,
  PaymentReservations,
  PaymentScheme,
  PaymentTerms,
  PresentedPayment,
  Purchase,
  ReadHeader,
  Settled,
  TransferLedger,
  UnreadablePayment,
  UnsettledAttempt,
} from './payment-ports.ts';
import { atomicAmount, authorizationIssue, PAYMENT_TIMEOUT_SECONDS, paidResource } from './payment-terms.ts';

export interface PaymentDependencies extends PaymentChallengeSource, SettleDependencies {
  /** Counts payments that leave a row; `undefined` where none are counted. */
  readonly quotas: ReturnableQuotas | undefined;
}

export interface PaidAccess {
  /** Paid version: the version in the first response, even if a newer one exists. */
  readonly version: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * How long a request may take to settle a payment, in milliseconds: longer than the facilitator's deadline. Afterwards another request may
 * take over.
 */
const LEASE_MS = 30_000;

/**
 * Sells one resource. A payment is reserved before it is settled, and settled before anything is delivered: one authorization has one
 * effect, at the URL where it was first presented, however many concurrent requests present it. A settled payment is replayed for a while,
 * so that a lost response is not paid twice.
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
  const misplaced = await payment.resourceIssue(resource, deps.secrets);
  if (misplaced) return invalid(misplaced, resource, deps);
  return decide({ resource, payment, purchase: await purchaseOf(payment, resource, deps), deps });
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

interface Sale {
  readonly resource: PaidResource;
  readonly payment: PresentedPayment;
  readonly purchase: Purchase;
  readonly deps: PaymentDependencies;
}

const NOT_VERIFIED = 'The facilitator did not respond. Nothing was charged.';

async function decide(sale: Sale): Promise<Result<PaidAccess>> {
  const { purchase, resource, deps } = sale;
  const { quotas, clock, reservations } = deps;
  const find = (): Promise<PaymentReservation | undefined> => reservations.find(purchase, purchase.identifier);
  try {
    const existing = await find();
    if (existing !== undefined && existing.state !== 'failed') return await follow(existing, sale);
    const issue = await verifyPayment(sale);
    if (issue === 'unknown') return unavailable(NOT_VERIFIED);
    // During verification another request may have settled the payment, which the facilitator then reports as used.
    const concurrent = issue && (await find());
    if (concurrent && concurrent.state !== 'failed') return await follow(concurrent, sale);
    if (issue) return invalid(issue, resource, deps);
    const counted = quotas && (await consumeQuota(quotas, 'payer_claims', purchase.payer, clock));
    if (counted?.ok === false) return counted;
    const now = clock.nowMs();
    const { reservation, isOurs } = await reservations.reserve(purchase, now, now + LEASE_MS);
    return isOurs ? await settle(reservation, true, sale) : await follow(reservation, sale);
  } catch (error) {
    if (isBug(error)) throw error;
    return outage('state_unavailable', 'The database did not respond. Send the same payment again; nothing is charged twice.');
  }
}

async function follow(reservation: PaymentReservation, sale: Sale): Promise<Result<PaidAccess>> {
  const { purchase, resource, deps } = sale;
  const isSameAuthorization = reservation.nonce === purchase.nonce;
  if (reservation.resource !== resource.url)
    return conflict(
      isSameAuthorization
        ? 'The authorization was first presented at another URL. One authorization buys one resource.'
        : 'The payment identifier belongs to a purchase at another URL.',
    );
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
  const taken = isLeased ? undefined : await reservations.takeOver(reservation, reservation.attempt, now, now + LEASE_MS);
  if (taken !== undefined) return settle(taken, false, sale);
  return refuse('payment_settling', 'Another request is settling this payment. Send the same payment again.', {
    retryAfterSeconds: 3,
  });
}

async function settle(reservation: PaymentReservation, isFirst: boolean, sale: Sale): Promise<Result<PaidAccess>> {
  return respond(await settleReservation(reservation, isFirst, sale.resource, sale.deps), reservation, sale);
}

async function respond(outcome: SettleOutcome, reservation: PaymentReservation, { resource, deps }: Sale): Promise<Result<PaidAccess>> {
  switch (outcome.kind) {
    case 'settled':
      // The budget bounds unpaid reservations. A count that cannot be returned expires at midnight.
      await deps.quotas?.giveBack('payer_claims', reservation.payer, reservation.reservedAtMs).catch(() => undefined);
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
      const detail = 'The payment was not settled, and nothing was charged.';
      return invalid({ reason, detail }, resource, deps, { reason, payer: reservation.payer });
    }
  }
}

function release(reservation: PaymentReservation, { clock, schemes }: PaymentDependencies): Result<PaidAccess> {
  // Shared caches must not store paid content.
  const receipt = merged(schemes.map((scheme) => scheme.receipt(reservation)));
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
  const own = payment.termsIssue(resource, terms, nowMs) ?? authorizationIssue(signed, resource.priceMicros, terms, nowMs);
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

function invalid(
  { reason, detail }: PaymentIssue,
  resource: PaidResource,
  deps: PaymentDependencies,
  failed?: NonNullable<PaymentChallengeReason['failed']>,
): Promise<Result<never>> {
  return paymentChallengeRefusal({ code: 'payment_invalid', detail, error: reason, ...(failed ? { failed } : {}) }, resource, deps);
}

interface SettleDependencies {
  readonly terms: PaymentTerms;
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
 * Settles the stored authorization of a reservation and stores the outcome. Only two things prove a settlement: the facilitator's success for
 * this authorization with its transaction, and a transfer recorded by the network.
 *
 * @param isFirst Whether this is the first attempt. After an attempt without a response, no refusal proves that nothing was paid: the
 *   earlier settlement may have used the nonce, emptied the account or preceded a change of the wallet's keys.
 */
async function settleReservation(
  reservation: PaymentReservation,
  isFirst: boolean,
  resource: PaidResource,
  deps: SettleDependencies,
): Promise<SettleOutcome> {
  const signed = SignedAuthorization.parse(JSON.parse(reservation.signed));
  const { terms } = deps;
  const settled = await deps.facilitator.settle({ signed, resource, terms, amount: reservation.amount, payTo: signed.authorization.to });
  if (settled.kind === 'settled') return markSettled(reservation, settled.transaction, deps);
  const isExpired = BigInt(signed.authorization.validBefore) * 1_000n <= BigInt(deps.clock.nowMs());
  const state = stateAfter(settled, isFirst, isExpired);
  if (state === 'failed' && settled.kind === 'refused') return markRefused(reservation, settled.reason, deps);
  const named = 'transaction' in settled && settled.transaction !== undefined ? { transaction: settled.transaction } : {};
  return isFirst && state === 'settling'
    ? markOpen(reservation, { state, ...named }, deps)
    : resolveReservation(reservation, { state, ...named }, deps);
}

async function resolveReservation(
  reservation: PaymentReservation,
  otherwise: UnsettledAttempt,
  deps: SettleDependencies,
): Promise<SettleOutcome> {
  const recorded = await deps.ledger?.find(reservation);
  if (recorded?.kind === 'paid') return markSettled(reservation, recorded.transaction, deps);
  if (recorded?.kind === 'never') return markRefused(reservation, recorded.reason, deps);
  return markOpen(reservation, otherwise, deps);
}

function stateAfter(settled: Settled, isFirst: boolean, isExpired: boolean): UnsettledAttempt['state'] {
  if (settled.kind !== 'refused') return 'settling';
  if (isFirst && settled.transaction === undefined && settled.cause === 'nothing_sent') return 'failed';
  return settled.cause === 'nonce_used' || isExpired ? 'unresolved' : 'settling';
}

async function markSettled(
  reservation: PaymentReservation,
  transaction: string,
  { reservations, clock }: SettleDependencies,
): Promise<SettleOutcome> {
  const nowMs = clock.nowMs();
  // The text is paid and delivered even if this cannot be stored; the next request then has to prove the payment again.
  const mark = (): Promise<void> => reservations.settled(reservation, transaction, nowMs);
  await mark()
    .catch(mark)
    .catch(() => undefined);
  return { kind: 'settled', reservation: { ...reservation, state: 'settled', transaction, settledAtMs: nowMs } };
}

/** A refusal is certain only if it is stored: otherwise another attempt may have started, and may settle. */
async function markRefused(
  reservation: PaymentReservation,
  reason: string,
  { reservations, clock }: SettleDependencies,
): Promise<SettleOutcome> {
  const isStored = await reservations.unsettled(reservation, reservation.attempt, { state: 'failed' }, clock.nowMs()).catch(() => false);
  return isStored ? { kind: 'refused', reason } : { kind: 'open' };
}

/** If this cannot be stored, the lease expires, and the next attempt treats the outcome as open. */
async function markOpen(
  reservation: PaymentReservation,
  outcome: UnsettledAttempt,
  { reservations, clock }: SettleDependencies,
): Promise<SettleOutcome> {
  if (reservation.state !== 'unresolved')
    await reservations.unsettled(reservation, reservation.attempt, outcome, clock.nowMs()).catch(() => undefined);
  return { kind: outcome.state === 'unresolved' ? 'unresolved' : 'open' };
}

interface RequestedCapsule {
  readonly metadata: CapsuleMetadata;
  readonly preview: TextPreview | undefined;
  readonly price: CapsulePrice;
  readonly namedVersion: string | undefined;
}

type Payments = PaymentDependencies | { readonly missing: string } | undefined;

/**
 * Sells the text of a capsule. The text is read before anything is charged, so that no text is paid that cannot be sent.
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
): Promise<Result<{ readonly sold: PaidVersion; readonly headers: PaidAccess['headers'] }>> {
  if (payments === undefined || 'missing' in payments) return cannotSell(requested, payments);
  const { capsule_id, version } = requested.metadata;
  const text = await readPaidText(generation, capsule_id, version);
  const paid = await payForResource(resourceOf(requested, baseUrl), payment, payments);
  if (!paid.ok) return paid;
  const sold = text?.metadata.version === paid.value.version ? text : await readPaidText(generation, capsule_id, paid.value.version);
  if (sold === undefined) throw new TypeError('a version that was sold is no longer there');
  return ok({ sold, headers: paid.value.headers });
}

export async function paymentChallengeFor(id: string, generation: Generation, payments: Payments, seller: Seller) {
  const stored = await findCapsule(id, undefined, generation);
  if (!stored.ok) return undefined;
  const { metadata, preview } = stored.value;
  const { price } = metadata;
  return price && unpaid({ metadata, preview, price, namedVersion: undefined }, payments, seller);
}

/** The refusal of a text that is not paid: the challenges of all schemes, the preview, and how much the whole text has. */
export async function unpaid(requested: RequestedCapsule, payments: Payments, seller: Seller): Promise<Refused> {
  if (payments === undefined || 'missing' in payments) return cannotSell(requested, payments);
  const { baseUrl, offers } = seller;
  const { network } = payments.terms;
  const { capsule_id: id } = requested.metadata;
  const worth = network.isTest ? ', a test network whose tokens have no value' : '';
  const detail = `${paymentDetail(requested.metadata)} It is paid in ${network.asset.name} on ${network.name}${worth}.`;
  const reason = { code: 'payment_required', detail, error: 'payment_required' } as const;
  const { refusal } = await paymentChallengeRefusal(reason, resourceOf(requested, baseUrl), payments);
  const preview = previewOf(requested.metadata, requested.preview, seller);
  const [offer] = offersDelivering(id, offers);
  const person =
    offer === undefined
      ? get('Read its page. No offer delivers it to a person.', capsulePath(id))
      : get(`Buy it as a person: the offer "${offer.name}" delivers it${offer.demo ? ', as a demonstration' : ''}.`, buyPath(offer.id));
  const nextActions = [...errorEntry(reason.code).nextActions.slice(0, 1), person];
  return { ok: false, refusal: { ...refusal, nextActions, members: { preview, ...refusal.members } } };
}

function cannotSell({ metadata }: RequestedCapsule, payments: { readonly missing: string } | undefined): Refused {
  return payments === undefined ? refuse('payment_required', paymentDetail(metadata)) : refuse('not_configured', payments.missing);
}

function resourceOf({ metadata, price, namedVersion }: RequestedCapsule, baseUrl: string): PaidResource {
  return paidResource(metadata, microDollars(price), namedVersion, baseUrl);
}

/** Id of a payment for correspondence; it reveals nothing of what was signed. */
export function paymentIdOf({ fingerprint }: Pick<Purchase, 'fingerprint'>): string {
  return `pay_${fingerprint.slice(0, 32)}`;
}

export function readPayment(header: ReadHeader, schemes: readonly PaymentScheme[]): PresentedPayment | UnreadablePayment | undefined {
  for (const scheme of schemes) {
    const payment = scheme.read(header);
    if (payment !== undefined) return payment;
  }
  return undefined;
}

/**
 * Digest that identifies a payment. Signature and authorization are public once settled; what the scheme adds may not be, so that only the
 * buyer can present the same payment again.
 */
export function paymentFingerprint({ origin, signed: { signature, authorization } }: PresentedPayment): Promise<string> {
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

function merged<T>(parts: readonly Readonly<Record<string, T>>[]): Record<string, T> {
  return Object.fromEntries(parts.flatMap((part) => Object.entries(part)));
}
