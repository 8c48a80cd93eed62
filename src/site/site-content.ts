import { ENGINE_DOCUMENTS, type EngineDocumentName } from '../documents/document-registry.ts';
import { enginePages } from '../documents/page-registry.ts';
import type { AuthoredPage, PublishedOffer } from '../publication/authored-content.ts';
import { commerceInForce } from '../publication/offers/make-offers.ts';
import type { PageCapsule, PageContent } from '../publication/publication.ts';
import type { InterfaceLanguage, InterfaceStrings } from '../publication/strings/interface-strings.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { type Features, featuresOf } from '../schemas/features.ts';
import { HOME_PAGE_ID } from '../schemas/paths.ts';
import type { PageFrontMatter, Publisher } from '../schemas/publisher.ts';
import { type CorpusOverview, corpusOverview } from './corpus-overview.ts';
import { type PublishedText, publishedText } from './markdown/published-text.ts';
import { textLabels } from './markdown/text-labels.ts';

/** A capsule for its page, without its text if that is sold. */
export type CapsuleEntry = Pick<PageCapsule, 'id' | 'metadata' | 'markdown' | 'lineage' | 'related' | 'degree' | 'references'>;

/** The id of the only entry of the collection `publisher`. */
export const PUBLISHER_ENTRY = 'publisher';

/** An offer with its text and its position in the publisher's order. */
export type OfferEntry = PublishedOffer & { readonly position: number };

/** All offers that have a page, with their positions: those that are sold, then those that no longer are. */
export function positionedOffers({ offers, discontinuedOffers = [] }: Pick<PageContent, 'offers' | 'discontinuedOffers'>): OfferEntry[] {
  return [...offers, ...discontinuedOffers].map((offer, position) => ({ ...offer, position }));
}

/** A page of the publisher. */
export type PageEntry = Pick<AuthoredPage, 'id' | 'frontMatter' | 'markdown' | 'references'>;

/** Compares pages by their position in lists. */
export function byOrder(a: PageEntry, b: PageEntry): number {
  return a.frontMatter.order - b.frontMatter.order || (a.id < b.id ? -1 : 1);
}

/** Identifiers of a build, for the status page. */
export interface BuildStats {
  readonly corpusVersion?: string;
  readonly corpusDigest?: string;
  /** Id of the key that signed the records; absent if they are unsigned. */
  readonly signingKeyId?: string | undefined;
  readonly sourceCommit?: string | undefined;
}

/** Values for every page. They are few, because the functions bundle contains them for pages on demand. */
export interface Site {
  readonly mode: Deployment['mode'];
  /** Whether the pages of capsules are files, or rendered on demand. */
  readonly capsulePages: Deployment['capsulePages'];
  /** Day and reason of each capsule that was taken down, by id. */
  readonly takenDown?: Deployment['takenDown'];
  readonly publisher: Publisher;
  readonly build: BuildStats;
  /** The publisher's pages, in their order. */
  readonly publisherPages: readonly (Pick<PageFrontMatter, 'title' | 'label' | 'navigation'> & { readonly path: string })[];
  /** What is switched on. */
  readonly features: Features;
  /** Whether a capsule has a subject, so that there is a list of subjects. */
  readonly hasSubjects: boolean;
  /** The page about buying on invoice. */
  readonly invoiceText: PublishedText;
  /** Machine-readable documents that pages link to. */
  readonly machineDocuments: readonly { readonly title: string; readonly path: string }[];
}

/** Documents that pages link to, with the names of their labels in the section `frame` of the strings. */
const LINKED_DOCUMENTS = {
  llms_txt: 'indexForAgents',
  llms_full_txt: 'allCapsulesInOneText',
  offers: 'offerCatalog',
  offers_schema: 'catalogSchema',
  openapi_agent: 'openApiDescription',
  sitemap: 'sitemap',
} as const satisfies Partial<Record<EngineDocumentName, keyof InterfaceStrings['frame']>>;

/** Everything that the pages are made from. */
export interface SiteContent {
  readonly site: Site;
  readonly pages: Pick<PageContent, 'capsules' | 'offers' | 'discontinuedOffers' | 'publisherPages'>;
  readonly overview: CorpusOverview;
  readonly interfaceLanguage: InterfaceLanguage;
}

/** What a build adds to the content. */
export interface SiteBuild extends Pick<Site, 'mode' | 'capsulePages'> {
  readonly stats: BuildStats;
}

/** Everything that the pages are made from, for one build. */
export async function siteContent(pages: PageContent, { mode, capsulePages, stats }: SiteBuild): Promise<SiteContent> {
  const { strings } = pages.interfaceLanguage;
  const written = pages.publisherPages.toSorted(byOrder);
  const features = featuresOf(pages.publisher, pages.offers);
  return {
    site: {
      mode,
      capsulePages,
      ...(pages.takenDown === undefined ? {} : { takenDown: pages.takenDown }),
      publisher: { ...pages.publisher, commerce: commerceInForce(pages.publisher, pages.offers) },
      build: stats,
      publisherPages: written
        .filter(({ id }) => id !== HOME_PAGE_ID)
        .map(({ id, frontMatter: { title, label, navigation } }) => ({ title, label, navigation, path: `/${id}` })),
      features,
      hasSubjects: pages.capsules.some(({ metadata }) => metadata.tags.length > 0),
      invoiceText: await publishedText(enginePages(strings.pages, features).invoice, written, textLabels(pages.interfaceLanguage)),
      machineDocuments: Object.entries(LINKED_DOCUMENTS).flatMap(([linked, label]) =>
        ENGINE_DOCUMENTS.filter(({ name, feature }) => name === linked && (feature === undefined || features[feature])).map(({ path }) => ({
          title: strings.frame[label],
          path,
        })),
      ),
    },
    pages,
    overview: corpusOverview(pages.capsules),
    interfaceLanguage: pages.interfaceLanguage,
  };
}
