import { toHex } from '../../../provenance/bytes-and-sha256.ts';
import { canonicalDigest } from '../../../provenance/canonical-json.ts';
import type { Offer } from '../../../schemas/commerce/offers.ts';
import type { InvoiceRequestBody, MessageBody } from '../../../schemas/commerce/orders.ts';
import type { Deployment } from '../../../schemas/deployment.ts';
import { LIMITS } from '../../../schemas/limits.ts';
import { DAY_MS, dayOf } from '../../../schemas/time.ts';
import { statedPriceIn } from '../../../text/prices.ts';
import { keyedDigest } from '../../digests-and-base62.ts';
import { keyConflict } from '../../idempotency/bind-idempotency-key.ts';
import { consumeQuota } from '../../limits/quotas.ts';
import type { Clock, Quotas, SigningSecrets } from '../../platform-ports.ts';
import { ok, type Result, refuse } from '../../result.ts';
import type { Line } from '../cart/checkout-ports.ts';
import { priceCart, totalOf } from '../cart/price-cart.ts';
import { findOffer, refuseUnsoldItems } from '../catalog/find-offer.ts';
import type { InvoicedItem, InvoiceRequestRecord, InvoiceStore } from './order-ports.ts';

export interface InvoiceDependencies {
  readonly deployment: Pick<Deployment, 'offers' | 'quoteOnlyOffers' | 'discontinuedOffers' | 'displayCurrency'>;
  readonly invoices: InvoiceStore;
  readonly secrets: SigningSecrets;
  readonly quotas: Quotas;
  readonly clock: Clock;
}

export interface InvoiceSender {
  readonly network: string;
  readonly idempotencyKey: string | undefined;
  /** Binds the idempotency key to the request body. Refuses a key that is bound to another body. */
  readonly bindKey: () => Promise<Result<undefined>>;
}

/** By the beginning of the receipt: what its digest is of, and the quota. */
const KINDS = {
  inv: { purpose: 'receipt of a request for an invoice', quota: 'invoices' },
  msg: { purpose: 'receipt of a message', quota: 'messages' },
} as const;

/**
 * Stores an invoice request at the prices of the catalog. The receipt is a keyed digest of the day and the idempotency key, or of the
 * content and its prices without one: the same request within a day has one effect and one receipt, which cannot be guessed.
 */
export async function requestInvoice(
  body: InvoiceRequestBody,
  by: InvoiceSender,
  deps: InvoiceDependencies,
): Promise<Result<InvoiceRequestRecord>> {
  const invoiced = invoicedItems(body, deps.deployment, dayOf(deps.clock.nowMs()));
  if (!invoiced.ok) return invoiced;
  const { name, email, company, address, tax_id: taxId, note } = body;
  return storeOnce('inv', { ...invoiced.value, name, email, company, address, taxId, note }, by, deps);
}

/** Stores a message to the publisher, as a request without items: the same message within a day has one effect and one receipt. */
export async function sendMessage(
  { name, email, message }: MessageBody,
  network: string,
  deps: Omit<InvoiceDependencies, 'deployment'>,
): Promise<Result<InvoiceRequestRecord>> {
  const by = { network, idempotencyKey: undefined, bindKey: async () => ok(undefined) };
  return storeOnce('msg', { items: [], currency: 'USD', totalMinor: 0, name, email, note: message }, by, deps);
}

async function storeOnce(
  kind: keyof typeof KINDS,
  content: Omit<InvoiceRequestRecord, 'receipt' | 'state' | 'createdAtMs' | 'updatedAtMs'>,
  by: InvoiceSender,
  deps: Omit<InvoiceDependencies, 'deployment'>,
): Promise<Result<InvoiceRequestRecord>> {
  const nowMs = deps.clock.nowMs();
  const record = { ...content, state: 'new' as const, createdAtMs: nowMs, updatedAtMs: nowMs };
  const sha256 = await canonicalDigest(contentOf(record));
  const prices = record.items.map(({ unitMinor }) => unitMinor ?? null);
  const subject = by.idempotencyKey === undefined ? await canonicalDigest([sha256, prices]) : `key ${by.idempotencyKey}`;
  const encoder = new TextEncoder();
  const receiptOn = async (timeMs: number): Promise<string> => {
    const digest = await keyedDigest(deps.secrets[0], KINDS[kind].purpose, encoder.encode(dayOf(timeMs)), encoder.encode(subject));
    return `${kind}_${toHex(digest.subarray(0, 16))}`;
  };
  try {
    const receipt = await receiptOn(nowMs);
    const before = (await deps.invoices.byReceipt(receipt)) ?? (await deps.invoices.byReceipt(await receiptOn(nowMs - DAY_MS)));
    if (before !== undefined && nowMs < before.createdAtMs + DAY_MS) return sameContent(before, sha256);
    const quota = await consumeQuota(deps.quotas, KINDS[kind].quota, by.network, deps.clock);
    if (!quota.ok) return quota;
    const bound = await by.bindKey();
    if (!bound.ok) return bound;
    await deps.invoices.save({ ...record, receipt });
    const stored = await deps.invoices.byReceipt(receipt);
    return stored === undefined ? outcomeUnknown() : sameContent(stored, sha256);
  } catch {
    return outcomeUnknown();
  }
}

function outcomeUnknown(): Result<never> {
  return refuse('state_unavailable', 'The outcome is unknown. Send the same request again: it is stored once.');
}

async function sameContent(record: InvoiceRequestRecord, sha256: string): Promise<Result<InvoiceRequestRecord>> {
  return (await canonicalDigest(contentOf(record))) === sha256 ? ok(record) : keyConflict();
}

function invoicedItems(
  { items, currency: asked }: InvoiceRequestBody,
  deployment: InvoiceDependencies['deployment'],
  today: string,
): Result<Pick<InvoiceRequestRecord, 'items' | 'currency' | 'totalMinor'>> {
  const { offers, quoteOnlyOffers = [], displayCurrency = 'USD' } = deployment;
  const cartItems = items.map(({ id, quantity }, index) => ({ id, quantity, pointer: `/items/${index}/id` }));
  const refused = refuseUnsoldItems(cartItems, deployment, today, true);
  if (refused !== undefined) return refused;
  const quoted: InvoicedItem[] = [];
  const named = Map.groupBy(cartItems, ({ id }) => findOffer(quoteOnlyOffers, id, today));
  const priced = named.get(undefined) ?? [];
  for (const [offer, ofOffer] of named) {
    if (offer === undefined) continue;
    const quantity = ofOffer.reduce((sum, item) => sum + item.quantity, 0);
    const errors = ofOffer.map(({ pointer }) => ({ pointer, message: 'is requested in too large a quantity' }));
    if (quantity > LIMITS.quantityMax)
      return refuse('cart_refused', `At most ${LIMITS.quantityMax} of one offer can be requested at once.`, { errors });
    quoted.push({ offerId: offer.id, name: offer.name, quantity });
  }
  const chosen = priced.flatMap(({ id }) => findOffer(offers, id, today) ?? []);
  const currency = asked ?? (chosen.every((offer) => statedPriceIn(offer, displayCurrency) !== undefined) ? displayCurrency : 'USD');
  const prices = { currency, amountOf: (offer: Offer) => statedPriceIn(offer, currency)?.amountMinor };
  const lines = priced.length === 0 ? ok<readonly Line[]>([]) : priceCart(priced, offers, today, prices);
  if (!lines.ok) return lines;
  const totalMinor = totalOf(lines.value);
  if (totalMinor === 0 && quoted.length === 0)
    return refuse('invalid_request', 'All items are free, so no invoice is needed.', {
      errors: cartItems.map(({ pointer }) => ({ pointer, message: 'is free and needs no invoice' })),
    });
  const withPrices = lines.value.map(({ offerId, name, unitMinor, quantity }) => ({ offerId, name, unitMinor, quantity }));
  return ok({ items: [...withPrices, ...quoted], currency, totalMinor });
}

function contentOf({ items, currency, name, email, company, address, taxId, note }: Omit<InvoiceRequestRecord, 'receipt'>) {
  return {
    items: items.map(({ offerId, quantity }) => [offerId, quantity]),
    ...(currency === 'USD' ? {} : { currency }),
    sender: [name, email, company ?? null, address ?? null, taxId ?? null, note ?? null],
  };
}
