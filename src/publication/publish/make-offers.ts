import { createHash } from 'node:crypto';
import { offersOpening } from '../../schemas/commerce/access-passes.ts';
import { hasPrice } from '../../schemas/commerce/currency-and-availability.ts';
import type { AuthoredDelivery, CurrencyOption, Offer, QuoteOnlyOffer, StoredDelivery } from '../../schemas/commerce/offers.ts';
import { isDemonstration } from '../../schemas/commerce/stablecoin-payments.ts';
import { buyPath, RESERVED_BUY_IDS, testCheckoutPath } from '../../schemas/paths.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import { minorUnits } from '../../text/prices.ts';
import type { PageContent, PublishedOffer } from '../../text/publication-model.ts';
import type { AuthoredContent, AuthoredOffer } from '../authored-content.ts';
import { checkoutLinks, isReservedHost, resolveCheckoutUrl } from '../check/check-offers.ts';

/**
 * Offers in the publisher's order: those that publisher.yaml lists, then the others by their own `order`, then by id.
 *
 * @throws {RangeError} If a checkout is not on the checkout host, or a delivered file is missing. Checked content never throws.
 */
export function makeOffers(
  authored: readonly Omit<AuthoredOffer, 'file' | 'bodyLine'>[],
  publisher: Publisher,
  files: ReadonlyMap<string, Uint8Array> = new Map(),
): PublishedOffer[] {
  const listed = new Map(publisher.offers.order.map((id, position) => [id, position]));
  const positionOf = ({ id }: Pick<AuthoredOffer, 'id'>): number => listed.get(id) ?? listed.size;
  return authored
    .toSorted(
      (a, b) => positionOf(a) - positionOf(b) || a.frontMatter.order - b.frontMatter.order || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0),
    )
    .map((offer) => makeOffer(offer, publisher, files));
}

function makeOffer(
  { id, frontMatter: authored, markdown, references }: Omit<AuthoredOffer, 'file' | 'bodyLine'>,
  publisher: Publisher,
  files: ReadonlyMap<string, Uint8Array>,
): PublishedOffer {
  const { aliases, name, summary, audience, sample, image, category, features } = authored;
  const { demo, valid_until: validUntil, discontinued, delivery, refund } = authored;
  const updated = discontinued !== undefined && discontinued > authored.updated ? discontinued : authored.updated;
  const picture = image && references?.[image.file]?.image;
  const pictured = image && picture && { ...picture, alt: image.alt };
  const described = stated({ id, aliases, name, summary, audience, sample, image: pictured, category });
  const terms = stated({ demo, validUntil, discontinued, delivery, refund });
  const text = { markdown, ...(references ? { references } : {}) };
  const preferredPath = authored.route ?? buyPath(id);
  if (authored.price_usd === undefined) return { ...described, features, preferredPath, ...terms, updated, ...text, price: 'on_request' };
  const checkoutUrlIn = (currency: string): string | undefined => {
    const link = checkoutLinks(authored.checkout)[currency];
    return link === undefined ? undefined : resolveCheckoutUrl(link, publisher.checkout_host ?? '');
  };
  const checkoutUrl = checkoutUrlIn('USD');
  if (checkoutUrl === undefined) throw new RangeError(`offer "${id}" has no checkout on ${publisher.checkout_host}`);
  const currencyOptions = Object.entries(authored.prices).map(
    ([currency, price]): CurrencyOption =>
      stated({ currency, amountMinor: minorUnits(price, currency), checkoutUrl: checkoutUrlIn(currency) }),
  );
  return {
    ...described,
    features,
    amountMinor: minorUnits(authored.price_usd, publisher.currency),
    currency: publisher.currency,
    ...(currencyOptions.length === 0 ? {} : { currencyOptions }),
    cadence: authored.cadence ?? (authored.price_usd === 0 ? 'free' : 'one_time'),
    preferredPath,
    checkoutUrl,
    ...terms,
    delivers: authored.delivers.map((delivery) => storedDelivery(delivery, files)),
    updated,
    ...text,
  };
}

function stated<T extends object>(members: T): T {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as T;
}

/** Offers with the test checkouts of the site itself, in place of those of demonstrations on a reserved name, where nothing can answer. */
export function withTestCheckouts(
  offers: readonly PublishedOffer[],
  { base_url: baseUrl, checkout_host: host }: Pick<Publisher, 'base_url' | 'checkout_host'>,
): PublishedOffer[] {
  const testUrl = (id: string, currency: string) => ({ checkoutUrl: baseUrl + testCheckoutPath(id, currency) });
  return offers.map((offer) => {
    if (!offer.demo || host === undefined || !isReservedHost(host) || !hasPrice(offer)) return offer;
    const { id, currency, currencyOptions } = offer;
    return {
      ...offer,
      ...testUrl(id, currency),
      ...(currencyOptions && {
        currencyOptions: currencyOptions.map((option) => ({
          ...option,
          ...(option.checkoutUrl === undefined ? {} : testUrl(id, option.currency)),
        })),
      }),
    };
  });
}

/** Where payments are a demonstration: offers, and a demonstration for each paid text that none of them opens. */
export function withDemonstrations(
  offers: readonly PublishedOffer[],
  { capsules, publisher: { base_url: baseUrl, payments, currency } }: Pick<AuthoredContent, 'capsules' | 'publisher'>,
): readonly PublishedOffer[] {
  if (!isDemonstration(payments?.stripe_profile)) return offers;
  const sold = listOffers(offers).offers.filter(hasPrice);
  const names = [...RESERVED_BUY_IDS, ...offers.flatMap(({ id, aliases }) => [id, ...aliases])];
  const demonstrations = capsules.flatMap(
    ({ id, frontMatter: { access, title, summary, price_usd: price = 0, prices, tags, updated } }) => {
      if (access !== 'paid' || names.includes(id) || offersOpening({ capsule_id: id, tags }, sold).length > 0) return [];
      const words = { aliases: [], name: title.slice(0, 80), summary, features: [], markdown: '', updated };
      // A text without a price in dollars costs none there.
      const amountMinor = price === 0 ? 0 : Math.max(1, Math.round(price * 100));
      const terms = { amountMinor, currency, cadence: 'one_time' as const, demo: true };
      const currencyOptions = Object.entries(prices).map(([code, amount]) => ({
        currency: code,
        amountMinor: minorUnits(amount, code),
        checkoutUrl: baseUrl + testCheckoutPath(id, code),
      }));
      const delivers = [{ kind: 'capsule' as const, capsule: id }];
      const addresses = { preferredPath: buyPath(id), checkoutUrl: baseUrl + testCheckoutPath(id, currency) };
      return { id, ...words, ...terms, ...(currencyOptions.length > 0 && { currencyOptions }), delivers, ...addresses };
    },
  );
  return [...offers, ...demonstrations];
}

/** Offers that are sold, and those that no longer are, which no list, catalog or protocol has. */
export function listOffers(all: readonly PublishedOffer[]): Pick<PageContent, 'offers' | 'discontinuedOffers'> {
  const isSold = ({ discontinued }: PublishedOffer): boolean => discontinued === undefined;
  return { offers: all.filter(isSold), discontinuedOffers: all.filter((offer) => !isSold(offer)) };
}

/** Agent commerce in force: no protocol can sell where no offer has a price. */
export function commerceInForce({ commerce }: Publisher, offers: readonly (Offer | QuoteOnlyOffer)[]): Publisher['commerce'] {
  return offers.some((offer) => hasPrice(offer)) ? commerce : { ...commerce, acp: false, ucp: false };
}

function storedDelivery(delivery: AuthoredDelivery, files: ReadonlyMap<string, Uint8Array>): StoredDelivery {
  if (delivery.kind !== 'file') return delivery;
  const bytes = files.get(delivery.file);
  if (bytes === undefined) throw new RangeError(`content/deliveries/${delivery.file} is missing`);
  return {
    kind: 'file',
    name: delivery.name,
    title: delivery.title,
    fileName: delivery.file,
    mediaType: MEDIA_TYPES[delivery.file.split('.').at(-1)?.toLowerCase() ?? ''] ?? 'application/octet-stream',
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
  };
}

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv',
  epub: 'application/epub+zip',
  json: 'application/json',
  md: 'text/markdown',
  pdf: 'application/pdf',
  txt: 'text/plain',
  zip: 'application/zip',
};
