import { defineCollection } from 'astro:content';
import { fromPublication } from './publication-loader.ts';

/** Astro's collections. The reader of `content/` has checked every entry against its schema in `src/schemas`. */
export const collections = {
  publisher: defineCollection({ loader: fromPublication(({ publisher }) => [{ id: 'publisher', ...publisher }]) }),
  capsules: defineCollection({ loader: fromPublication(({ capsules }) => capsules) }),
  offers: defineCollection({ loader: fromPublication(({ offers }) => offers.map((offer, position) => ({ ...offer, position }))) }),
  pages: defineCollection({ loader: fromPublication(({ publisherPages }) => publisherPages) }),
};
