import { statedPrices } from '../publication/offers/stated-prices.ts';
import { hasPrice } from '../schemas/commerce/offers.ts';
import { shownPages } from './shown-site.ts';
import { byOrder, type CapsuleEntry, type OfferEntry, type PageEntry, positionedOffers } from './site-content.ts';

/** All capsules, in ascending order of id. */
export function allCapsules(): readonly CapsuleEntry[] {
  return shownPages().capsules;
}

let byId: { readonly capsules: readonly CapsuleEntry[]; readonly entries: ReadonlyMap<string, CapsuleEntry> } | undefined;

/** All capsules by id. */
export function capsulesById(): ReadonlyMap<string, CapsuleEntry> {
  const capsules = allCapsules();
  if (byId?.capsules !== capsules) byId = { capsules, entries: new Map(capsules.map((capsule) => [capsule.id, capsule])) };
  return byId.entries;
}

/** All offers that are sold, in the publisher's order. */
export function allOffers(): OfferEntry[] {
  return offersWithPages().filter(({ discontinued }) => discontinued === undefined);
}

/** All offers that have a page: those that are sold, then those that no longer are. */
export function offersWithPages(): OfferEntry[] {
  return positionedOffers(shownPages());
}

/** Currencies of the prices of offers, those that checkouts charge first. */
export function pricedIn(offers: readonly OfferEntry[], displayCurrency: string): string[] {
  return [...new Set(offers.filter(hasPrice).flatMap((offer) => statedPrices(offer, displayCurrency).map(({ currency }) => currency)))];
}

/** The publisher's own pages, in their order. */
export function allPages(): PageEntry[] {
  return shownPages().publisherPages.toSorted(byOrder);
}
