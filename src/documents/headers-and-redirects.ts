import { statedTitle } from '../gateway/knowledge/capsule-status-sentences.ts';
import type { Route } from '../http/define-route.ts';
import { fillPath } from '../http/route-paths.ts';
import { FILE_CACHE_CONTROL, fileHeaders, IMMUTABLE_CACHE_CONTROL, INDEX_LINK } from '../http/security-headers.ts';
import { functionPaths } from '../routes/route-table.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { LIST_NAMES } from '../schemas/knowledge/capsule-lists.ts';
import {
  basePathOf,
  blockPath,
  bundlePartPath,
  capsuleApiPath,
  capsuleFilePath,
  capsuleMarkdownPath,
  capsulePath,
  capsuleVersionPath,
  isAtBase,
  lineageApiPath,
  lineageFilePath,
  PATHS,
  pageFilePath,
  pageMarkdownPath,
  searchBlockPath,
} from '../schemas/paths.ts';
import { escapeMarkup } from '../text/markdown/write-markup.ts';
import type { DocumentFile, Publication } from '../text/publication-model.ts';

/** Limits of Cloudflare Pages (developers.cloudflare.com/pages/configuration/headers). */
const MAX_HEADER_RULES = 100;
/** Without and with placeholders (developers.cloudflare.com/pages/configuration/redirects). */
const MAX_STATIC_REDIRECTS = 2_000;
const MAX_DYNAMIC_REDIRECTS = 100;
/** In `_routes.json` (developers.cloudflare.com/pages/functions/routing). */
const MAX_FUNCTION_RULES = 100;

/** Media types that the host sets by extension. A rule for an extension would also apply to its 404 page. */
const HOST_TYPES: Readonly<Record<string, string>> = {
  md: 'text/markdown; charset=utf-8',
  json: 'application/json',
  txt: 'text/plain; charset=utf-8',
  xml: 'application/xml',
  html: 'text/html; charset=utf-8',
};

/** Media types by extension that one rule with a placeholder sets for all files, because the number of rules is limited. */
const TYPES_BY_RULE = { ndjson: 'application/x-ndjson' } as const;

const FOREVER = ['Cache-Control', IMMUTABLE_CACHE_CONTROL] as const;

/** Policy of images and other files of texts, in addition to that of pages: what somebody opens by itself runs nothing. */
const MEDIA_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox";

const POLICY = 'Content-Security-Policy';

/** Link of the API catalog to itself, which also answers a HEAD (RFC 9727 section 2). */
const CATALOG_LINK = ['Link', `<${PATHS.apiCatalog}>; rel="api-catalog"`] as const;

/**
 * Files that functions never answer for. They have one form, and the folders have names that clients take from other documents; a function answers
 * for a missing file elsewhere, with a problem document. Wildcards are allowed at the end of a rule only.
 */
const FILES_ONLY: readonly string[] = [
  '/_astro/*',
  blockPath('*'),
  ...[PATHS.media, PATHS.mirror, PATHS.data, PATHS.sitemapParts].map((folder) => `${folder}/*`),
  PATHS.llmsTxt,
  PATHS.llmsFullTxt,
  PATHS.docsLlmsTxt,
  PATHS.sitemap,
  PATHS.robots,
  PATHS.licenseXml,
  PATHS.securityTxt,
  PATHS.verifier,
  PATHS.verifyCommand,
  PATHS.client,
  PATHS.proofVectors,
  PATHS.feed,
  PATHS.openSearch,
  PATHS.openApi,
  PATHS.openApiAgent,
  PATHS.arazzo,
  PATHS.offersJson,
  PATHS.offersSchema,
  '/favicon.ico',
  '/favicon.svg',
  '/apple-touch-icon.png',
  '/logo.svg',
  '/og-image.png',
];

/** Links of every file of a static deployment to what describes the site; functions add theirs themselves. */
const STATIC_LINKS = `${INDEX_LINK}, <${PATHS.openApiAgent}>; rel="service-desc"`;

export interface PagePolicy {
  readonly path: string;
  readonly policy: string;
}

/** Files in markdown that are no form of a page. */
const WITHOUT_PAGE: readonly string[] = [PATHS.agentsMd, PATHS.authMd, PATHS.sitemapMd, `${PATHS.agentSkills}/*`, `${PATHS.texts}/*`];

/** Headers of the files whose addresses match a pattern of Cloudflare Pages: `*` at its end, and `:name` for characters other than slashes. */
export interface HeaderRule {
  readonly path: string;
  /** Headers of more general rules that do not apply here (`! Name` in `_headers`). */
  readonly detach?: readonly string[];
  readonly headers: readonly (readonly [string, string])[];
}

/** A pattern of addresses as {@link HeaderRule} has it, and what answers: a redirect, or for status 200 the file itself. */
export interface RedirectRule {
  readonly from: string;
  readonly to: string;
  readonly status: number;
}

/** Text of `_headers`, before {@link mergeHeaders}. @param policies Pages that have a policy of their own. */
export function headersFile(...publication: Parameters<typeof headerRules>): string {
  const written = headerRules(...publication).map(({ path, detach = [], headers }) =>
    [path, ...detach.map((name) => `  ! ${name}`), ...headers.map(([name, value]) => `  ${name}: ${value}`)].join('\n'),
  );
  return `${written.join('\n\n')}\n`;
}

export function headerRules(
  files: readonly DocumentFile[],
  { mode, storage, baseUrl, usage }: Pick<Deployment, 'mode' | 'storage' | 'baseUrl' | 'usage'>,
  policies: readonly PagePolicy[] = [],
): HeaderRule[] {
  const basePath = basePathOf(baseUrl);
  const links = mode === 'static' ? STATIC_LINKS : INDEX_LINK;
  const rules: HeaderRule[] = [
    {
      path: '/*',
      headers: [
        ['Access-Control-Allow-Origin', '*'],
        // For the 405 of the host, which must name the methods (RFC 9110 section 15.5.6); any response may.
        ['Allow', 'GET, HEAD'],
        ...fileHeaders({ baseUrl, usage }),
        ...(mode === 'static' ? [['Link', STATIC_LINKS] as const] : []),
      ],
    },
    { path: PATHS.home, headers: [['Link', homeLinks(mode, baseUrl)]] },
    { path: '/*.md', headers: [['Link', `<${baseUrl}/:splat>; rel="canonical"`]] },
    {
      path: pageMarkdownPath(PATHS.home),
      detach: ['Link'],
      headers: [['Link', `<${baseUrl}${PATHS.home}>; rel="canonical", ${links}`]],
    },
    ...WITHOUT_PAGE.map((path): HeaderRule => ({ path, detach: ['Link'], headers: [['Link', links]] })),
    { path: '/_astro/*', headers: [FOREVER] },
    {
      path: capsuleVersionPath(':capsule_id', ':version'),
      detach: ['Link'],
      headers: [FOREVER, ['Link', `<${baseUrl}${capsulePath(':capsule_id')}>; rel="latest-version", ${links}`]],
    },
    // The rule for versions also applies to pages of lists.
    ...LIST_NAMES.map((name): HeaderRule => {
      const link = ['Link', `<${baseUrl}${capsulePath(name)}/:splat>; rel="canonical", ${links}`] as const;
      const headers = [['Cache-Control', FILE_CACHE_CONTROL], link] as const;
      return { path: `${capsulePath(name)}/*.md`, detach: ['Link', 'Cache-Control'], headers };
    }),
    { path: searchBlockPath(':sha256'), headers: [FOREVER] },
    { path: `${PATHS.media}/*`, headers: [FOREVER, [POLICY, MEDIA_POLICY]] },
    { path: bundlePartPath(':sha256'), headers: [FOREVER, ['Content-Type', TYPES_BY_RULE.ndjson]] },
    ...(storage === 'assets' ? [{ path: blockPath('*'), headers: [FOREVER, ['Content-Type', 'application/octet-stream'] as const] }] : []),
    ...files
      .filter(({ path, contentType }) => HOST_TYPES[endingOf(path)] !== contentType && !(endingOf(path) in TYPES_BY_RULE))
      .map(({ path, contentType }) => ({
        path,
        headers: [['Content-Type', contentType] as const, ...(path === PATHS.apiCatalog ? [CATALOG_LINK] : [])],
      })),
    ...policies.map(({ path, policy }) => ({ path, detach: [POLICY], headers: [[POLICY, policy] as const] })),
  ];
  const placed = ([name, value]: HeaderRule['headers'][number]) =>
    [name, name === 'Link' ? value.replaceAll('</', `<${basePath}/`) : value] as const;
  return rules.map((rule) => ({ ...rule, path: basePath + rule.path, headers: rule.headers.map(placed) }));
}

/** The publisher's own `_headers` with those of the engine. @throws {RangeError} For more rules than the host allows. */
export function mergeHeaders(existing: string, addition: string): string {
  const merged = `${existing.trimEnd()}${existing.trim() === '' ? '' : '\n\n'}${addition}`;
  const count = merged.split('\n').filter((line) => /^(\/|https:\/\/)/.test(line)).length;
  if (count > MAX_HEADER_RULES) throw new RangeError(`_headers has ${count} rules, but the host allows ${MAX_HEADER_RULES}`);
  return merged;
}

/** Rewrites of a deployment without functions, from the addresses of the interface to their files. */
export function fileRewrites(table: readonly Route[], basePath = ''): RedirectRule[] {
  const placed = (path: string): string => basePath + fillPath(path, (name) => `:${name}`);
  return table
    .filter(({ edge }) => !edge)
    .flatMap(({ path, staticPath }) => (staticPath === undefined ? [] : [{ from: placed(path), to: placed(staticPath), status: 200 }]));
}

export function redirectsFile(rules: readonly RedirectRule[]): string {
  if (rules.length > MAX_DYNAMIC_REDIRECTS)
    throw new RangeError(`_redirects has ${rules.length} rules, but the host allows ${MAX_DYNAMIC_REDIRECTS}`);
  return `${rules.map(({ from, to, status }) => `${from} ${to} ${status}`).join('\n')}\n`;
}

/** Text for `_redirects`. @param existing The publisher's own rules. */
export function formerRedirects(addresses: readonly (readonly [from: string, to: string])[], existing: string) {
  const own = existing.split('\n').filter((line) => /^\s*[^\s#]/.test(line)).length;
  const fitting = addresses.slice(0, Math.max(0, MAX_STATIC_REDIRECTS - own));
  return { text: fitting.map(([from, to]) => `${from} ${to} 308\n`).join(''), left: addresses.length - fitting.length };
}

/**
 * Text of `_routes.json`: the addresses that invoke functions. Where capsules were taken down or are sold, functions answer at their addresses,
 * and at those of all capsules if the host allows no rule for each or former addresses have no redirect. Where they negotiate, they answer
 * everywhere but at {@link FILES_ONLY}.
 */
export function routesFile(
  table: readonly Route[],
  { takenDown = [], sold = [], hasFormerAddresses = false, negotiates = false }: AddressesOfFunctions = {},
): string {
  // The pattern also covers the address above.
  const paths = [`${PATHS.admin}/*`, ...functionPaths(table)];
  const files = FILES_ONLY.filter((file) => !paths.some((path) => isBelow(path, file)));
  if (negotiates) return renderRoutes(['/*'], files);
  const allCapsules = capsulePath('*');
  const ofSome = [
    ...takenDown.flatMap((id) => [capsulePath(id), capsuleMarkdownPath(id), capsulePath(`${id}/*`)]),
    ...sold.flatMap((id) => [capsuleMarkdownPath(id), capsuleFilePath(id)]),
  ];
  const ofCapsules = hasFormerAddresses || paths.length + ofSome.length > MAX_FUNCTION_RULES ? [allCapsules] : ofSome;
  return renderRoutes(paths.includes(allCapsules) ? paths : [...paths, ...ofCapsules], []);
}

interface AddressesOfFunctions {
  readonly takenDown?: readonly string[];
  readonly sold?: readonly string[];
  readonly hasFormerAddresses?: boolean;
  readonly negotiates?: boolean;
}

function renderRoutes(include: readonly string[], exclude: readonly string[]): string {
  return `${JSON.stringify({ version: 1, include, exclude }, null, 2)}\n`;
}

function isBelow(path: string, rule: string): boolean {
  return rule.endsWith('/*') ? path.startsWith(rule.slice(0, -1)) : path === rule;
}

/** Links of the home page (RFC 8288), with the relation types of RFC 8631 for the interface. On a static host they are added to {@link STATIC_LINKS}. */
function homeLinks(mode: Deployment['mode'], baseUrl: string): string {
  const links: readonly (readonly [string, string, string])[] = [
    [PATHS.openApiAgent, 'service-desc', 'application/json'],
    [PATHS.docs, 'service-doc', 'text/html'],
    [mode === 'static' ? `${PATHS.data}/status.json` : PATHS.statusApi, 'status', 'application/json'],
    [PATHS.llmsTxt, 'describedby', 'text/plain'],
    [PATHS.apiCatalog, 'api-catalog', 'application/linkset+json'],
    [PATHS.aiCatalog, 'ai-catalog', 'application/ai-catalog+json'],
    [PATHS.feed, 'alternate', 'application/atom+xml'],
  ];
  return links
    .filter(([path]) => isAtBase(path, baseUrl) && (mode === 'edge' || !STATIC_LINKS.includes(`<${path}>`)))
    .map(([path, rel, type]) => `<${path}>; rel="${rel}"; type="${type}"`)
    .join(', ');
}

function endingOf(path: string): string {
  return /\.([a-z0-9]+)$/.exec(path.slice(path.lastIndexOf('/') + 1))?.[1] ?? '';
}

type Renamed = Pick<Publication, 'capsules' | 'deployment'>;

/**
 * Former and further addresses of capsules with the present ones, for the host to redirect. Where functions serve the pages of capsules, they
 * redirect former ids themselves.
 */
export function formerAddresses({ capsules, deployment }: Renamed): [from: string, to: string][] {
  const { furtherAddresses = {} } = deployment;
  const further = Object.entries(furtherAddresses).map(([path, id]): [string, string] => [path, capsulePath(id)]);
  const placed = basePathOf(deployment.baseUrl);
  const all = deployment.capsulePages === 'edge' ? further : [...further, ...addressesOfFormerIds({ capsules, deployment })];
  return all.map(([from, to]) => [placed + from, placed + to]);
}

function addressesOfFormerIds({ capsules, deployment }: Renamed): [from: string, to: string][] {
  const byId = new Map(capsules.map((capsule) => [capsule.id, capsule]));
  return Object.entries(deployment.formerIds ?? {}).flatMap(([former, id]) => {
    const lineage = byId.get(id)?.lineage.formerly?.find((one) => one.id === former);
    const versions = lineage?.versions.map(({ record }) => record.version) ?? [];
    const addresses: ((capsule: string) => string)[] = [
      capsulePath,
      capsuleMarkdownPath,
      capsuleFilePath,
      lineageFilePath,
      ...versions.map((version) => (capsule: string) => capsuleVersionPath(capsule, version)),
      // Functions answer these.
      ...(deployment.mode === 'static' ? [capsuleApiPath, lineageApiPath] : []),
    ];
    return addresses.map((address): [string, string] => [address(former), address(id)]);
  });
}

/** Pages at the former and further addresses of pages, for hosts without redirects. */
export function formerPages({ capsules, deployment, publisher }: Renamed & Pick<Publication, 'publisher'>): DocumentFile[] {
  if (deployment.mode === 'edge') return [];
  const basePath = basePathOf(deployment.baseUrl);
  const titles = new Map(capsules.map(({ id, metadata }) => [id, statedTitle(metadata)]));
  const fileOf = (path: string): string =>
    path.endsWith('.html') ? path : path.endsWith('/') ? `${path}index.html` : pageFilePath(path, publisher.static_form);
  const former = Object.entries(deployment.formerIds ?? {}).map(([id, present]) => [fileOf(capsulePath(id)), present] as const);
  const further = Object.entries(deployment.furtherAddresses ?? {}).map(([path, id]) => [fileOf(path), id] as const);
  return [...new Map([...former, ...further])].flatMap(([path, id]): DocumentFile[] => {
    const title = titles.get(id);
    if (title === undefined) return [];
    const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escapeMarkup(title)}</title>
<link rel="canonical" href="${escapeMarkup(deployment.baseUrl + capsulePath(id))}">
<meta http-equiv="refresh" content="0; url=${basePath}${escapeMarkup(capsulePath(id))}">
<meta name="robots" content="noindex">
<p><a href="${basePath}${escapeMarkup(capsulePath(id))}">${escapeMarkup(title)}</a></p>
</html>
`;
    return [{ path, contentType: 'text/html; charset=utf-8', body }];
  });
}
