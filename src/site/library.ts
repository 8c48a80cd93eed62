import { getCollection } from 'astro:content';
import type { CapsuleEntry, DecisionEntry, DocEntry, OfferEntry } from './site-content.ts';

const byId = (a: { readonly id: string }, b: { readonly id: string }): number => (a.id < b.id ? -1 : 1);

/** All capsules, in ascending order of id. */
export async function allCapsules(): Promise<CapsuleEntry[]> {
  return (await getCollection('capsules')).map(({ data }) => data).sort(byId);
}

/** All offers, in the publisher's order. */
export async function allOffers(): Promise<OfferEntry[]> {
  return (await getCollection('offers')).map(({ data }) => data).sort((a, b) => a.position - b.position);
}

/** All pages of text, in their own order. */
export async function allDocs(): Promise<DocEntry[]> {
  const docs = (await getCollection('docs')).map(({ data }) => data);
  return docs.sort((a, b) => a.frontMatter.order - b.frontMatter.order || byId(a, b));
}

/** A page of text, if the publisher wrote it. */
export async function findDoc(id: string): Promise<DocEntry | undefined> {
  return (await allDocs()).find((doc) => doc.id === id);
}

/** All decision records, in ascending order of number. */
export async function allDecisions(): Promise<DecisionEntry[]> {
  return (await getCollection('decisions')).map(({ data }) => data).sort(byId);
}
