import { catalogUpdated } from '../gateway/commerce/catalog/catalog-document.ts';
import { ERRORS, type ErrorCode, errorEntry } from '../gateway/errors.ts';
import { errorsOf } from '../http/define-route.ts';
import type { ProtocolSettings } from '../protocols/protocol-module.ts';
import type { AuthoredContent } from '../publication/authored-content.ts';
import { pagePath } from '../publication/resolve/site-addresses.ts';
import { describedRoutes } from '../routes/route-table.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { type FeatureName, type Features, featuresOf } from '../schemas/feature-switches.ts';
import { allSections } from '../schemas/knowledge/sections.ts';
import { type LanguageVersion, languageVersionsIn } from '../schemas/knowledge/translations.ts';
import { buyPath, docPath, type GuideId, HOME_PAGE_ID, operationPath, PATHS, problemPath, sectionPath } from '../schemas/paths.ts';
import type { Publisher } from '../schemas/publisher.ts';
import type { AuthoredPage, DocumentPage, PublishedOffer } from '../text/publication-model.ts';
import type { InterfaceStrings } from '../text/strings/interface-strings.ts';
import { formatMessage } from '../text/strings/message-format.ts';

/** A page of the engine. Pages in `src/site/routes` and lists of pages take title and description from here. */
export interface Page {
  readonly path: string;
  readonly title: string;
  /** For search engines and lists, 50 to 200 characters. */
  readonly description: string;
  /** Whether the page describes the API, which a frontend-only site does not have. */
  readonly isOfApi?: boolean;
  readonly language?: string | undefined;
}

/** Pages about the API, which are for developers and in English, as guides are. */
const API_PAGES = {
  api: {
    path: PATHS.api,
    title: 'API operations',
    description: 'Every operation of the API with its request, its response, its limits and its errors.',
    isOfApi: true,
    language: 'en',
  },
  problems: {
    path: PATHS.problems,
    title: 'Errors',
    description: 'Every error code of the API with its HTTP status, its cause and what to do about it.',
    isOfApi: true,
    language: 'en',
  },
} as const satisfies Readonly<Record<string, Page>>;

/** Pages in the language of the interface: those whose titles are in `pages` of `src/text/strings`, in its order. */
type InterfacePageName = NamesBefore<keyof InterfaceStrings['pages'], 'Title'>;
type NamesBefore<Key extends string, Ending extends string> = Key extends `${infer Name}${Ending}` ? Name : never;

export type EnginePages = Readonly<Record<InterfacePageName | keyof typeof API_PAGES, Page>>;

/** Pages of the engine except guides. The address is that of {@link PATHS}, or else the name. A text of the publisher there has its own title. */
export function enginePages(sentences: InterfaceStrings['pages'], { shop }: Pick<Features, 'shop'>): EnginePages {
  const words: Readonly<Record<string, string>> = sentences;
  const addresses: Readonly<Record<string, unknown>> = PATHS;
  const names = Object.keys(words).flatMap((key) => /^(.+)Title$/.exec(key)?.[1] ?? []);
  const titled = names.map((name): [string, Page] => {
    const path = addresses[name];
    const withoutOffers = SHOP_PAGES.includes(name) ? words['shopWithoutOffersDescription'] : words[`${name}WithoutOffersDescription`];
    return [
      name,
      {
        path: typeof path === 'string' ? path : `/${name}`,
        title: words[`${name}Title`] ?? '',
        description: (shop ? undefined : withoutOffers) ?? words[`${name}Description`] ?? '',
      },
    ];
  });
  return { ...Object.fromEntries(titled), ...API_PAGES } as EnginePages;
}

/** Pages about buying: nothing leads to them where nothing is for sale, and they say so. */
const SHOP_PAGES: readonly string[] = ['buy', 'pricing', 'checkout', 'invoice'] satisfies (keyof EnginePages)[];

/** Pages that have a place of their own in lists; the others follow, and are about this site. */
const PLACED: readonly string[] = ['capsules', 'subjects', 'docs', 'search', 'contact', 'watch', 'api', 'problems', ...SHOP_PAGES];

export function pagesAboutSite(engine: EnginePages): Page[] {
  return Object.entries<Page>(engine).flatMap(([name, page]) => (PLACED.includes(name) ? [] : [page]));
}

/** Whether agents can buy here, over x402 or the Agentic Commerce Protocol: a page then shows how. */
export function hasPurchase(mode: Deployment['mode'], { x402, acp }: Pick<Features, 'x402' | 'acp'>): boolean {
  return mode === 'edge' && (x402 || acp);
}

/** Title and description of each guide, by group. */
const GUIDE_TEXTS = {
  'Using the API': {
    quickstart: [
      'Quickstart',
      'Register an agent, run a query, read a capsule and check the quote, with curl; and what this site supports.',
    ],
    searching: ['Searching', 'What a query finds, filters, counts and explains, how to page through results, and how to connect over MCP.'],
    'agent-keys': [
      'Registration and keys',
      'How an agent registers and gets scopes, solves a challenge, and rotates or revokes its API key.',
    ],
    limits: ['Limits', 'Every rate limit, quota and budget: its size, what it counts, and what to do when it is reached.'],
  },
  Verifying: {
    verifying: ['Verifying', 'How to check that a quote, a capsule, a lineage or the whole corpus is what the publisher published.'],
  },
  Buying: {
    paying: [
      'Paying for capsules',
      'How an agent pays for the text of a paid capsule with x402 or MPP, and what to do when a response is lost.',
    ],
    'agentic-commerce': [
      'Buying with the Agentic Commerce Protocol',
      'How an agent opens and completes a checkout session with ACP, and receives signed order events.',
    ],
    'universal-commerce': [
      'Buying with the Universal Commerce Protocol',
      'How an agent searches the catalog and opens a checkout with UCP, over HTTP or MCP, and links to a cart.',
    ],
  },
  Contributing: {
    proposing: [
      'Proposing capsules and corrections',
      'How an agent proposes a capsule or a correction, what a proposal must meet, and how to follow its status.',
    ],
  },
} as const satisfies Readonly<Record<string, Readonly<Partial<Record<GuideId, readonly [title: string, description: string]>>>>>;

/** A guide: its text is `src/site/guides/<id>.md`. */
export interface Guide extends Page {
  readonly id: GuideId;
  readonly group: keyof typeof GUIDE_TEXTS;
  /** Feature that the guide is about; without it, the site has no such guide. */
  readonly feature: FeatureName | undefined;
}

export const GUIDE_GROUPS = Object.keys(GUIDE_TEXTS) as Guide['group'][];

const GUIDE_FEATURES: Readonly<Partial<Record<GuideId, FeatureName>>> = {
  paying: 'payments',
  'agentic-commerce': 'acp',
  'universal-commerce': 'ucp',
  proposing: 'intake',
};

const GUIDES: readonly Guide[] = GUIDE_GROUPS.flatMap((group) =>
  Object.entries<readonly [string, string]>(GUIDE_TEXTS[group]).map(([name, [title, description]]) => {
    const id = name as GuideId;
    return { id, path: docPath(id), group, title, description, language: 'en', isOfApi: id !== 'verifying', feature: GUIDE_FEATURES[id] };
  }),
);

export function guidesOf(mode: Deployment['mode'], features: Features): readonly Guide[] {
  return GUIDES.filter(({ isOfApi, feature }) => (mode === 'edge' || !isOfApi) && (feature === undefined || features[feature]));
}

/** Every page except those of capsules, for sitemaps and lists of pages. */
export function sitePages(
  { publisher, interfaceLanguage, capsules, pages }: AuthoredContent,
  offers: readonly PublishedOffer[],
  deployment: Deployment,
): DocumentPage[] {
  const { strings, tag } = interfaceLanguage;
  const features = featuresOf(publisher, offers);
  const engine = enginePages(strings.pages, features);
  const changes = capsules.map(({ frontMatter }) => frontMatter.updated).sort();
  const newest = changes.at(-1) ?? publisher.updated;
  const catalogDay = catalogUpdated(offers, publisher);
  const listed = ({ path, title, description }: Page, updated = newest): DocumentPage => ({ path, title, description, updated });
  const written = pages
    .filter(({ id }) => id !== HOME_PAGE_ID)
    .map(({ id, frontMatter: { title, description, updated } }) => listed({ path: `/${id}`, title, description }, updated));
  const hidden: string[] = [
    // Results of searches belong in no list and no search engine.
    PATHS.search,
    ...(features.shop ? [] : [PATHS.buy, PATHS.checkout, PATHS.invoice]),
    ...(capsules.some(({ frontMatter }) => frontMatter.tags.length > 0) ? [] : [PATHS.subjects]),
  ];
  const isShown = ({ path }: Pick<Page, 'path'>): boolean => !hidden.includes(path);
  const isWritten = ({ path }: Page): boolean => written.some((page) => page.path === path);
  const withoutText = [engine.checkout, engine.invoice, engine.contact].filter((page) => isShown(page) && !isWritten(page));
  return [
    listed({ path: PATHS.home, title: publisher.name, description: publisher.tagline }),
    ...[engine.capsules, engine.subjects].filter(isShown).map((page) => listed(page)),
    ...allSections(deployment.sections ?? []).map(({ section: { id, title, introduction } }) => {
      const description = introduction ?? formatMessage(strings.capsules.sectionDescription, { section: title }, tag);
      return listed({ path: sectionPath(id), title, description });
    }),
    // The other address of the shop names this one as canonical.
    ...[engine.buy].filter(isShown).map((page) => listed(page, catalogDay)),
    ...offers.map(({ id, name, summary, updated }) => listed({ path: buyPath(id), title: name, description: summary }, updated)),
    listed(engine.docs),
    ...guidesOf(deployment.mode, features).map((page) => listed(page)),
    ...(hasPurchase(deployment.mode, features) ? [listed(engine.watch, catalogDay)] : []),
    ...(deployment.mode === 'edge' ? apiPages(engine, deployment, features).map((page) => listed(page)) : []),
    ...written,
    ...withoutText.map((page) => listed(page, publisher.updated)),
    ...pagesAboutSite(engine)
      .filter((page) => !isWritten(page))
      .map((page) => listed(page)),
  ];
}

function apiPages({ api, problems }: EnginePages, deployment: Deployment, features: Features): Page[] {
  return [
    api,
    ...describedRoutes(deployment, features).map(({ id, summary: title, description }) => ({
      path: operationPath(id),
      title,
      description,
    })),
    problems,
    ...describedErrors(deployment, features).map((code) => {
      const { title, explanation: description } = ERRORS[code];
      return { path: problemPath(code), title, description };
    }),
  ];
}

export type ErrorPage = ReturnType<typeof errorPages>[number];

/** Errors of the operations that are described, and those of addresses that lead nowhere. */
export function describedErrors(settings: ProtocolSettings, features: Features): ErrorCode[] {
  const described = new Set<ErrorCode>(['route_not_found', 'method_not_allowed', ...describedRoutes(settings, features).flatMap(errorsOf)]);
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => described.has(code));
}

const RETRY_WORDS = {
  never: 'The same request will fail again.',
  later: 'The same request can succeed later.',
  changed: 'The request can succeed once it is changed.',
} as const;

/** Every error code, in ascending order of status, then by code. */
export function errorPages() {
  return (Object.keys(ERRORS) as ErrorCode[])
    .map((code) => {
      const { status, title, explanation, retry, nextActions } = errorEntry(code);
      return { code, status, title, explanation, retry: RETRY_WORDS[retry], nextActions };
    })
    .sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1));
}

/** By path, the pages of the publisher that have translations in all their languages. */
export function pageLanguages(
  pages: readonly Pick<AuthoredPage, 'id' | 'frontMatter'>[],
  { language }: Pick<Publisher, 'language'>,
): Readonly<Record<string, readonly LanguageVersion[]>> {
  const texts = pages.map(({ id, frontMatter }) => ({ ...frontMatter, id, language: frontMatter.language ?? language }));
  return Object.fromEntries([...languageVersionsIn(texts, pagePath)].map(([id, versions]) => [pagePath(id), versions]));
}
