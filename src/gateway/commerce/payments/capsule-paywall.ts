import { CREDIT, creditOffer, offersOpening, opening } from '../../../schemas/commerce/access-passes.ts';
import { type CapsulePrice, creditAmount, creditText } from '../../../schemas/commerce/capsule-price.ts';
import type { Offer } from '../../../schemas/commerce/offers.ts';
import { DEMO_PAYMENT, isDemonstration } from '../../../schemas/commerce/stablecoin-payments.ts';
import type { Deployment } from '../../../schemas/deployment.ts';
import type { Features } from '../../../schemas/feature-switches.ts';
import type { CapsuleSummary } from '../../../schemas/knowledge/capsule.ts';
import type { StoredVersion } from '../../../schemas/knowledge/generation-manifest.ts';
import { buyPath, capsulePath } from '../../../schemas/paths.ts';
import type { VerifiedKey } from '../../agents/api-key.ts';
import { confirmByDatabase, type KeyStatusDependencies, refuseWithoutScope } from '../../agents/scopes.ts';
import { get, type NextStep } from '../../error-next-actions.ts';
import { errorEntry } from '../../errors.ts';
import { isPaid, paidUrl } from '../../knowledge/capsule-response.ts';
import type { Corpus } from '../../knowledge/corpus.ts';
import { previewOf, type Seller } from '../../knowledge/paid-text-preview.ts';
import { findCapsule, type PaidVersion, paymentDetail, readPaidText } from '../../knowledge/read-capsule.ts';
import type { Generation } from '../../knowledge/read-generation.ts';
import { ok, type Refused, type Result, reached, refuse } from '../../result.ts';
import { heldPasses, isOpening, PASS_UNKNOWN, type PassDependencies, type PassProof } from '../cart/access-passes.ts';
import type { PaidResource, PaymentScheme, PresentedPayment, ReadHeader, TermsInForce, UnreadablePayment } from './payment-ports.ts';
import { paidResource } from './payment-terms.ts';
import { merged, type PaidAccess, type PaymentDependencies, payForResource, paymentChallengeRefusal } from './settle-payment.ts';

interface RequestedCapsule extends Pick<StoredVersion, 'metadata' | 'preview'> {
  readonly namedVersion?: string | undefined;
}

/** How texts are sold, or why they cannot be; `undefined` while payments are off. */
type Payments = PaymentDependencies | { readonly missing: string } | undefined;

/** What reads payments and sells texts. Most requests need none of it, so an isolate loads it when a paid text is first asked for. */
export interface TextSales {
  readonly schemes: readonly PaymentScheme[];
  readonly payments: Payments;
}

type Challenging = Parameters<typeof paymentChallengeRefusal>[2] | Exclude<Payments, PaymentDependencies>;

/**
 * Sells the text of a capsule. The text is read before anything is charged, so that no text is paid that cannot be sent.
 *
 * @throws {BlockBrokenError | BlockUnavailableError} If the text cannot be read from the store.
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
  const paid = await payForResource(paidResource(requested, baseUrl), payment, payments);
  if (!paid.ok) return paid;
  const sold = text?.metadata.version === paid.value.version ? text : await readPaidText(generation, capsule_id, paid.value.version);
  if (sold === undefined) throw new TypeError('a version that was sold is no longer there');
  return ok({ sold, headers: paid.value.headers });
}

/** The version of a capsule that a wallet bought and signs in for; `undefined` if no wallet does. @throws As {@link sellCapsule}. */
export async function openForWallet(
  requested: RequestedCapsule,
  header: ReadHeader,
  generation: Generation,
  payments: Payments,
  baseUrl: string,
): Promise<Result<PaidVersion | undefined>> {
  if (payments === undefined || 'missing' in payments) return ok(undefined);
  const { schemes, terms, quotas, reservations, clock } = payments;
  const resource = paidResource(requested, baseUrl);
  const [wallet] = schemes.flatMap(({ signedIn }) => signedIn?.(header, resource, payments) ?? []);
  if (wallet === undefined || terms === undefined || quotas === undefined) return ok(undefined);
  const refused = async (error: string, detail: string): Promise<Refused> => {
    const reason = { code: 'payment_invalid', detail: `${detail} Nothing was charged.`, error } as const;
    const { refusal } = await paymentChallengeRefusal(reason, resource, payments);
    return { ok: false, refusal: { ...refusal, nextActions: SIGN_IN_STEPS } };
  };
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

const SIGN_IN_STEPS = [
  { description: 'Sign the message in "extensions" of this response with the wallet that bought the text, or buy it.' },
];

const PURCHASES_UNKNOWN =
  'The database did not respond, so it is unknown what this wallet has bought. Do not pay again: sign in again later.';

export async function paymentChallengeFor(id: string, generation: Generation, payments: Payments, seller: Seller) {
  const stored = await findCapsule(id, undefined, generation);
  if (!stored.ok) return undefined;
  return isPaid(stored.value.metadata) ? unpaid(stored.value, payments, seller) : undefined;
}

interface Credit extends Pick<OpenedText, 'creditMinor' | 'canBuy'> {
  readonly paysWith: 'credit' | 'unknown' | undefined;
  /** The pass that came with the request, which does not open the text. */
  readonly pass?: string | undefined;
}

/** What a request says that it pays with, in the header Pay-With or its member in MCP. */
export function paysWithIn(value: unknown): Credit['paysWith'] {
  if (value === undefined) return undefined;
  return typeof value === 'string' && value.trim().toLowerCase() === CREDIT ? CREDIT : 'unknown';
}

const BUYING_KEY = 'an API key that has the scope "buy"';

/** The refusal of a text that is not paid: the challenges of all schemes, the preview, and how much the whole text has. */
export async function unpaid(requested: RequestedCapsule, payments: Challenging, seller: Seller, credit?: Credit): Promise<Refused> {
  if (payments === undefined || 'missing' in payments) return cannotSell(requested, payments);
  const { baseUrl, offers } = seller;
  const { capsule_id: id } = requested.metadata;
  const selling = creditOffer(requested.metadata, offers);
  const words = [
    paidInWords(paidResource(requested, baseUrl), payments),
    creditInWords(requested.metadata.price, credit, selling !== undefined),
    credit?.paysWith === 'unknown' ? `Pay-With knows only "${CREDIT}".` : '',
    credit?.pass !== undefined && !credit.creditMinor ? 'The pass of the request does not open it.' : '',
  ];
  const detail = [paymentDetail(requested.metadata), ...words].filter((text) => text !== '').join(' ');
  const reason = { code: 'payment_required', detail, error: unpaidError(requested.metadata.price, credit) } as const;
  const { refusal } = await paymentChallengeRefusal(reason, paidResource(requested, baseUrl), payments);
  const preview = previewOf(requested.metadata, requested.preview, seller);
  const [offer] = offersOpening(requested.metadata, offers);
  const person =
    offer === undefined
      ? get('Read its page. No offer delivers it to a person.', capsulePath(id))
      : get(`Buy it as a person: the offer "${offer.name}" delivers it${offer.demo ? ', as a demonstration' : ''}.`, buyPath(offer.id));
  const byCredit = creditSteps(requested.metadata.price, credit, selling);
  const nextActions = [...errorEntry(reason.code).nextActions.slice(0, 1), person, ...byCredit];
  const balance = credit?.creditMinor === undefined ? {} : { credit: { balance_minor: credit.creditMinor, currency: 'USD' } };
  return { ok: false, refusal: { ...refusal, nextActions, members: { preview, ...balance, ...refusal.members } } };
}

interface OpenedText {
  readonly sold?: PaidVersion | undefined;
  /** The receipt of what was paid with credit, always the same. */
  readonly receipt?: Readonly<Record<string, string>>;
  /** In cents; `undefined` for a caller without a key and without a pass. */
  readonly creditMinor?: number | undefined;
  /** Whether the key of the caller has the scope buy; `undefined` without a key. */
  readonly canBuy?: boolean | undefined;
}

type CreditDependencies = PassDependencies &
  KeyStatusDependencies & {
    readonly deployment: Pick<Deployment, 'intake' | 'baseUrl'>;
    readonly features: Features;
    readonly loadSales: () => Promise<TextSales>;
  };

/**
 * The text of a paid capsule for the holder of a pass, else paid from the credit of the caller, who then has it for good.
 *
 * @param pays Whether the caller asks to pay, which needs a key.
 * @returns Nothing for a free text. Also `api_key_invalid`, `insufficient_scope`, why the key is refused, or `state_unavailable`.
 * @throws As {@link sellCapsule}.
 */
export async function openOrPay(
  metadata: CapsuleSummary,
  { pays = false, pass, identify }: PassProof & { readonly pays?: boolean },
  { newest }: Pick<Corpus, 'newest'>,
  deps: CreditDependencies,
): Promise<Result<OpenedText>> {
  if (!isPaid(metadata)) return ok({});
  const proof = { pass, identify: () => identify(pays) };
  const before = await heldPasses(metadata, proof, deps);
  if (!before.ok || before.value === undefined) return before.ok ? ok({}) : before;
  const { holder, key } = before.value;
  const amountMinor = creditAmount(metadata.price);
  const isBuying = pays && key !== undefined && amountMinor !== undefined && !before.value.passes.some(isOpening);
  if (isBuying) {
    const allowed = await confirmBuyer(key, deps);
    if (!allowed.ok) return allowed;
  }
  const read = () => readPaidText(newest, metadata.capsule_id, metadata.version);
  // No text is paid that cannot be sent.
  const text = isBuying ? await read() : undefined;
  const { orders } = deps.commerce;
  const paid =
    isBuying && orders && (await reached(orders.payByCredit(holder, opening(metadata), amountMinor, deps.clock.nowMs()), PASS_UNKNOWN));
  if (paid && !paid.ok) return paid;
  const after = paid ? await heldPasses(metadata, proof, deps) : before;
  if (!after.ok) return after;
  const { passes = [] } = after.value ?? {};
  const creditMinor = passes.reduce((sum, { leftMinor = 0 }) => sum + leftMinor, 0);
  if (!passes.some(isOpening)) return ok({ creditMinor, canBuy: key?.payload.scopes.includes('buy') });
  const bought = passes.find(({ paidAtMs }) => paidAtMs !== undefined);
  // Several credits may have paid one text, all at once.
  const parts = passes.filter(({ paidAtMs }) => paidAtMs !== undefined && paidAtMs === bought?.paidAtMs);
  const settled = bought && {
    network: CREDIT,
    transaction: bought.orderId,
    settledAtMs: bought.paidAtMs,
    amount: String(-parts.reduce((sum, { creditMinor = 0 }) => sum + creditMinor, 0)),
    resource: paidUrl(metadata.capsule_id, deps.deployment.baseUrl),
  };
  const { schemes } = settled ? await deps.loadSales() : { schemes: [] };
  const receipt = settled && merged(await Promise.all(schemes.map((scheme) => scheme.receipt(settled))));
  return ok({ sold: text ?? (await read()), ...(receipt && { receipt }) });
}

async function confirmBuyer({ payload }: VerifiedKey, deps: CreditDependencies): Promise<Result<undefined>> {
  const { clock, deployment, features } = deps;
  const scopes = await confirmByDatabase(payload, clock.nowMs(), deployment.intake, deps);
  if (!scopes.ok) return scopes;
  if (scopes.value.includes('buy')) return ok(undefined);
  return refuseWithoutScope('The key does not have the scope "buy", which credit is paid with.', 'buy', deployment.intake, features);
}

function creditInWords(price: CapsulePrice | undefined, credit: Credit | undefined, isSold: boolean): string {
  const { creditMinor = 0, canBuy, paysWith } = credit ?? {};
  const isAsked = paysWith === CREDIT;
  const amountMinor = creditAmount(price);
  if (amountMinor === undefined) return isAsked ? 'Credit pays whole cents only.' : '';
  const way = `pays it too, with "Pay-With: credit" and ${canBuy ? 'your API key' : BUYING_KEY}.`;
  if (creditMinor >= amountMinor) return `Your credit of ${creditText(creditMinor)} ${way}`;
  if (creditMinor > 0 || (isAsked && canBuy !== undefined)) return `Your credit of ${creditText(creditMinor)} is too small for it.`;
  return isSold || isAsked ? `Credit ${way}` : '';
}

function unpaidError(price: CapsulePrice | undefined, credit: Credit | undefined) {
  if (credit?.paysWith !== CREDIT || creditAmount(price) === undefined) return 'payment_required';
  return credit.canBuy === undefined ? 'credit_needs_key' : 'insufficient_credit';
}

function creditSteps(price: CapsulePrice | undefined, credit: Credit | undefined, selling: Offer | undefined): NextStep[] {
  const { creditMinor = 0, canBuy } = credit ?? {};
  const amountMinor = creditAmount(price);
  if (amountMinor === undefined) return [];
  if (creditMinor >= amountMinor) {
    const key = canBuy ? '' : ` and ${BUYING_KEY}`;
    return [{ description: `Repeat the request with the header "Pay-With: credit"${key}: your credit pays it.` }];
  }
  return selling ? [get(`Buy credit for ${canBuy ? 'your key' : BUYING_KEY}: the offer "${selling.name}".`, buyPath(selling.id))] : [];
}

function paidInWords({ priceMicros, cards }: PaidResource, { terms, cardProfile }: TermsInForce): string {
  const byCard = cardProfile !== undefined && cards.length > 0;
  const demo = isDemonstration(cardProfile) ? ` ${DEMO_PAYMENT}` : '';
  if (terms === undefined || priceMicros === 0)
    return byCard ? `It is paid by card, with a shared payment token.${demo}` : 'No way to pay carries this amount.';
  const { asset, name, isTest } = terms.network;
  return `It is paid in ${asset.name} on ${name}${isTest ? ', a test network whose tokens have no value' : ''}${byCard ? '; or by card, with a shared payment token' : ''}.${demo}`;
}

function cannotSell({ metadata }: RequestedCapsule, payments: { readonly missing: string } | undefined): Refused {
  return payments === undefined ? refuse('payment_required', paymentDetail(metadata)) : refuse('not_configured', payments.missing);
}
