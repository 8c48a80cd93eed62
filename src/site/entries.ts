import { type CollectionEntry, getCollection, getEntry } from 'astro:content';
import { statedPrices } from '../publication/offers/stated-prices.ts';
import { hasPrice } from '../schemas/commerce/offers.ts';
import { byOrder, type CapsuleEntry, type OfferEntry, type PageEntry, PUBLISHER_ENTRY, type Site } from './site-content.ts';
import { siteSource } from './site-source.ts';

/** What every page shows. Pages find it in `Astro.locals`; `getStaticPaths`, which has none, asks here. */
export async function sharedValues(): Promise<Pick<App.Locals, 'site' | 'brand' | 'overview'>> {
  const entry = await getEntry('publisher', PUBLISHER_ENTRY);
  if (entry === undefined)
    throw new Error(
      'The collection "publisher" is missing; src/content.config.ts must export the collections of \'agent-knowledge-gateway/content\'.',
    );
  const { shared, ...publisher } = entry.data;
  return { ...shared, site: { ...shared.site, publisher } };
}

/** The part of it that is also in functions. */
export async function siteValues(): Promise<Site> {
  return (await sharedValues()).site;
}

/** A capsule of its collection; in large publications without its lineage and its text. */
type ListedCapsule = Omit<CapsuleEntry, 'lineage'> & Partial<Pick<CapsuleEntry, 'lineage'>>;

const known = new WeakMap<object, ListedCapsule>();

/** The same object for the same entry. */
function capsuleOf({ id, data, body }: CollectionEntry<'capsules'>): ListedCapsule {
  const { degree, lineage, related, references, ...metadata } = data;
  // The store of Astro holds no empty text.
  const markdown = body ?? (lineage !== undefined && metadata.access === 'public' ? '' : undefined);
  const capsule = known.get(data) ?? ({ id, metadata, degree, lineage, related, references, markdown } as ListedCapsule);
  known.set(data, capsule);
  return capsule;
}

/** All capsules whose pages are files, in ascending order of id; none where functions make these pages. */
export async function capsulesWithFiles(): Promise<ListedCapsule[]> {
  return (await siteValues()).capsulePages === 'files'
    ? (await getCollection('capsules')).map(capsuleOf).sort((a, b) => (a.id < b.id ? -1 : 1))
    : [];
}

/** The capsule with an id, if there is one. */
export async function findCapsule(id: string): Promise<ListedCapsule | undefined> {
  const entry = await getEntry('capsules', id);
  return entry && capsuleOf(entry);
}

/** A capsule as its page shows it. */
export async function wholeCapsule(listed: ListedCapsule): Promise<CapsuleEntry> {
  const capsule = listed.lineage === undefined ? await siteSource()?.capsule(listed.id) : (listed as CapsuleEntry);
  if (capsule === undefined) throw new Error(`The capsule "${listed.id}" is no longer there.`);
  return capsule;
}

/** All offers that are sold, in the publisher's order. */
export async function allOffers(): Promise<OfferEntry[]> {
  return (await offersWithPages()).filter(({ discontinued }) => discontinued === undefined);
}

/** All offers that have a page: those that are sold, then those that no longer are. */
export async function offersWithPages(): Promise<OfferEntry[]> {
  const entries = await getCollection('offers');
  return entries.map(({ data, body = '' }) => ({ ...data, markdown: body }) as OfferEntry).sort((a, b) => a.position - b.position);
}

/** Currencies of the prices of offers, those that checkouts charge first. */
export function pricedIn(offers: readonly OfferEntry[], displayCurrency: string): string[] {
  return [...new Set(offers.filter(hasPrice).flatMap((offer) => statedPrices(offer, displayCurrency).map(({ currency }) => currency)))];
}

/** The publisher's own pages, in their order. */
export async function allPages(): Promise<PageEntry[]> {
  const entries = await getCollection('pages');
  return entries
    .map(({ id, data: { references, ...frontMatter }, body = '' }) => ({ id, frontMatter, markdown: body, references }) as PageEntry)
    .sort(byOrder);
}
