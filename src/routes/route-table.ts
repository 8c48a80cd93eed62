import type { Route } from '../http/define-route.ts';
import { callMcpRoute, mcpResourceRoute } from '../protocols/mcp/route.ts';
import type { ProtocolSettings } from '../protocols/protocol-module.ts';
import { protocolRoutes } from '../protocols/protocols.ts';
import type { Features } from '../schemas/features.ts';
import { getCapabilitiesRoute } from './agents/get-capabilities.ts';
import { getKeyRoute, revokeKeyRoute, rotateKeyRoute } from './agents/key-routes.ts';
import { getChallengeRoute, registerAgentRoute } from './agents/register-agent.ts';
import { buyOfferRoute } from './commerce/buy-offer.ts';
import { startCheckoutRoute, viewCartRoute } from './commerce/checkout-page.ts';
import { getDeliveryRoute } from './commerce/get-delivery.ts';
import { getOrderRoute } from './commerce/get-order.ts';
import { openCheckoutRoute } from './commerce/open-checkout.ts';
import { paymentWebhookRoute } from './commerce/payment-webhook.ts';
import { openInvoiceFormRoute, requestInvoiceRoute } from './commerce/request-invoice.ts';
import { documentRoutes } from './documents/document-routes.ts';
import { getIntakeRoute } from './intake/get-intake.ts';
import { getProposalRoute } from './intake/get-proposal.ts';
import { submitProposalRoute } from './intake/submit-proposal.ts';
import { CAPSULE_FILE_ROUTES } from './knowledge/capsule-files.ts';
import { CAPSULE_LIST_ROUTES, listTwinRoutes } from './knowledge/capsule-lists.ts';
import { browseCapsulesRoute, getChangesRoute, getStatusRoute } from './knowledge/corpus-routes.ts';
import { withFormerCapsules, withFormerIds } from './knowledge/former-capsule-responses.ts';
import { fetchCapsulesRoute, getCapsuleRoute, getRelatedRoute } from './knowledge/get-capsule.ts';
import { getLineageRoute } from './knowledge/get-lineage.ts';
import { queryKnowledgeRoute } from './knowledge/query-knowledge.ts';
import { searchKnowledgeRoute } from './knowledge/search-knowledge.ts';
import { searchPageRoute } from './knowledge/search-page.ts';
import { verifyQuoteRoute } from './knowledge/verify-quote.ts';

/** What functions serve in place of files, where the pages of capsules are none. */
const FILE_ROUTES: readonly Route[] = [...listTwinRoutes(), ...CAPSULE_FILE_ROUTES, ...CAPSULE_LIST_ROUTES];

/** The operations that documents describe: all except those of features that are off, and those that serve what is or would be a file. */
export function describedRoutes(settings: ProtocolSettings, features: Features): readonly Route[] {
  const undescribed = [...FILE_ROUTES, mcpResourceRoute];
  return routeTable(settings).filter((route) => (route.feature === undefined || features[route.feature]) && !undescribed.includes(route));
}

/** What is known: queries, capsules, lists. */
function knowledgeRoutes(settings: ProtocolSettings): readonly Route[] {
  return [
    queryKnowledgeRoute,
    searchKnowledgeRoute,
    withFormerCapsules(getCapsuleRoute(settings.payments === undefined ? 'off' : 'on'), settings),
    withFormerIds(getLineageRoute, settings),
    withFormerCapsules(getRelatedRoute, settings),
    withFormerCapsules(verifyQuoteRoute, settings),
    fetchCapsulesRoute,
    browseCapsulesRoute,
  ];
}

/** Every operation of a deployment, in the order of the documentation. */
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
    .map((path) => (path.startsWith('/api/') ? '/api/*' : path.replace(/\{[^{}]+\}/g, '*')));
  const covered = (path: string): boolean =>
    paths.some((other) => other !== path && other.endsWith('/*') && path.startsWith(other.slice(0, -1)));
  return [...new Set(paths)].filter((path) => !covered(path)).sort();
}
