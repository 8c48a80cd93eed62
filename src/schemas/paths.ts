import * as PATHS from './fixed-paths.ts';

export { PATHS };

/** The path below which a site is, without a slash at its end: `/notes` of `https://ada.github.io/notes`, empty for a host of its own. */
export const basePathOf = (baseUrl: string): string => new URL(baseUrl).pathname.replace(/\/$/, '');
/** Whether programs ask for a document at the origin (RFC 8615 section 3, RFC 9309 section 2.3): a site below a path has none. Keys and skills are linked. */
const standsAtOrigin = (path: string): boolean =>
  path === PATHS.robots || (path.startsWith('/.well-known/') && path !== PATHS.jwks && !path.endsWith('/SKILL.md'));
/** Whether a site has a document, as far as its `base_url` decides. */
export const isAtBase = (path: string, baseUrl: string): boolean => basePathOf(baseUrl) === '' || !standsAtOrigin(path);
/** Address of the page for addresses that nothing has; hosts look for its file under this name. */
const MISSING_PAGE = '/404';
/** The file of a page in either form of a static site: `/x.html`, which hosts answer at `/x`, or `/x/index.html`. */
export function pageFilePath(path: string, form: 'file' | 'directory'): string {
  const name = path.replace(/\/$/, '');
  if (name === '') return '/index.html';
  return form === 'directory' && name !== MISSING_PAGE ? `${name}/index.html` : `${name}.html`;
}
/** The did:web of a host, whose port is percent-encoded, and of a path, with colons for its slashes (did:web method specification, section 3.1). */
export function didWebOf(url: string): string {
  const path = basePathOf(url).replaceAll('/', ':').replaceAll('~', '%7E');
  return `did:web:${new URL(url).host.replace(':', '%3A')}${path}`;
}
/** The document of the site's did:web (did:web method specification, section 3.2). */
export const didPath = (baseUrl: string): string => (basePathOf(baseUrl) === '' ? PATHS.did : '/did.json');
/** The markdown of a page: `/index.md` of the home page, else the address of the page with `.md` at its end. */
export const pageMarkdownPath = (path: string): string => (path === PATHS.home ? '/index.md' : `${path}.md`);
export const capsulePath = (id: string): string => `${PATHS.capsules}/${id}`;
export const searchPath = (query: string, page = 1, kind?: string): string =>
  `${PATHS.search}?${new URLSearchParams({ q: query, ...(kind === undefined ? {} : { kind }), ...(page === 1 ? {} : { page: `${page}` }) })}`;
/** Page of a list of capsules, counted from 1: `/capsules/type/concept`, `/capsules/type/concept/2`. */
export const capsuleListPath = (name: string, value: string, page: number): string => numbered(`${PATHS.capsules}/${name}/${value}`, page);
export const subjectPath = (tag: string, page = 1): string => numbered(`${PATHS.subjects}/${tag}`, page);
/** Page of the list of subjects, counted from 1. No tag has an underscore. */
export const subjectsPath = (page = 1): string => (page === 1 ? PATHS.subjects : numbered(`${PATHS.subjects}/_`, page));
export const sectionPath = (id: string): string => `${PATHS.sections}/${id}`;
/** Exact, immutable bytes of one version of a capsule. */
export const capsuleVersionPath = (id: string, version: string): string => `${PATHS.capsules}/${id}/${version}.md`;
/** The page of an earlier version; where functions serve the pages of capsules, it redirects to the exact text. */
export const capsuleVersionPagePath = (id: string, version: string): string => `${PATHS.capsules}/${id}/${version}`;
/** The picture of links to a capsule; apart from its other addresses, which functions may serve. */
export const capsuleImagePath = (id: string): string => `/share/${id}.png`;
/** A capsule's page as markdown, its alternate format: with front matter and a numbered list of sources. */
export const capsuleMarkdownPath = (id: string): string => pageMarkdownPath(capsulePath(id));
export const capsuleFilePath = (id: string): string => `${PATHS.capsules}/${id}/capsule.json`;
/** What the address of a paid capsule shows to the holder of a pass. */
export const openedPagePath = (id: string): string => `${PATHS.capsules}/${id}/opened`;
export const lineageFilePath = (id: string): string => `${PATHS.capsules}/${id}/lineage.json`;
export const operationSlicePath = (operationId: string): string => `${PATHS.openApiSlices}/${operationId}.json`;
export const bundlePartPath = (sha256: string): string => `${PATHS.mirror}/${sha256}.ndjson`;
/** A part of the list of capsules of one subject for language models, counted from 1. */
export const subjectListPath = (subject: string, part: number): string =>
  `${PATHS.llmsSubjects}/${subject}${part === 1 ? '' : `/${part}`}.txt`;
export const sitemapPartPath = (part: number): string => `${PATHS.sitemapParts}/${part}.xml`;
export const agentSkillPath = (name: string): string => `${PATHS.agentSkills}/${name}/SKILL.md`;
/** A block of the search in browsers, compressed with gzip whatever the host does. */
export const searchBlockPath = (sha256: string): string => `${PATHS.searchBlocks}/${sha256}.bin`;
export const blockPath = (sha256: string): string => `/_blocks/${sha256}`;
export const capsuleApiPath = (id: string): string => `${PATHS.gateway}/capsule/${id}`;
export const lineageApiPath = (id: string): string => `${PATHS.gateway}/capsule/${id}/lineage`;
export const relatedApiPath = (id: string): string => `${PATHS.gateway}/capsule/${id}/related`;
export const quoteApiPath = (id: string): string => `${PATHS.gateway}/capsule/${id}/quote`;
export const submissionApiPath = (receipt: string): string => `${PATHS.publicCapsules}/intake/${receipt}`;
export const buyPath = (idOrAlias: string): string => `${PATHS.buy}/${idOrAlias}`;
/** Where functions lead on to the checkout of an offer. */
export const checkoutPath = (offerId: string, currency: string): string =>
  `${buyPath(offerId)}?go${currency === 'USD' ? '' : `&currency=${currency}`}`;

const TEST_CHECKOUTS = '/test-checkout';
/** The page where nothing is charged, in place of a checkout on a host that does not exist; its sample receipt is below it. */
export const testCheckoutPath = (offerId: string, currency: string): string =>
  `${TEST_CHECKOUTS}/${offerId}${currency === 'USD' ? '' : `/${currency.toLowerCase()}`}`;
export const sampleReceiptPath = (testCheckout: string): string => `${testCheckout}/receipt`;
export const isTestCheckout = (checkoutUrl: string, baseUrl: string): boolean => checkoutUrl.startsWith(`${baseUrl}${TEST_CHECKOUTS}/`);
export const checkoutSessionPath = (sessionId: string): string => `${PATHS.checkout}/${sessionId}`;
export const checkoutItemsPath = (items: readonly { readonly id: string; readonly quantity: number }[]): string =>
  `${PATHS.checkout}?items=${items.map(({ id, quantity }) => `${id}:${quantity}`).join(',')}`;
export const INVOICE_REQUESTS_PATH = `${PATHS.commerceApi}/invoice-requests`;
export const invoiceItemsPath = (items: readonly { readonly id: string; readonly quantity: number }[]): string =>
  `${PATHS.invoice}?items=${items.map(({ id, quantity }) => `${id}:${quantity}`).join(',')}`;
export const orderPath = (receipt: string): string => `${PATHS.orders}/${receipt}`;
export const deliveryPath = (receipt: string, name: string): string => `${orderPath(receipt)}/${name}`;
export const GUIDE_IDS = [
  'quickstart',
  'searching',
  'agent-keys',
  'limits',
  'verifying',
  'paying',
  'agentic-commerce',
  'universal-commerce',
  'proposing',
] as const;
export type GuideId = (typeof GUIDE_IDS)[number];
export const docPath = (id: GuideId): string => `${PATHS.docs}/${id}`;
export const operationPath = (operationId: string): string => `${PATHS.api}/${operationId}`;
/** Page of an error code; the `type` of its problem documents. */
export const problemPath = (code: string): string => `${PATHS.problems}/${code}`;

/** Ids that offers and aliases cannot have, because other pages have their URLs. */
export const RESERVED_BUY_IDS: readonly string[] = /* @__PURE__ */ reservedIds(PATHS.buy);
export const RESERVED_CAPSULE_IDS: readonly string[] = /* @__PURE__ */ reservedIds(PATHS.capsules);

const OFFER_TEXTS = '/offers';
const BELOW_TEXTS = /^((?:\/[A-Za-z0-9_-]+)+)\.md$/;

/** Id of the page of `content/pages/` that is shown on the home page and has no address of its own. */
export const HOME_PAGE_ID = 'home';

/** The exact text of a guide, an operation, an offer or an error that searches quote, as {@link capsuleVersionPath} is that of a capsule. */
export const siteTextPath = (kind: 'guide' | 'operation' | 'offer' | 'error', id: string): string =>
  `${PATHS.texts}${{ guide: '', operation: PATHS.api, offer: OFFER_TEXTS, error: PATHS.problems }[kind]}/${id}.md`;

export function pageOfSiteText(path: string): string | undefined {
  const page = path.startsWith(`${PATHS.texts}/`) ? BELOW_TEXTS.exec(path.slice(PATHS.texts.length))?.[1] : undefined;
  if (page === `/${HOME_PAGE_ID}`) return PATHS.home;
  return page?.startsWith(`${OFFER_TEXTS}/`) ? buyPath(page.slice(OFFER_TEXTS.length + 1)) : page;
}

function numbered(path: string, page: number): string {
  return page === 1 ? path : `${path}/${page}`;
}

/** Names of pages below a path. Static hosts serve `index` of a folder at the address of the folder itself. */
function reservedIds(parent: string): string[] {
  const names = Object.values(PATHS).flatMap((path) => (path.startsWith(`${parent}/`) ? [path.slice(parent.length + 1)] : []));
  return ['index', ...names.filter((name) => !/[./]/.test(name))];
}
