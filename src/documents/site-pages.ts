import { catalogUpdated } from '../gateway/commerce/catalog/catalog-document.ts';
import { ERRORS, type ErrorCode, errorEntry } from '../gateway/errors.ts';
import { errorsOf } from '../http/define-route.ts';
import type { ProtocolSettings } from '../protocols/protocol-module.ts';
import type { AuthoredContent } from '../publication/authored-content.ts';
import { describedRoutes } from '../routes/route-table.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { type Features, featuresOf } from '../schemas/features.ts';
import { buyPath, HOME_PAGE_ID, operationPath, PATHS, problemPath } from '../schemas/paths.ts';
import type { DocumentPage, PublishedOffer } from '../text/publication.ts';
import { type EnginePages, enginePages, guidesOf, type Page } from './page-registry.ts';

/** Addresses of pages of the engine about buying: nothing leads to them where nothing is for sale, and they say so. */
const SHOP_PATHS: readonly string[] = [PATHS.buy, PATHS.pricing, PATHS.checkout, PATHS.invoice];

/** Every page except those of capsules, for sitemaps and lists of pages. */
export function sitePages(
  { publisher, interfaceLanguage, capsules, pages }: AuthoredContent,
  offers: readonly PublishedOffer[],
  deployment: Deployment,
): DocumentPage[] {
  const features = featuresOf(publisher, offers);
  const engine = enginePages(interfaceLanguage.strings.pages, features);
  const newest =
    capsules
      .map(({ frontMatter }) => frontMatter.updated)
      .sort()
      .at(-1) ?? publisher.updated;
  const catalogDay = catalogUpdated(offers, publisher);
  const isEdge = deployment.mode === 'edge';
  const listed = ({ path, title, description }: Page, updated = newest): DocumentPage => ({ path, title, description, updated });
  const written = pages
    .filter(({ id }) => id !== HOME_PAGE_ID)
    .map(({ id, frontMatter: { title, description, updated } }) => listed({ path: `/${id}`, title, description }, updated));
  const hidden = [
    // Results of searches belong in no list and no search engine.
    PATHS.search,
    ...(features.shop ? [] : SHOP_PATHS),
    ...(capsules.some(({ frontMatter }) => frontMatter.tags.length > 0) ? [] : [PATHS.subjects]),
  ];
  const isShown = ({ path }: Pick<Page, 'path'>): boolean => !hidden.includes(path);
  const withoutText = [engine.checkout, engine.invoice, engine.contact].filter(
    (page) => isShown(page) && !written.some(({ path }) => path === page.path),
  );
  const pagesInOrder = [
    listed({ path: PATHS.home, title: publisher.name, description: publisher.tagline }),
    ...[engine.capsules, engine.subjects].filter(isShown).map((page) => listed(page)),
    ...[engine.buy, engine.pricing].filter(isShown).map((page) => listed(page, catalogDay)),
    ...offers.map(({ id, name, summary, updated }) => listed({ path: buyPath(id), title: name, description: summary }, updated)),
    listed(engine.docs),
    ...guidesOf(deployment.mode, features).map((page) => listed(page)),
    ...(isEdge ? apiPages(engine, deployment, features).map((page) => listed(page)) : []),
    ...written,
    ...withoutText.map((page) => listed(page, publisher.updated)),
  ];
  const paths = new Set(pagesInOrder.map(({ path }) => path));
  const others = Object.values<Page>(engine).filter((page) => !paths.has(page.path) && isShown(page) && (isEdge || page.isOfApi !== true));
  return [...pagesInOrder, ...others.map((page) => listed(page))];
}

function apiPages({ api, problems }: EnginePages, deployment: Deployment, features: Features): Page[] {
  return [
    api,
    ...describedRoutes(deployment, features).map(({ id, summary, description }) => ({
      path: operationPath(id),
      title: summary,
      description,
    })),
    problems,
    ...describedErrors(deployment, features).map((code) => ({
      path: problemPath(code),
      title: ERRORS[code].title,
      description: ERRORS[code].explanation,
    })),
  ];
}

export interface ErrorPage {
  readonly code: ErrorCode;
  readonly status: number;
  readonly title: string;
  readonly explanation: string;
  /** Whether the same request can succeed later, in words. */
  readonly retry: string;
  readonly nextActions: readonly { readonly description: string; readonly method?: string; readonly path?: string }[];
}

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
export function errorPages(): ErrorPage[] {
  return (Object.keys(ERRORS) as ErrorCode[])
    .map((code) => {
      const { status, title, explanation, retry, nextActions } = errorEntry(code);
      return { code, status, title, explanation, retry: RETRY_WORDS[retry], nextActions };
    })
    .sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1));
}
