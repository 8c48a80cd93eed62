import { getCollection } from 'astro:content';
import { byOrder, type CapsuleEntry, type OfferEntry, type PageEntry } from './site-content.ts';

/** All capsules, in ascending order of id. */
export async function allCapsules(): Promise<CapsuleEntry[]> {
  return (await getCollection('capsules')).map(({ data }) => data).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** All offers, in the publisher's order. */
export async function allOffers(): Promise<OfferEntry[]> {
  return (await getCollection('offers')).map(({ data }) => data).sort((a, b) => a.position - b.position);
}

/** The publisher's own pages, in their order. */
export async function allPages(): Promise<PageEntry[]> {
  return (await getCollection('pages')).map(({ data }) => data).sort(byOrder);
}
