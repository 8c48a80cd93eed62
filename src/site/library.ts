import { type CollectionKey, getCollection } from 'astro:content';
import type { AuthoredPage } from '../publication/content.ts';
import type { FreeCapsule } from '../publication/capsules/paid-capsules.ts';
import type { Publisher } from '../schemas/publisher.ts';
import type { PublishedOffer } from '../publication/content.ts';

/** All entries of a collection as the publication made them; the loader stores them unchanged. */
async function entriesOf<T>(collection: CollectionKey): Promise<T[]> {
  const entries = await getCollection(collection);
  return entries.map((entry: { readonly data: unknown }) => entry.data as T);
}

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);

/** Who publishes. */
export async function thePublisher(): Promise<Publisher> {
  const [publisher] = await entriesOf<Publisher>('publisher');
  if (publisher === undefined) throw new Error('the collection "publisher" is empty');
  return publisher;
}

/** All capsules, in ascending order of id. */
export async function allCapsules(): Promise<FreeCapsule[]> {
  return (await entriesOf<FreeCapsule>('capsules')).sort(byId);
}

/** All offers, in the publisher's order. */
export async function allOffers(): Promise<PublishedOffer[]> {
  return (await entriesOf<PublishedOffer & { position: number }>('offers')).sort((a, b) => a.position - b.position);
}

/** The publisher's own pages, in their order. */
export async function allPages(): Promise<AuthoredPage[]> {
  return (await entriesOf<AuthoredPage>('pages')).sort((a, b) => a.frontMatter.order - b.frontMatter.order || byId(a, b));
}
