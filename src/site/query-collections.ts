import { type CollectionEntry, getCollection, getEntry } from 'astro:content';
import { language, texts } from 'virtual:strings';
import type { ListStore } from '../gateway/knowledge/capsule-lists/list-store.ts';
import { listsInMemory } from '../gateway/knowledge/capsule-lists/make-lists.ts';
import { ownLists, readListPage, readSubjectsPage, type ShownList } from '../gateway/knowledge/capsule-lists/read-list.ts';
import { remembered } from '../gateway/memory-caches.ts';
import { hasPrice } from '../schemas/commerce/currency-and-availability.ts';
import { type ListRequest, listPath } from '../schemas/knowledge/capsule-lists.ts';
import { subjectsPath } from '../schemas/paths.ts';
import { statedPrices } from '../text/prices.ts';
import { byOrder, type CapsuleEntry, type OfferEntry, type PageEntry, PUBLISHER_ENTRY, type Site } from './collection-entries.ts';
import { type TextLabels, textLabels } from './markdown/text-labels.ts';
import { siteSource } from './site-source.ts';

/** What every page shows. Pages find it in `Astro.locals`; `getStaticPaths`, which has none, asks here. */
export async function sharedValues(): Promise<Pick<App.Locals, 'site' | 'brand' | 'enginePages' | 'overview'>> {
  const entry = await getEntry('publisher', PUBLISHER_ENTRY);
  if (entry === undefined)
    throw new Error(
      'The collection "publisher" is missing; src/content.config.ts must export the collections of \'agent-knowledge-gateway/content\'.',
    );
  const { shared, ...publisher } = entry.data;
  return { ...shared, site: { ...shared.site, publisher } };
}

export async function siteValues(): Promise<Site> {
  return (await sharedValues()).site;
}

/** A capsule of its collection; in large publications without its lineage and its text. */
type ListedCapsule = Omit<CapsuleEntry, 'lineage'> & Partial<Pick<CapsuleEntry, 'lineage'>>;

const capsules = new WeakMap<object, ListedCapsule>();

/** The same object for the same entry. */
function capsuleOf({ id, data, body }: CollectionEntry<'capsules'>): ListedCapsule {
  return remembered(capsules, data, () => {
    const { degree, lineage, related, references, preview, ...metadata } = data;
    // The store of Astro holds no empty text.
    const markdown = body ?? (lineage !== undefined && metadata.access === 'public' ? '' : undefined);
    return { id, metadata, degree, lineage, related, references, preview, markdown } as ListedCapsule;
  });
}

let listed: ListedCapsule[] | undefined;

/** All capsules whose pages are files, in ascending order of id; none where functions make these pages. The same list until one changes. */
export async function capsulesWithFiles(): Promise<ListedCapsule[]> {
  // In a build they stay as they are, and pages of lists are as many as they.
  if (listed !== undefined && !import.meta.env.DEV) return listed;
  const read =
    (await siteValues()).capsulePages === 'files'
      ? (await getCollection('capsules')).map(capsuleOf).sort((a, b) => (a.id < b.id ? -1 : 1))
      : [];
  if (listed === undefined || read.length !== listed.length || read.some((capsule, at) => capsule !== listed?.[at])) listed = read;
  return listed;
}

export async function findCapsule(id: string): Promise<ListedCapsule | undefined> {
  const entry = await getEntry('capsules', id);
  return entry && capsuleOf(entry);
}

/** A capsule for a list, with what replaces it. */
export async function findForList(id: string) {
  const found = await findCapsule(id);
  const replacedBy = found?.metadata.superseded_by;
  return (
    found && { ...found, metadata: { ...found.metadata, replacement: replacedBy ? (await findCapsule(replacedBy))?.metadata : undefined } }
  );
}

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

export async function allPages(): Promise<PageEntry[]> {
  return (await getCollection('pages'))
    .map(({ id, data: { references, ...frontMatter }, body = '' }) => ({ id, frontMatter, markdown: body, references }) as PageEntry)
    .sort(byOrder);
}

export type ListFile = { readonly request: ListRequest } | { readonly subjectsPage: number };

const lists = new WeakMap<readonly ListedCapsule[], ListStore>();

/** The lists of all capsules, made again only after a change: sorting the titles of a large corpus takes seconds. */
async function capsuleLists(): Promise<ListStore> {
  const [capsules, { subjects }] = await Promise.all([capsulesWithFiles(), siteValues()]);
  const make = (): ListStore =>
    listsInMemory(
      capsules.map(({ metadata }) => metadata),
      language,
      subjects,
    );
  return remembered(lists, capsules, make);
}

export async function listFiles(): Promise<{ params: { list: string }; props: { file: ListFile } }[]> {
  if ((await siteValues()).capsulePages !== 'files') return [];
  const lists = await capsuleLists();
  const numbers = (pages: number): number[] => Array.from({ length: pages }, (_, at) => at + 1);
  const ofCapsules = ownLists(await lists.directory()).flatMap(({ request, pages }) =>
    numbers(pages).map((page) => ({ path: listPath({ ...request, page }), file: { request: { ...request, page } } })),
  );
  const subjects = await readSubjectsPage(1, lists);
  const ofSubjects = numbers(subjects?.pages ?? 0).map((page) => ({ path: subjectsPath(page), file: { subjectsPage: page } }));
  return [...ofCapsules, ...ofSubjects].map(({ path, file }) => ({ params: { list: path.slice(1) }, props: { file } }));
}

export async function readListFile(file: ListFile): Promise<ShownList> {
  const lists = await capsuleLists();
  return 'request' in file
    ? { list: await readListPage(file.request, lists) }
    : { subjects: await readSubjectsPage(file.subjectsPage, lists) };
}

/** Words that pages add to a text, in its language if the engine has it, else in the language of the interface. */
export function labelsFor(ofText: string = language): TextLabels {
  return textLabels({ tag: language, strings: { texts } }, ofText);
}
