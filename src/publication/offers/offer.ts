import type { AuthoredDelivery } from '../../schemas/commerce/delivery.ts';
import type { Cadence, OfferFrontMatter } from '../../schemas/commerce/offer-front-matter.ts';
import { buyPath } from '../../schemas/paths.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import { resolveCheckoutUrl } from './checkout-link.ts';

/** An amount of money in integer minor units of an ISO 4217 currency. */
export interface Money {
  readonly amountMinor: number;
  readonly currency: 'USD';
}

/** Something the publisher sells or gives away. */
export interface Offer {
  readonly id: string;
  readonly name: string;
  readonly summary: string;
  readonly category: string;
  readonly price: Money;
  readonly cadence: Cadence;
  /** Path of the page that the publisher prefers to be linked: the offer's own or an alias. */
  readonly preferredPath: string;
  readonly aliases: readonly string[];
  /** Hosted checkout, on the checkout host. */
  readonly checkoutUrl: string;
  /** True when the checkout is a demonstration on which nothing can be paid. */
  readonly demo: boolean;
  readonly features: readonly string[];
  readonly refund: string;
  readonly delivery: string;
  /** What is handed over at the address of the order once it is paid. */
  readonly delivers: readonly AuthoredDelivery[];
  readonly validUntil: string;
  readonly updated: string;
}

/**
 * Offers in the publisher's order.
 *
 * @throws {RangeError} If an offer's checkout is not on the checkout host; content that was checked never does that.
 */
export function makeOffers(authored: readonly { id: string; frontMatter: OfferFrontMatter }[], publisher: Publisher): Offer[] {
  const byId = new Map(authored.map(({ id, frontMatter }) => [id, makeOffer(id, frontMatter, publisher)]));
  return publisher.offers.order.flatMap((id) => byId.get(id) ?? []);
}

function makeOffer(id: string, authored: OfferFrontMatter, publisher: Publisher): Offer {
  const checkoutUrl = resolveCheckoutUrl(authored.checkout, publisher.checkout_host);
  if (checkoutUrl === undefined) throw new RangeError(`offer "${id}" has a checkout outside ${publisher.checkout_host}`);
  return {
    id,
    name: authored.name,
    summary: authored.summary,
    category: authored.category,
    price: { amountMinor: Math.round(authored.price_usd * 100), currency: publisher.currency },
    cadence: authored.cadence,
    preferredPath: authored.route ?? buyPath(id),
    aliases: authored.aliases,
    checkoutUrl,
    demo: authored.demo,
    features: authored.features,
    refund: authored.refund,
    delivery: authored.delivery,
    delivers: authored.delivers,
    validUntil: authored.valid_until,
    updated: authored.updated,
  };
}

/** An amount that came from somewhere else, such as the payment processor: in any currency of ISO 4217, upper or lower case. */
type ForeignMoney = Pick<Money, 'amountMinor'> & { readonly currency: string };

/**
 * How many decimals the minor unit of a currency stands for: 2 for US dollars, 0 for yen.
 *
 * @throws {RangeError} If the currency is not three letters.
 */
export function minorDigits(currency: string): number {
  // A formatter takes some time to make, and nearly all amounts are in one currency.
  if (currency === 'USD') return 2;
  return new Intl.NumberFormat('en-US', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2;
}

/** The amount as a number of major units, for documents that ask for one. */
export function majorUnits({ amountMinor, currency }: ForeignMoney): number {
  return amountMinor / 10 ** minorDigits(currency);
}

/** The amount for people, with the sign of its currency: `$450`, `$19.50`, `€19.50`, `¥1,200`. */
export function formatMoney(money: ForeignMoney): string {
  const major = majorUnits(money);
  const whole = Number.isInteger(major) ? { minimumFractionDigits: 0 } : {};
  return major.toLocaleString('en-US', { style: 'currency', currency: money.currency, ...whole });
}
