import { ENGINE_DOCUMENTS, type EngineDocumentName } from '../documents/document-registry.ts';
import { type EnginePages, enginePages, pageLanguages } from '../documents/page-registry.ts';
import { commerceInForce } from '../publication/publish/make-offers.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { type Features, featuresOf } from '../schemas/feature-switches.ts';
import { type Incident, isOpen } from '../schemas/incidents.ts';
import { EVIDENCE_LEVELS } from '../schemas/knowledge/kinds-and-levels.ts';
import { capsulesOf, inReadingOrder, type Section, type Subjects } from '../schemas/knowledge/sections.ts';
import type { LanguageVersion } from '../schemas/knowledge/translations.ts';
import { HOME_PAGE_ID } from '../schemas/paths.ts';
import type { PageFrontMatter, Publisher } from '../schemas/publisher.ts';
import type { AuthoredPage, FreeCapsule, PageContent, PublishedOffer } from '../text/publication-model.ts';
import type { InterfaceLanguage, InterfaceStrings } from '../text/strings/interface-strings.ts';
import { type PublishedText, publishedText } from './markdown/render-markdown.ts';
import { textLabels } from './markdown/text-labels.ts';

/** A capsule for its page, without its text if that is sold. */
export type CapsuleEntry = Pick<FreeCapsule, 'id' | 'metadata' | 'markdown' | 'lineage' | 'related' | 'degree' | 'references' | 'preview'>;

export const PUBLISHER_ENTRY = 'publisher';

export type OfferEntry = PublishedOffer & { readonly position: number };

/** All offers that have a page, with their positions: those that are sold, then those that no longer are. */
export function positionedOffers({ offers, discontinuedOffers }: Pick<PageContent, 'offers' | 'discontinuedOffers'>): OfferEntry[] {
  return [...offers, ...discontinuedOffers].map((offer, position) => ({ ...offer, position }));
}

export type PageEntry = Pick<AuthoredPage, 'id' | 'frontMatter' | 'markdown' | 'references'>;

export function byOrder(a: PageEntry, b: PageEntry): number {
  return a.frontMatter.order - b.frontMatter.order || (a.id < b.id ? -1 : 1);
}

interface BuildStats {
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
  readonly takenDown?: Deployment['takenDown'];
  readonly publisher: Publisher;
  readonly build: BuildStats;
  /** By path, the pages of the publisher that have translations in all their languages. */
  readonly pageLanguages?: Readonly<Record<string, readonly LanguageVersion[]>>;
  readonly publisherPages: readonly (Pick<PageFrontMatter, 'title' | 'label' | 'navigation' | 'language'> & { readonly path: string })[];
  readonly features: Features;
  /** Whether a capsule has a subject, so that there is a list of subjects. */
  readonly hasSubjects: boolean;
  /** Incidents that the status page lists, newest first. */
  readonly incidents: readonly Incident[];
  readonly invoiceText: PublishedText;
  /** The sections of the capsules, and the titles of those that they name, by id; absent without sections. */
  readonly sections?: { readonly tree: readonly Section[]; readonly titles: Readonly<Record<string, string>> };
  /** Subjects that the publication describes, by their tags; absent without any. */
  readonly subjects?: Subjects;
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

export interface SiteContent {
  readonly site: Site;
  readonly pages: Pick<PageContent, 'capsules' | 'offers' | 'discontinuedOffers' | 'publisherPages'>;
  readonly enginePages: EnginePages;
  readonly overview: CorpusOverview;
  readonly interfaceLanguage: InterfaceLanguage;
}

export async function siteContent(
  pages: PageContent,
  { mode, capsulePages, stats }: Pick<Site, 'mode' | 'capsulePages'> & { readonly stats: BuildStats },
): Promise<SiteContent> {
  const { strings } = pages.interfaceLanguage;
  const written = pages.publisherPages.toSorted(byOrder);
  const features = featuresOf(pages.publisher, pages.offers);
  const engine = enginePages(strings.pages, features);
  const languages = pageLanguages(written, pages.publisher);
  return {
    site: {
      mode,
      capsulePages,
      ...(pages.takenDown === undefined ? {} : { takenDown: pages.takenDown }),
      publisher: { ...pages.publisher, commerce: commerceInForce(pages.publisher, pages.offers) },
      build: stats,
      ...(Object.keys(languages).length === 0 ? {} : { pageLanguages: languages }),
      publisherPages: written
        .filter(({ id }) => id !== HOME_PAGE_ID)
        .map(({ id, frontMatter: { title, label, navigation, language } }) => ({ title, label, navigation, language, path: `/${id}` })),
      features,
      hasSubjects: pages.capsules.some(({ metadata }) => metadata.tags.length > 0),
      ...(pages.sections === undefined ? {} : { sections: { tree: pages.sections, titles: titlesIn(pages.sections, pages.capsules) } }),
      ...(pages.subjects === undefined ? {} : { subjects: pages.subjects }),
      incidents: shownIncidents(pages.incidents ?? []),
      invoiceText: await publishedText(engine.invoice, written, textLabels(pages.interfaceLanguage)),
      machineDocuments: Object.entries(LINKED_DOCUMENTS).flatMap(([linked, label]) =>
        ENGINE_DOCUMENTS.filter(({ name, feature }) => name === linked && (feature === undefined || features[feature])).map(({ path }) => ({
          title: strings.frame[label],
          path,
        })),
      ),
    },
    pages,
    enginePages: engine,
    overview: corpusOverview(pages.capsules, pages.sections),
    interfaceLanguage: pages.interfaceLanguage,
  };
}

/** Resolved incidents on the status page. Open ones are all shown. */
const RESOLVED_SHOWN = 20;

function shownIncidents(incidents: readonly Incident[]): Incident[] {
  const resolved = incidents.filter((incident) => !isOpen(incident)).slice(0, RESOLVED_SHOWN);
  return incidents.filter((incident) => isOpen(incident) || resolved.includes(incident));
}

function titlesIn(sections: readonly Section[], capsules: readonly Pick<FreeCapsule, 'id' | 'metadata'>[]): Record<string, string> {
  const named = new Set(sections.flatMap(capsulesOf));
  return Object.fromEntries(capsules.flatMap(({ id, metadata }) => (named.has(id) ? [[id, metadata.title]] : [])));
}

type OverviewCapsule = Pick<CapsuleEntry, 'id' | 'metadata' | 'degree'>;

/** What pages other than those of capsules and their lists show of a corpus: a few values, whatever its size. */
export interface CorpusOverview {
  readonly counts: ReturnType<typeof countCapsules>;
  /** Current capsules that were published last. */
  readonly newest: readonly OverviewCapsule[];
  /** Current capsules with the most relations; none without any relation. */
  readonly mostConnected: readonly OverviewCapsule[];
  /** A capsule for examples: current and free, with as many relations as possible. */
  readonly connectedExample: OverviewCapsule | undefined;
  /** A capsule for examples in guides: the first one that is current and free, or else the first one. */
  readonly firstExample: OverviewCapsule | undefined;
}

const SHOWN = 5;

/** @param sections Among capsules that are alike, those that are read first come first. */
export function corpusOverview(all: readonly OverviewCapsule[], sections: readonly Section[] | undefined): CorpusOverview {
  const capsules = inReadingOrder(all, sections);
  const shown = ({ id, metadata, degree }: OverviewCapsule): OverviewCapsule => ({ id, metadata, degree });
  const current = capsules.filter(({ metadata }) => metadata.status === 'current');
  const free = current.filter(({ metadata }) => metadata.access === 'public');
  return {
    counts: countCapsules(capsules),
    newest: current
      .toSorted(({ metadata: a }, { metadata: b }) => descending(a.created, b.created) || descending(a.updated, b.updated))
      .slice(0, SHOWN)
      .map(shown),
    mostConnected: byDegree(current)
      .filter(({ degree }) => degree > 0)
      .slice(0, SHOWN)
      .map(shown),
    connectedExample: byDegree(free).slice(0, 1).map(shown)[0],
    firstExample: [...free, ...capsules].slice(0, 1).map(shown)[0],
  };
}

/** Counts of the current versions of all capsules. `sources` are distinct addresses; `evidence` begins with the strongest. */
function countCapsules(capsules: readonly OverviewCapsule[]) {
  const all = capsules.map(({ metadata }) => metadata);
  return {
    capsules: all.length,
    superseded: all.filter(({ status }) => status === 'superseded').length,
    retracted: all.filter(({ status }) => status === 'retracted').length,
    versions: all.reduce((sum, { versions }) => sum + versions.length, 0),
    sources: new Set(all.flatMap(({ sources }) => sources.map(({ url }) => url))).size,
    sourced: all.filter(({ sources }) => sources.length > 0).length,
    tags: new Set(all.flatMap(({ tags }) => tags)).size,
    words: all.reduce((sum, { words }) => sum + words, 0),
    /** `undefined` without capsules. */
    newestChange: all
      .map(({ updated }) => updated)
      .sort()
      .at(-1),
    oldest: all.map(({ created }) => created).sort()[0],
    evidence: EVIDENCE_LEVELS.toReversed().map((level) => ({ level, count: all.filter(({ evidence }) => evidence === level).length })),
  };
}

function byDegree(capsules: readonly OverviewCapsule[]): OverviewCapsule[] {
  return capsules.toSorted((a, b) => b.degree - a.degree);
}

function descending(a: string, b: string): number {
  return a === b ? 0 : a > b ? -1 : 1;
}
