import { defineCollection } from 'astro:content';
import type { Loader } from 'astro/loaders';
import { contentOf } from './integration.ts';
import { liveSite } from './live-site.ts';
import { CapsuleEntry, OfferEntry, PageEntry, positionedOffers, type SiteContent } from './site-content.ts';

/** Loads one list of the content that the configuration of Astro holds. */
function siteContentLoader(select: (content: SiteContent) => readonly { readonly id: string }[]): Loader {
  return {
    name: 'site-content',
    load: async ({ config, store, parseData, generateDigest }) => {
      store.clear();
      // Pages of a live site take its content themselves: ten thousand entries would be stored anew after each change.
      if (liveSite() !== undefined) return;
      const entries = select(await contentOf(config));
      for (const entry of entries) {
        const data = await parseData({ id: entry.id, data: { ...entry } });
        store.set({ id: entry.id, data, digest: generateDigest(data) });
      }
    },
  };
}

export const collections = {
  capsules: defineCollection({ loader: siteContentLoader(({ pages }) => pages.capsules), schema: CapsuleEntry }),
  offers: defineCollection({
    loader: siteContentLoader(({ pages }) => positionedOffers(pages)),
    schema: OfferEntry,
  }),
  pages: defineCollection({ loader: siteContentLoader(({ pages }) => pages.publisherPages), schema: PageEntry }),
};
