import { language, offers as offerStrings } from 'virtual:strings';
import type { Page } from '../documents/page-registry.ts';
import { stateData, statedSummary, statedTitle, stateNote } from '../gateway/knowledge/capsule-status-sentences.ts';
import type { SearchPage } from '../gateway/knowledge/search-results-page.ts';
import { pricedOffers, type TextPrices } from '../schemas/commerce/capsule-price.ts';
import { type Availability, availabilityOf, hasPrice } from '../schemas/commerce/currency-and-availability.ts';
import type { CapsuleMetadata } from '../schemas/knowledge/capsule.ts';
import type { SourceKind } from '../schemas/knowledge/capsule-fields.ts';
import type { Article, OutlineEntry } from '../schemas/knowledge/generation-manifest.ts';
import { SEARCH_PAGE_SIZE } from '../schemas/knowledge/kinds-and-levels.ts';
import { type Subjects, subjectName } from '../schemas/knowledge/sections.ts';
import { type LanguageVersion, languageVersionsOf } from '../schemas/knowledge/translations.ts';
import { licenseUrl } from '../schemas/license.ts';
import { buyPath, capsulePath, PATHS, problemPath, searchPath } from '../schemas/paths.ts';
import type { Cadence } from '../schemas/primitives.ts';
import type { Publisher } from '../schemas/publisher.ts';
import { majorUnits, statedPrices, termSentences } from '../text/prices.ts';
import type { CapsuleEntry, OfferEntry } from './collection-entries.ts';
import { STATE_WORDS } from './format-strings.ts';

export type StructuredData = Readonly<Record<string, unknown>>;

const CONTEXT = 'https://schema.org';

const entity = (type: string, id: string): StructuredData => ({ '@context': CONTEXT, '@type': type, '@id': id });

/** ISO 8601 length of a billing period. */
const BILLING_PERIODS: Readonly<Partial<Record<Cadence, string>>> = { monthly: 'P1M', annual: 'P1Y' };

const SOURCE_TYPES: Readonly<Partial<Record<SourceKind, string>>> = {
  book: 'Book',
  dataset: 'Dataset',
  law: 'Legislation',
  web_page: 'WebPage',
};

/** Members of https://schema.org/ItemAvailability. */
const AVAILABILITIES: Readonly<Record<Availability['status'], string>> = { in_stock: 'InStock', out_of_stock: 'OutOfStock' };

function organization(publisher: Publisher): StructuredData {
  return { '@type': 'Organization', '@id': `${publisher.base_url}/#publisher`, name: publisher.name, url: `${publisher.base_url}/` };
}

export function siteData(publisher: Publisher): StructuredData[] {
  return [
    {
      '@context': CONTEXT,
      ...organization(publisher),
      description: publisher.description,
      ...(publisher.social.length > 0 ? { sameAs: publisher.social.map(({ href }) => href) } : {}),
      contactPoint: { '@type': 'ContactPoint', email: publisher.contact_email, url: `${publisher.base_url}${PATHS.contact}` },
    },
    {
      ...entity('WebSite', siteId(publisher)),
      name: publisher.name,
      url: `${publisher.base_url}/`,
      description: publisher.description,
      inLanguage: publisher.language,
      publisher: { '@id': `${publisher.base_url}/#publisher` },
      potentialAction: {
        '@type': 'SearchAction',
        target: { '@type': 'EntryPoint', urlTemplate: `${publisher.base_url}${PATHS.search}?q={search_term_string}` },
        'query-input': 'required name=search_term_string',
      },
    },
  ];
}

/** A page of results of a search: a browser hands it to the agent whose tool opened the page (WebMCP, declarative API). */
export function searchResultsData(
  publisher: Publisher,
  page: DescribedPage,
  { query, kind, page: number, total, hits }: SearchPage,
): StructuredData {
  const url = publisher.base_url + searchPath(query, number, kind);
  return {
    ...entity('SearchResultsPage', url),
    name: page.title,
    description: page.description,
    url,
    inLanguage: page.language,
    isPartOf: { '@id': siteId(publisher) },
    mainEntity: {
      '@type': 'ItemList',
      numberOfItems: total,
      itemListElement: hits.map(({ title, path, passage, state, replacement }, index) => ({
        '@type': 'ListItem',
        position: (number - 1) * SEARCH_PAGE_SIZE + index + 1,
        name: state ? statedTitle({ ...state, title }, STATE_WORDS) : title,
        description: state ? stateNote(state, STATE_WORDS, replacement?.title) : passage.map(({ text }) => text).join(''),
        url: publisher.base_url + path,
      })),
    },
  };
}

interface DescribedPage extends Pick<Page, 'path' | 'title' | 'description'> {
  readonly language: string;
  /** Day of the last change, `YYYY-MM-DD`. */
  readonly updated?: string | undefined;
  /** The page in all its languages; none without translations. */
  readonly languages?: readonly LanguageVersion[];
}

function translationData(path: string, languages: readonly LanguageVersion[], baseUrl: string): StructuredData {
  const work = ({ path: other, language: inLanguage }: LanguageVersion): StructuredData => ({
    '@type': 'CreativeWork',
    '@id': baseUrl + other,
    url: baseUrl + other,
    inLanguage,
  });
  const original = languages.find(({ isOriginal }) => isOriginal);
  if (original === undefined) return {};
  if (original.path !== path) return { translationOfWork: work(original) };
  return { workTranslation: languages.filter((other) => other !== original).map(work) };
}

/** A page about which nothing more is known, or an article of the documentation. */
export function pageData(publisher: Publisher, type: 'WebPage' | 'TechArticle', page: DescribedPage): StructuredData {
  const url = publisher.base_url + page.path;
  return {
    ...entity(type, url),
    ...(type === 'WebPage' ? { name: page.title } : { headline: page.title, mainEntityOfPage: url, author: organization(publisher) }),
    description: page.description,
    url,
    inLanguage: page.language,
    ...translationData(page.path, page.languages ?? [], publisher.base_url),
    ...(page.updated === undefined ? {} : { dateModified: page.updated }),
    isPartOf: { '@type': 'WebSite', '@id': siteId(publisher), name: publisher.name, url: `${publisher.base_url}/` },
    publisher: organization(publisher),
  };
}

const siteId = ({ base_url }: Publisher): string => `${base_url}/#site`;

/** All capsules as a dataset that can be downloaded, with the day of its newest change and its digest; none without a capsule. */
export function datasetData(
  publisher: Publisher,
  { capsules, updated, digest }: { readonly capsules: number } & Readonly<Record<'updated' | 'digest', string | undefined>>,
): StructuredData[] {
  if (capsules === 0) return [];
  const { base_url: baseUrl, description, name } = publisher;
  const license = licenseUrl(publisher.license);
  const download = (encodingFormat: string, path: string): StructuredData => ({
    '@type': 'DataDownload',
    encodingFormat,
    contentUrl: baseUrl + path,
  });
  return [
    {
      ...entity('Dataset', `${baseUrl}/#capsules`),
      name,
      description,
      url: baseUrl + PATHS.capsules,
      inLanguage: publisher.language,
      isAccessibleForFree: true,
      creator: organization(publisher),
      ...(license === undefined ? {} : { license }),
      ...(updated === undefined ? {} : { dateModified: updated }),
      ...(digest === undefined ? {} : { identifier: digest }),
      distribution: [
        download('text/plain', PATHS.llmsFullTxt),
        download('application/json', PATHS.mirrorManifest),
        download('application/atom+xml', PATHS.feed),
      ],
    },
  ];
}

export function errorTermsData(publisher: Publisher, set: Pick<DescribedPage, 'title' | 'description'>): StructuredData {
  const url = publisher.base_url + PATHS.problems;
  return { ...entity('DefinedTermSet', url), name: set.title, description: set.description, url };
}

export function errorTermData(publisher: Publisher, error: { readonly code: string; readonly explanation: string }): StructuredData {
  const url = publisher.base_url + problemPath(error.code);
  return {
    ...entity('DefinedTerm', url),
    name: error.code,
    termCode: error.code,
    description: error.explanation,
    url,
    inDefinedTermSet: publisher.base_url + PATHS.problems,
  };
}

/** The price list: every offer by its name and page, which has the prices. */
export function offerCatalogData(
  publisher: Publisher,
  page: Pick<DescribedPage, 'title' | 'description' | 'path'>,
  offers: readonly OfferEntry[],
): StructuredData {
  const url = publisher.base_url + page.path;
  return {
    ...entity('OfferCatalog', url),
    name: page.title,
    description: page.description,
    url,
    numberOfItems: offers.length,
    itemListElement: offers.map(({ id, name }, index) => ({
      '@type': 'ListItem',
      position: index + 1,
      name,
      url: publisher.base_url + buyPath(id),
    })),
  };
}

/** Who wrote the newest version of a capsule; `undefined` if that is the publisher. */
export function authorOf(
  { issuer, name }: Pick<Publisher, 'issuer' | 'name'>,
  { lineage }: Pick<CapsuleEntry, 'lineage'>,
): CapsuleEntry['lineage']['versions'][number]['record']['activity']['agent'] | undefined {
  const agent = lineage.versions.at(-1)?.record.activity.agent;
  return agent === undefined || agent.name === issuer || agent.name === name ? undefined : agent;
}

export function capsuleData(
  { publisher, subjects }: { readonly publisher: Publisher; readonly subjects?: Subjects | undefined },
  { metadata, lineage }: Pick<CapsuleEntry, 'metadata' | 'lineage'>,
): StructuredData {
  const url = `${publisher.base_url}${capsulePath(metadata.capsule_id)}`;
  const author = authorOf(publisher, { lineage });
  // The sources do not support a claim that was withdrawn.
  const citation = (metadata.status === 'retracted' ? [] : metadata.sources).map(({ kind, title, url: source, publisher: from }) => ({
    '@type': SOURCE_TYPES[kind] ?? 'CreativeWork',
    name: title,
    url: source,
    publisher: { '@type': 'Organization', name: from },
  }));
  return {
    ...entity('TechArticle', url),
    headline: statedTitle(metadata, STATE_WORDS),
    description: statedSummary(metadata, STATE_WORDS),
    ...stateData(metadata, publisher.base_url, STATE_WORDS),
    url,
    mainEntityOfPage: url,
    inLanguage: metadata.language,
    ...translationData(capsulePath(metadata.capsule_id), languageVersionsOf(metadata), publisher.base_url),
    datePublished: metadata.created,
    dateModified: metadata.updated,
    version: metadata.version,
    ...(licenseUrl(metadata.license) === undefined ? {} : { license: licenseUrl(metadata.license) }),
    usageInfo: publisher.base_url + PATHS.licenseXml,
    ...(metadata.tags.length === 0 ? {} : { keywords: metadata.tags.map((tag) => subjectName(tag, subjects)).join(', ') }),
    isAccessibleForFree: metadata.access === 'public',
    ...(metadata.price && paidData(publisher, metadata, url)),
    wordCount: metadata.words,
    author:
      author === undefined
        ? organization(publisher)
        : { '@type': author.type === 'SoftwareAgent' ? 'SoftwareApplication' : author.type, name: author.name },
    publisher: organization(publisher),
    ...(citation.length === 0 ? {} : { citation }),
  };
}

/** The heading of a text that is a question, whatever its case and punctuation. */
export function headingOf(question: string, { outline }: Pick<Article, 'outline'>): OutlineEntry | undefined {
  const words = (text: string): string =>
    text
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
      .trim();
  return outline.find(({ text }) => words(text) === words(question));
}

/**
 * Questions that are headings of a text, with what stands below them as their answers; nothing without any, or of a text that is retracted. Other
 * questions have no answer of their own on the page, which the guidelines demand.
 *
 * @see {@link https://developers.google.com/search/docs/appearance/structured-data/faqpage Google, FAQ}
 */
export function questionsData(
  { base_url }: Pick<Publisher, 'base_url'>,
  { capsule_id, language: inLanguage, questions = [], status }: CapsuleMetadata,
  text: Article | undefined,
): StructuredData[] {
  const answers = text === undefined || status === 'retracted' ? [] : questions.flatMap((question) => answerOf(question, text));
  if (answers.length === 0) return [];
  return [{ ...entity('FAQPage', `${base_url}${capsulePath(capsule_id)}#faq`), inLanguage, mainEntity: answers }];
}

function answerOf(name: string, article: Article): StructuredData[] {
  const heading = headingOf(name, article);
  if (heading === undefined) return [];
  const { html, outline } = article;
  const placeOf = ({ id }: OutlineEntry): number => html.indexOf(` id="${id}"`);
  const next = outline.slice(outline.indexOf(heading) + 1).find(({ depth }) => depth <= heading.depth);
  const end = next === undefined ? html.length : html.lastIndexOf('<', placeOf(next));
  const below = html.slice(html.indexOf('</h', placeOf(heading)), end).replace(/^<\/h[1-6]>/, '');
  const withoutReferences = below.replace(/<sup\b[^<>]*>(?:[^<]|<(?!\/?sup\b))*<\/sup>/g, '');
  const text = withoutReferences
    .replace(/<[^<>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text === '' ? [] : [{ '@type': 'Question', name, acceptedAnswer: { '@type': 'Answer', text } }];
}

/**
 * The price of a text that is sold, and the class of the element in its place.
 *
 * @see {@link https://developers.google.com/search/docs/appearance/structured-data/paywalled-content Google, paywalled content}
 */
function paidData(publisher: Publisher, text: TextPrices, url: string): StructuredData {
  return {
    hasPart: { '@type': 'WebPageElement', isAccessibleForFree: false, cssSelector: '.paywall' },
    offers: pricedOffers(text, { url, seller: organization(publisher) }),
  };
}

/**
 * An offer as a product with the prices that its checkouts charge; without a price, as a service of which nothing is claimed.
 *
 * @param siteImage Picture of the publication, root-relative, of a product without its own.
 */
export function offerData(publisher: Publisher, offer: OfferEntry, siteImage: string | undefined): StructuredData {
  const url = `${publisher.base_url}${buyPath(offer.id)}`;
  const image = (path: string | undefined) => (path === undefined ? {} : { image: publisher.base_url + path });
  const terms = termSentences(offer, { language, sentences: offerStrings }).join(' ');
  if (!hasPrice(offer))
    return {
      ...entity('Service', url),
      name: offer.name,
      description: `${offer.summary} ${terms}`,
      category: offer.category,
      url,
      ...image(offer.image?.path),
      provider: organization(publisher),
    };
  const period = BILLING_PERIODS[offer.cadence];
  const payable = statedPrices(offer, publisher.display_currency).filter(({ checkoutUrl }) => checkoutUrl !== undefined);
  const offers = payable.map((stated) => {
    const price = { price: majorUnits(stated), priceCurrency: stated.currency };
    return {
      '@type': 'Offer',
      url,
      description: terms,
      ...price,
      ...(offer.validUntil === undefined ? {} : { priceValidUntil: offer.validUntil }),
      availability: `${CONTEXT}/${offer.discontinued === undefined ? AVAILABILITIES[availabilityOf(offer).status] : 'Discontinued'}`,
      seller: organization(publisher),
      ...(period === undefined ? {} : { priceSpecification: { '@type': 'UnitPriceSpecification', ...price, billingDuration: period } }),
    };
  });
  return {
    ...entity('Product', url),
    name: offer.name,
    description: offer.summary,
    category: offer.category,
    sku: offer.id,
    url,
    ...image(offer.image?.path ?? siteImage),
    brand: { '@type': 'Brand', name: publisher.name },
    offers: offers.length === 1 ? offers[0] : offers,
  };
}
