import type { Deployment } from '../schemas/deployment.ts';
import { docPath, type GuideId, PATHS } from '../schemas/paths.ts';

/** A page of the engine. Pages in `src/site/pages` and lists of pages take title and description from here. */
export interface Page {
  /** Root-relative address. */
  readonly path: string;
  readonly title: string;
  /** For search engines and lists, 50 to 200 characters. */
  readonly description: string;
  /** Whether the page describes the API, which a frontend-only site does not have. */
  readonly isOfApi?: boolean;
}

/** Pages of the engine except guides. A text of the publisher at the same address has its own title and description. */
export const PAGES = {
  capsules: {
    path: PATHS.capsules,
    title: 'Capsules',
    description: 'All capsules by type and by tag, each with its claim, its evidence and its status.',
  },
  buy: {
    path: PATHS.buy,
    title: 'Price list',
    description: 'Everything that is sold here, with prices in US dollars and terms side by side.',
  },
  pricing: {
    path: PATHS.pricing,
    title: 'Pricing',
    description: 'What each offer costs and includes, with delivery, refund and the last day of its price.',
  },
  checkout: {
    path: PATHS.checkout,
    title: 'Checkout',
    description: 'How to buy an offer, and the checkout address of every offer in the catalog.',
  },
  invoice: {
    path: PATHS.invoice,
    title: 'Buying on invoice',
    description: 'How to request an invoice instead of paying at checkout, and what to send.',
  },
  contact: {
    path: PATHS.contact,
    title: 'Contact',
    description: 'Where to send questions, corrections, orders and reports of security problems.',
  },
  docs: {
    path: PATHS.docs,
    title: 'Documentation',
    description: 'How to read, query and verify this site, and how to buy from it, for people and for programs.',
  },
  api: {
    path: PATHS.api,
    title: 'API operations',
    description: 'Every operation of the API with its request, its response, its limits and its errors.',
    isOfApi: true,
  },
  problems: {
    path: PATHS.problems,
    title: 'Errors',
    description: 'Every error code of the API with its HTTP status, its cause and what to do about it.',
    isOfApi: true,
  },
  status: {
    path: PATHS.status,
    title: 'Status',
    description: 'What this build contains: capsules, versions, sources and offers, and the day of the newest change.',
  },
} as const satisfies Readonly<Record<string, Page>>;

/** Groups of guides, in the order of the documentation. */
export const GUIDE_GROUPS = ['Using the API', 'Verifying', 'Buying', 'Contributing'] as const;

/** A guide: its text is `src/site/guides/<id>.md`. */
export interface Guide extends Page {
  readonly id: GuideId;
  readonly group: (typeof GUIDE_GROUPS)[number];
  /** Protocol that the guide is about; without it, the site has no such guide. */
  readonly protocol?: 'acp' | 'ucp';
}

const guide = (
  id: GuideId,
  group: Guide['group'],
  title: string,
  description: string,
  needs: Pick<Guide, 'isOfApi' | 'protocol'>,
): Guide => ({ id, path: docPath(id), group, title, description, ...needs });

const API = { isOfApi: true };

const GUIDES: readonly Guide[] = [
  guide(
    'quickstart',
    'Using the API',
    'Quickstart',
    'Register an agent, run a query, read a capsule with its lineage and check the quote, with curl.',
    API,
  ),
  guide(
    'searching',
    'Using the API',
    'Searching',
    'What a query finds, filters, counts and explains, and how to page through its results.',
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
    API,
  ),
  guide(
    'agentic-commerce',
    'Buying',
    'Buying with the Agentic Commerce Protocol',
    'How an agent opens and completes a checkout session with ACP, and receives signed order events.',
    { ...API, protocol: 'acp' },
  ),
  guide(
    'universal-commerce',
    'Buying',
    'Buying with the Universal Commerce Protocol',
    'How an agent searches the catalog and opens a checkout with UCP, over HTTP or MCP, and links to a cart.',
    { ...API, protocol: 'ucp' },
  ),
  guide(
    'proposing',
    'Contributing',
    'Proposing capsules and corrections',
    'How an agent proposes a capsule or a correction, what a proposal must meet, and how to follow its status.',
    API,
  ),
];

/** The guides of a deployment, by group and in reading order. */
export function guidesOf({
  mode,
  commerce,
}: Pick<Deployment, 'mode'> & { readonly commerce: Pick<Deployment['commerce'], 'acp' | 'ucp'> }): readonly Guide[] {
  return GUIDES.filter(({ isOfApi, protocol }) => (mode === 'edge' || !isOfApi) && (protocol === undefined || commerce[protocol]));
}
