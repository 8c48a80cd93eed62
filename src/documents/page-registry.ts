import type { Deployment } from '../schemas/deployment.ts';
import type { FeatureName, Features } from '../schemas/features.ts';
import { docPath, type GuideId, PATHS } from '../schemas/paths.ts';
import type { InterfaceStrings } from '../text/strings/interface-strings.ts';

/** A page of the engine. Pages in `src/site/routes` and lists of pages take title and description from here. */
export interface Page {
  /** Root-relative address. */
  readonly path: string;
  readonly title: string;
  /** For search engines and lists, 50 to 200 characters. */
  readonly description: string;
  /** Whether the page describes the API, which a frontend-only site does not have. */
  readonly isOfApi?: boolean;
  readonly language?: 'en';
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

/** Pages in the language of the interface, in the order of lists. */
const INTERFACE_PAGES = ['capsules', 'subjects', 'buy', 'pricing', 'checkout', 'invoice', 'contact', 'docs', 'search', 'status'] as const;

/** Pages of the engine except guides. */
export type EnginePages = Readonly<Record<(typeof INTERFACE_PAGES)[number] | keyof typeof API_PAGES, Page>>;

/**
 * Pages of the engine except guides. Their titles and descriptions are `<name>Title` and `<name>Description` of the sentences in
 * `src/text/strings`. A text of the publisher at the same address has its own.
 */
export function enginePages(sentences: InterfaceStrings['pages'], { shop }: Pick<Features, 'shop'>): EnginePages {
  const withoutOffers: Readonly<Record<string, string>> = shop
    ? {}
    : {
        contact: sentences.contactWithoutOffersDescription,
        docs: sentences.docsWithoutOffersDescription,
        search: sentences.searchWithoutOffersDescription,
        status: sentences.statusWithoutOffersDescription,
        ...Object.fromEntries(['buy', 'pricing', 'checkout', 'invoice'].map((name) => [name, sentences.shopWithoutOffersDescription])),
      };
  const titled = INTERFACE_PAGES.map((name): [string, Page] => [
    name,
    { path: PATHS[name], title: sentences[`${name}Title`], description: withoutOffers[name] ?? sentences[`${name}Description`] },
  ]);
  return { ...Object.fromEntries(titled), ...API_PAGES } as EnginePages;
}

/** Groups of guides, in the order of the documentation. */
export const GUIDE_GROUPS = ['Using the API', 'Verifying', 'Buying', 'Contributing'] as const;

/** A guide: its text is `src/site/guides/<id>.md`. */
export interface Guide extends Page {
  readonly id: GuideId;
  readonly group: (typeof GUIDE_GROUPS)[number];
  /** Feature that the guide is about; without it, the site has no such guide. */
  readonly feature?: FeatureName;
}

const guide = (
  id: GuideId,
  group: Guide['group'],
  title: string,
  description: string,
  needs: Pick<Guide, 'isOfApi' | 'feature'>,
): Guide => ({ id, path: docPath(id), group, title, description, language: 'en', ...needs });

const API = { isOfApi: true };

const GUIDES: readonly Guide[] = [
  guide(
    'quickstart',
    'Using the API',
    'Quickstart',
    'Register an agent, run a query, read a capsule and check the quote, with curl; and what this site supports.',
    API,
  ),
  guide(
    'searching',
    'Using the API',
    'Searching',
    'What a query finds, filters, counts and explains, how to page through results, and how to connect over MCP.',
    API,
  ),
  guide(
    'agent-keys',
    'Using the API',
    'Registration and keys',
    'How an agent registers and gets scopes, solves a challenge, and rotates or revokes its API key.',
    API,
  ),
  guide(
    'limits',
    'Using the API',
    'Limits',
    'Every rate limit, quota and budget: its size, what it counts, and what to do when it is reached.',
    API,
  ),
  guide(
    'verifying',
    'Verifying',
    'Verifying',
    'How to check that a quote, a capsule, a lineage or the whole corpus is what the publisher published.',
    {},
  ),
  guide(
    'paying',
    'Buying',
    'Paying for capsules',
    'How an agent pays for the text of a paid capsule with x402 or MPP, and what to do when a response is lost.',
    { ...API, feature: 'payments' },
  ),
  guide(
    'agentic-commerce',
    'Buying',
    'Buying with the Agentic Commerce Protocol',
    'How an agent opens and completes a checkout session with ACP, and receives signed order events.',
    { ...API, feature: 'acp' },
  ),
  guide(
    'universal-commerce',
    'Buying',
    'Buying with the Universal Commerce Protocol',
    'How an agent searches the catalog and opens a checkout with UCP, over HTTP or MCP, and links to a cart.',
    { ...API, feature: 'ucp' },
  ),
  guide(
    'proposing',
    'Contributing',
    'Proposing capsules and corrections',
    'How an agent proposes a capsule or a correction, what a proposal must meet, and how to follow its status.',
    { ...API, feature: 'intake' },
  ),
];

/** The guides about what is switched on, by group and in reading order. */
export function guidesOf(mode: Deployment['mode'], features: Features): readonly Guide[] {
  return GUIDES.filter(({ isOfApi, feature }) => (mode === 'edge' || !isOfApi) && (feature === undefined || features[feature]));
}
