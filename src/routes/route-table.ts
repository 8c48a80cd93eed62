import type { FormerCapsules } from '../gateway/knowledge/read-capsule.ts';
import type { Route } from '../http/define-route.ts';
import { fillPath } from '../http/route-paths.ts';
import { callMcpRoute, mcpResourceRoute } from '../protocols/mcp/protocol.ts';
import type { ProtocolSettings } from '../protocols/protocol-module.ts';
import { protocolRoutes } from '../protocols/protocols.ts';
import type { Features } from '../schemas/features.ts';
import {
  getCapabilitiesRoute,
  getChallengeRoute,
  getKeyRoute,
  registerAgentRoute,
  revokeKeyRoute,
  rotateKeyRoute,
} from './agent-routes.ts';
import { CAPSULE_LIST_ROUTES, listMarkdownRoutes } from './capsule-lists.ts';
import { CAPSULE_FILE_ROUTES } from './capsule-pages.ts';
import { fetchCapsulesRoute, getCapsuleRoute, getLineageRoute, getRelatedRoute, verifyQuoteRoute } from './capsule-routes.ts';
import {
  buyOfferRoute,
  openCheckoutRoute,
  openInvoiceFormRoute,
  requestInvoiceRoute,
  startCheckoutRoute,
  viewCartRoute,
} from './checkout-routes.ts';
import { browseCapsulesRoute, browseSectionsRoute, getChangesRoute, getStatusRoute } from './corpus-routes.ts';
import { documentRoutes } from './document-routes.ts';
import { getIntakeRoute, getProposalRoute, submitProposalRoute } from './intake-routes.ts';
import { getDeliveryRoute, getOrderRoute, paymentWebhookRoute } from './order-routes.ts';
import { queryKnowledgeRoute, searchAsTypedRoute, searchKnowledgeRoute, searchPageRoute } from './search-routes.ts';

/** What functions serve in place of files, where the pages of capsules are none. */
const FILE_ROUTES: readonly Route[] = [...listMarkdownRoutes(), ...CAPSULE_FILE_ROUTES, ...CAPSULE_LIST_ROUTES];

/** The operations that documents describe: all except those of features that are off, and those that serve what is or would be a file. */
export function describedRoutes(settings: ProtocolSettings, features: Features): readonly Route[] {
  const undescribed = [...FILE_ROUTES, mcpResourceRoute, searchAsTypedRoute];
  return routeTable(settings).filter((route) => (route.feature === undefined || features[route.feature]) && !undescribed.includes(route));
}

function knowledgeRoutes(settings: ProtocolSettings): readonly Route[] {
  return [
    queryKnowledgeRoute,
    searchKnowledgeRoute,
    withFormerCapsules(getCapsuleRoute(settings.payments === undefined ? 'off' : 'on'), settings),
    withFormerIds(getLineageRoute, settings),
    withFormerCapsules(getRelatedRoute, settings),
    withFormerCapsules(verifyQuoteRoute, settings),
    fetchCapsulesRoute,
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
    getIntakeRoute,
    submitProposalRoute,
    getProposalRoute,
    ...protocols.documents,
    ...documentRoutes(settings),
    buyOfferRoute,
    callMcpRoute,
    mcpResourceRoute,
    ...protocols.operations,
    searchPageRoute,
    searchAsTypedRoute,
    getOrderRoute,
    openCheckoutRoute,
    viewCartRoute,
    startCheckoutRoute,
    openInvoiceFormRoute,
    requestInvoiceRoute,
    getDeliveryRoute,
    paymentWebhookRoute,
    ...(settings.capsulePages === 'edge' ? FILE_ROUTES : []),
  ];
}

/**
 * Paths that functions serve, for `_routes.json`: everything under /api, and every other function route with a wildcard for its parameters,
 * except those that a wider one covers. Everything else is served as files.
 */
export function functionPaths(table: readonly Route[]): string[] {
  const paths = table
    .filter(({ servedBy }) => servedBy === 'function')
    .flatMap(({ path, answersTrailingSlash }) => [path, ...(answersTrailingSlash ? [`${path}/`] : [])])
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
