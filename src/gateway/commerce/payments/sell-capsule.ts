import { type CapsulePrice, cardAmount, microDollars } from '../../../schemas/commerce/capsule-price.ts';
import { offersOpening } from '../../../schemas/commerce/passes.ts';
import type { CapsuleMetadata } from '../../../schemas/knowledge/capsule.ts';
import type { TextPreview } from '../../../schemas/knowledge/generation.ts';
import { buyPath, capsulePath } from '../../../schemas/paths.ts';
import { errorEntry } from '../../errors.ts';
import { findCapsule, type PaidVersion, paymentDetail, readPaidText } from '../../knowledge/read-capsule.ts';
import type { Generation } from '../../knowledge/read-generation.ts';
import { previewOf, type Seller } from '../../knowledge/sold-text.ts';
import { get } from '../../next-steps.ts';
import { ok, type Refused, type Result, reached, refuse } from '../../result.ts';
import { type PaidAccess, type PaymentDependencies, payForResource, paymentChallengeRefusal } from './pay-for-resource.ts';
import type { PaidResource, PresentedPayment, ReadHeader, TermsInForce, UnreadablePayment } from './payment-ports.ts';
import { paidResource } from './payment-terms.ts';

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

/**
 * The text of a capsule for a wallet that bought it and signs in: the version that it bought. `undefined` if no wallet does.
 *
 * @throws As {@link sellCapsule}.
 */
export async function openForWallet(
  requested: RequestedCapsule,
  header: ReadHeader,
  generation: Generation,
  payments: Payments,
  baseUrl: string,
): Promise<Result<PaidVersion | undefined>> {
  if (payments === undefined || 'missing' in payments) return ok(undefined);
  const { schemes, terms, quotas, reservations, clock } = payments;
  const resource = resourceOf(requested, baseUrl);
  const [wallet] = schemes.flatMap(({ signedIn }) => signedIn?.(header, resource, payments) ?? []);
  if (wallet === undefined || terms === undefined || quotas === undefined) return ok(undefined);
  const refused = (reason: string, detail: string): Promise<Refused> =>
    paymentChallengeRefusal({ code: 'payment_invalid', detail: `${detail} Nothing was charged.`, error: reason }, resource, payments);
  if ('reason' in wallet) return refused(wallet.reason, wallet.detail);
  const { payer, nonce, endsAtMs } = wallet;
  const account = { network: terms.networkId, asset: terms.network.asset.address.toLowerCase(), payer };
  const bought = await reached(reservations.boughtVersion(account, resource.capsuleId, requested.namedVersion), PURCHASES_UNKNOWN);
  if (!bought.ok) return bought;
  if (bought.value === undefined) return refused('siwx_not_paid', 'This wallet has not bought this text.');
  const text = await readPaidText(generation, resource.capsuleId, bought.value);
  const use = { solvedChallenge: { id: `${payer} ${nonce}`, endsAtMs } };
  const counted = await reached(quotas.take('solved_challenges', '', clock.nowMs(), use), PURCHASES_UNKNOWN);
  if (!counted.ok) return counted;
  return counted.value.allowed ? ok(text) : refused('invalid_siwx_nonce', 'The message was already used. Sign the one in this response.');
}

const PURCHASES_UNKNOWN =
  'The database did not respond, so it is unknown what this wallet has bought. Do not pay again: sign in again later.';

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
  const { capsule_id: id } = requested.metadata;
  const detail = `${paymentDetail(requested.metadata)} ${paidInWords(resourceOf(requested, baseUrl), payments)}`;
  const reason = { code: 'payment_required', detail, error: 'payment_required' } as const;
  const { refusal } = await paymentChallengeRefusal(reason, resourceOf(requested, baseUrl), payments);
  const preview = previewOf(requested.metadata, requested.preview, seller);
  const [offer] = offersOpening(requested.metadata, offers);
  const person =
    offer === undefined
      ? get('Read its page. No offer delivers it to a person.', capsulePath(id))
      : get(`Buy it as a person: the offer "${offer.name}" delivers it${offer.demo ? ', as a demonstration' : ''}.`, buyPath(offer.id));
  const nextActions = [...errorEntry(reason.code).nextActions.slice(0, 1), person];
  return { ok: false, refusal: { ...refusal, nextActions, members: { preview, ...refusal.members } } };
}

function paidInWords({ priceMicros }: PaidResource, { terms, cardProfile }: TermsInForce): string {
  const byCard = cardProfile !== undefined && cardAmount(priceMicros) !== undefined;
  if (terms === undefined) return byCard ? 'It is paid by card, with a shared payment token.' : 'No way to pay carries this amount.';
  const { asset, name, isTest } = terms.network;
  return `It is paid in ${asset.name} on ${name}${isTest ? ', a test network whose tokens have no value' : ''}${byCard ? '; or by card, with a shared payment token' : ''}.`;
}

function cannotSell({ metadata }: RequestedCapsule, payments: { readonly missing: string } | undefined): Refused {
  return payments === undefined ? refuse('payment_required', paymentDetail(metadata)) : refuse('not_configured', payments.missing);
}

function resourceOf({ metadata, price, namedVersion }: RequestedCapsule, baseUrl: string): PaidResource {
  return paidResource(metadata, microDollars(price), namedVersion, baseUrl);
}
