import * as z from 'zod';
import type { FormerCapsules } from '../gateway/knowledge/read-capsule.ts';
import { documentRoute, fileRoute, once, type Route } from '../http/define-route.ts';
import { fillPath } from '../http/route-paths.ts';
import { callMcpRoute, mcpResourceRoute } from '../protocols/mcp/mcp.ts';
import type { ProtocolSettings } from '../protocols/protocol-module.ts';
import { protocolRoutes } from '../protocols/protocols.ts';
import { publishedCatalog } from '../schemas/commerce/offers.ts';
import type { Deployment } from '../schemas/deployment.ts';
import type { Features } from '../schemas/feature-switches.ts';
import { CorpusManifest } from '../schemas/knowledge/corpus-responses.ts';
import { PATHS } from '../schemas/paths.ts';
import {
  getCapabilitiesRoute,
  getChallengeRoute,
  getKeyRoute,
  registerAgentRoute,
  revokeKeyRoute,
  rotateKeyRoute,
} from './agent-routes.ts';
import { CAPSULE_FILE_ROUTES, CAPSULE_LIST_ROUTES, listMarkdownRoutes } from './capsule-pages.ts';
import {
  browseCapsulesRoute,
  browseSectionsRoute,
  fetchCapsulesRoute,
  getCapsuleRoute,
  getChangesRoute,
  getHealthRoute,
  getLineageRoute,
  getRelatedRoute,
  getStatusRoute,
  openedPageRoute,
  verifyQuoteRoute,
  viewStatusRoute,
} from './capsule-routes.ts';
import {
  buyOfferRoute,
  openCheckoutRoute,
  openInvoiceFormRoute,
  requestInvoiceRoute,
  startCheckoutRoute,
  viewCartRoute,
} from './checkout-routes.ts';
import { getIntakeRoute, getProposalRoute, sendMessageRoute, submitProposalRoute } from './intake-routes.ts';
import { getDeliveryRoute, getOrderRoute, paymentWebhookRoute } from './order-routes.ts';
import { queryKnowledgeRoute, searchAsTypedRoute, searchKnowledgeRoute, searchPageRoute } from './search-routes.ts';

/** What functions serve in place of files, where the pages of capsules are none. */
const FILE_ROUTES: readonly Route[] = [...listMarkdownRoutes(), ...CAPSULE_FILE_ROUTES, ...CAPSULE_LIST_ROUTES];

/** The operations that documents describe: all except those of features that are off, and those that serve what is or would be a file. */
export function describedRoutes(settings: ProtocolSettings, features: Features): readonly Route[] {
  const undescribed = [...FILE_ROUTES, openedPageRoute, mcpResourceRoute, searchAsTypedRoute, viewStatusRoute, sendMessageRoute];
  return routeTable(settings).filter((route) => (route.feature === undefined || features[route.feature]) && !undescribed.includes(route));
}

function knowledgeRoutes(settings: ProtocolSettings): readonly Route[] {
  const payments = settings.payments === undefined ? 'off' : 'on';
  return [
    queryKnowledgeRoute,
    searchKnowledgeRoute,
    withFormerCapsules(getCapsuleRoute(payments), settings),
    withFormerIds(getLineageRoute, settings),
    withFormerCapsules(getRelatedRoute, settings),
    withFormerCapsules(verifyQuoteRoute, settings),
    fetchCapsulesRoute(payments),
    settings.sections === undefined ? browseCapsulesRoute : browseSectionsRoute,
  ];
}

export function routeTable(settings: ProtocolSettings): readonly Route[] {
  const protocols = protocolRoutes(settings);
  return [
    getCapabilitiesRoute,
    registerAgentRoute,
    getChallengeRoute,
    getKeyRoute,
    rotateKeyRoute,
    revokeKeyRoute,
    ...knowledgeRoutes(settings),
    getChangesRoute,
    getStatusRoute,
    getHealthRoute,
    getIntakeRoute,
    submitProposalRoute,
    getProposalRoute,
    sendMessageRoute,
    ...protocols.documents,
    ...documentRoutes(settings),
    buyOfferRoute,
    callMcpRoute,
    mcpResourceRoute,
    ...protocols.operations,
    searchPageRoute,
    searchAsTypedRoute,
    viewStatusRoute,
    getOrderRoute,
    openCheckoutRoute,
    viewCartRoute,
    startCheckoutRoute,
    openInvoiceFormRoute,
    requestInvoiceRoute,
    getDeliveryRoute,
    paymentWebhookRoute,
    ...(settings.payments === undefined ? [] : [openedPageRoute]),
    ...(settings.capsulePages === 'edge' ? FILE_ROUTES : []),
  ];
}

/**
 * For `_routes.json`: everything under /api, and every other function route with a wildcard for its parameters, except those that a wider one
 * covers. Everything else is served as files.
 */
export function functionPaths(table: readonly Route[]): string[] {
  const paths = table
    .filter(({ servedBy }) => servedBy === 'function')
    .flatMap(({ path, answersTrailingSlash, formPath }) => [
      path,
      ...(answersTrailingSlash ? [`${path}/`] : []),
      ...(formPath ? [formPath] : []),
    ])
    .map((path) => (path.startsWith('/api/') ? '/api/*' : fillPath(path, () => '*')));
  const covered = (path: string): boolean =>
    paths.some((other) => other !== path && other.endsWith('/*') && path.startsWith(other.slice(0, -1)));
  return [...new Set(paths)].filter((path) => !covered(path)).sort();
}

function withFormerIds(route: Route, { formerIds }: FormerCapsules): Route {
  if (formerIds === undefined) return route;
  return {
    ...route,
    responses: [...route.responses, { status: 308, description: 'The same address with the id that the capsule has now.' }],
  };
}

/** {@link withFormerIds}, with the errors of capsules that were taken down, where there are any. */
function withFormerCapsules(route: Route, former: FormerCapsules): Route {
  const redirected = withFormerIds(route, former);
  if (former.takenDown === undefined) return redirected;
  const isLegal = Object.values(former.takenDown).map(({ legal }) => legal);
  return {
    ...redirected,
    errors: [
      ...redirected.errors,
      ...(isLegal.includes(false) ? (['capsule_taken_down'] as const) : []),
      ...(isLegal.includes(true) ? (['capsule_blocked'] as const) : []),
    ],
  };
}

/** For JSON Schemas, OpenAPI documents and key sets: their own standards describe them. */
const AnyObject = z.looseObject({});

const CATALOGS = [
  {
    id: 'getOffers',
    path: PATHS.offersJson,
    summary: 'Get the offer catalog',
    description: 'All offers with their pages, and with prices and checkout links where prices are fixed.',
  },
  {
    id: 'getBuyCatalog',
    path: PATHS.buyJson,
    summary: 'Get the offer catalog as buy.json',
    description: 'The same bytes as the offer catalog.',
  },
  {
    id: 'getPricingCatalog',
    path: PATHS.pricingJson,
    summary: 'Get the offer catalog as pricing.json',
    description: 'The same bytes as the offer catalog.',
  },
] as const;

function documentRoutes(origins: Pick<Deployment, 'baseUrl' | 'checkoutHost'>): readonly Route[] {
  const catalog = once(() => publishedCatalog(origins));
  return [
    fileRoute({
      id: 'getOpenApiForAgents',
      capability: 'documents',
      path: PATHS.openApiAgent,
      summary: 'Get the OpenAPI document for agents',
      description: 'What agents call: requests whole, responses by their members, one shape of errors.',
      schema: AnyObject,
    }),
    documentRoute('openApi', {
      id: 'getOpenApi',
      path: PATHS.openApi,
      summary: 'Get the whole OpenAPI document',
      description: 'Every operation with all its errors and examples.',
      capability: 'documents',
      schema: AnyObject,
      cache: 300,
      errors: ['file_unavailable'],
    }),
    ...CATALOGS.map((route) => fileRoute({ ...route, capability: 'commerce', feature: 'shop', schema: catalog })),
    fileRoute({
      id: 'getOffersSchema',
      feature: 'shop',
      capability: 'commerce',
      path: PATHS.offersSchema,
      summary: 'Get the JSON Schema of the catalog',
      description: 'JSON Schema 2020-12 of the offer catalog.',
      schema: AnyObject,
    }),
    fileRoute({
      id: 'getMirrorManifest',
      capability: 'capsules',
      path: PATHS.mirrorManifest,
      summary: 'Get the corpus manifest',
      description:
        'Counts and digests of everything published, and the parts of the bundle that contains it. Signed if the publisher has a key. The bundle has a line of JSON for each capsule, with all its versions, proofs and free texts.',
      schema: CorpusManifest,
    }),
    fileRoute({
      id: 'getKeys',
      capability: 'capsules',
      path: PATHS.jwks,
      summary: "Get the publisher's public keys",
      description: 'JWK Set (RFC 7517) of the keys that sign records, heads and the manifest; empty if nothing is signed.',
      schema: AnyObject,
      type: 'application/jwk-set+json',
    }),
  ];
}
