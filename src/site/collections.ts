import { getCollection } from 'astro:content';
import { statedPrices } from '../publication/offers/stated-prices.ts';
import { hasPrice } from '../schemas/commerce/offers.ts';
import { liveSite } from './live-site.ts';
import { byOrder, type CapsuleEntry, type OfferEntry, type PageEntry, positionedOffers } from './site-content.ts';

/** All capsules, in ascending order of id. */
export async function allCapsules(): Promise<CapsuleEntry[]> {
  const live = liveSite()?.current().pages.capsules;
  if (live !== undefined) return [...(live as readonly object[] as readonly CapsuleEntry[])];
  return (await getCollection('capsules')).map(({ data }) => data).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** All offers that are sold, in the publisher's order. */
export async function allOffers(): Promise<OfferEntry[]> {
  return (await offersWithPages()).filter(({ discontinued }) => discontinued === undefined);
}

/** All offers that have a page: those that are sold, then those that no longer are. */
export async function offersWithPages(): Promise<OfferEntry[]> {
  const live = liveSite()?.current().pages;
  if (live !== undefined) return positionedOffers(live);
  return (await getCollection('offers')).map(({ data }) => data).sort((a, b) => a.position - b.position);
}

/** Currencies of the prices of offers, those that checkouts charge first. */
export function pricedIn(offers: readonly OfferEntry[], displayCurrency: string): string[] {
  return [...new Set(offers.filter(hasPrice).flatMap((offer) => statedPrices(offer, displayCurrency).map(({ currency }) => currency)))];
}

/** The publisher's own pages, in their order. */
export async function allPages(): Promise<PageEntry[]> {
  const live = liveSite()?.current().pages.publisherPages;
  if (live !== undefined) return live.toSorted(byOrder);
  return (await getCollection('pages')).map(({ data }) => data).sort(byOrder);
}
