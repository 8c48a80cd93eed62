import { readFile } from 'node:fs/promises';
import { defineCollection } from 'astro/content/config';
import type { Loader } from 'astro/loaders';
import * as z from 'zod';
import { type EnginePages, type Guide, guidesOf } from '../documents/page-registry.ts';
import { Offer, QuoteOnlyOffer } from '../schemas/commerce/offers.ts';
import { CapsuleMetadata } from '../schemas/knowledge/capsule.ts';
import { TextPreview } from '../schemas/knowledge/generation-manifest.ts';
import { Lineage } from '../schemas/knowledge/lineage.ts';
import { PageFrontMatter, Publisher } from '../schemas/publisher.ts';
import { TextReferences } from '../text/markdown/resolve-links.ts';
import { type CorpusOverview, PUBLISHER_ENTRY, positionedOffers, type Site, type SiteContent } from './collection-entries.ts';
import type { Brand } from './read-brand.ts';
import { type SiteSource, siteSource } from './site-source.ts';

/** What the pages of a publication find in `Astro.locals`. */
export interface SiteLocals {
  readonly site: Site;
  readonly brand: Brand;
  readonly overview: CorpusOverview;
}

interface SharedValues extends Omit<SiteLocals, 'site'> {
  readonly site: Omit<Site, 'publisher'>;
  readonly enginePages: EnginePages;
}

interface Entry<Data> {
  readonly id: string;
  readonly data: Data;
  readonly body?: string | undefined;
}

const position = z.int().describe("Position in the publisher's order.");
const references = TextReferences.optional().describe('Where the relative links and images of the text lead.');

interface Data {
  publisher: Publisher & { shared: SharedValues };
  capsules: CapsuleMetadata & {
    degree: number;
    lineage?: Lineage | undefined;
    related?: string[] | undefined;
    references?: TextReferences | undefined;
    preview?: TextPreview | undefined;
  };
  offers: (Offer | QuoteOnlyOffer) & { position: number; references?: TextReferences | undefined };
  pages: PageFrontMatter & { references?: TextReferences | undefined };
  guides: Guide;
}

interface TextCollection<Entry> {
  readonly loader: Loader;
  readonly schema: z.ZodType<Entry>;
}

const SCHEMAS = {
  publisher: Publisher.extend({ shared: z.custom<SharedValues>().describe('What every page shows besides.') }),
  capsules: CapsuleMetadata.extend({
    degree: z.int().describe('Number of relations to other capsules, in both directions.'),
    lineage: Lineage.optional().describe('Absent in large publications.'),
    related: z.array(z.string()).optional().describe('Ids of the nearest capsules by text, nearest first.'),
    references,
    preview: TextPreview.optional().describe('Of a text that is sold.'),
  }),
  offers: z.union([Offer.extend({ position, references }), QuoteOnlyOffer.extend({ position, references })]),
  pages: PageFrontMatter.extend({ references }),
  guides: z.custom<Guide>(),
} as unknown as { readonly [Name in keyof Data]: z.ZodType<Data[Name]> };

/** A collection of what has been read and checked: Astro does not validate entries again, and keeps them by ascending id. */
function collection<Name extends keyof Data>(
  name: Name,
  select: (content: Awaited<ReturnType<SiteSource['content']>>) => Iterable<Entry<Data[Name]>> | Promise<Iterable<Entry<Data[Name]>>>,
): TextCollection<Data[Name]> {
  const loader: Loader = {
    name: `agent-knowledge-gateway-${name}`,
    load: async ({ store, generateDigest }) => {
      const source = siteSource();
      if (source === undefined) return;
      const gone = new Set(store.keys());
      for (const { id, data, body } of await select(await source.content())) {
        gone.delete(id);
        store.set({
          id,
          data: data as Record<string, unknown>,
          ...(body === undefined ? {} : { body }),
          digest: generateDigest({ data, body }),
        });
      }
      for (const id of gone) store.delete(id);
    },
  };
  return defineCollection({ loader, schema: SCHEMAS[name] }) as TextCollection<Data[Name]>;
}

/**
 * The texts of a publication as content collections of Astro: `capsules`, `offers`, `pages`, `guides`, and `publisher` with its only entry
 * `publisher`. The body of an entry is its markdown.
 *
 * @example
 * // src/content.config.ts
 * export { collections } from 'agent-knowledge-gateway/content';
 */
export const collections: { readonly [Name in keyof Data]: TextCollection<Data[Name]> } = {
  publisher: collection('publisher', ({ site: { publisher, ...site }, brand, enginePages, overview }) => [
    { id: PUBLISHER_ENTRY, data: { ...publisher, shared: { site, brand, enginePages, overview } } },
  ]),
  capsules: collection('capsules', capsuleEntries),
  offers: collection('offers', ({ pages }) =>
    positionedOffers(pages).map(({ markdown, ...data }) => ({ id: data.id, data, body: markdown })),
  ),
  pages: collection('pages', ({ pages }) =>
    pages.publisherPages.map(({ id, frontMatter, markdown, references }) => ({ id, data: { ...frontMatter, references }, body: markdown })),
  ),
  guides: collection('guides', ({ site: { mode, features } }) => Promise.all(guidesOf(mode, features).map(guideEntry))),
};

/** Larger publications have entries without texts and lineages, which would fill the memory and slow the development server. */
const COMPLETE_MAX = 2_000;

/** Capsules by ascending id; without texts and lineages also where functions make their pages. */
function capsuleEntries({ site, pages }: SiteContent): Entry<Data['capsules']>[] {
  return pages.capsules.map(({ id, metadata, markdown, lineage, related, degree, references, preview }) => ({
    id,
    ...(site.capsulePages === 'files' && pages.capsules.length <= COMPLETE_MAX
      ? { data: { ...metadata, degree, lineage, related: related && [...related], references, preview }, body: markdown }
      : { data: { ...metadata, degree } }),
  }));
}

async function guideEntry(guide: Guide): Promise<Entry<Data['guides']>> {
  return { id: guide.id, data: guide, body: await readFile(new URL(`./guides/${guide.id}.md`, import.meta.url), 'utf8') };
}
