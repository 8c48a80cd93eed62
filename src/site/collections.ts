import { getCollection } from 'astro:content';
import { statedPrices } from '../publication/offers/stated-prices.ts';
import { hasPrice } from '../schemas/commerce/offers.ts';
import { liveSite } from './live-site.ts';
import { byOrder, type CapsuleEntry, type OfferEntry, type PageEntry } from './site-content.ts';

/** All capsules, in ascending order of id. */
export async function allCapsules(): Promise<CapsuleEntry[]> {
  const live = liveSite()?.current().pages.capsules;
  if (live !== undefined) return [...(live as readonly object[] as readonly CapsuleEntry[])];
  return (await getCollection('capsules')).map(({ data }) => data).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** All offers, in the publisher's order. */
export async function allOffers(): Promise<OfferEntry[]> {
  const live = liveSite()?.current().pages.offers;
  if (live !== undefined) return live.map((offer, position) => ({ ...offer, position }));
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
