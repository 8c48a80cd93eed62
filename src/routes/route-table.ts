import type { FormerCapsules } from '../gateway/knowledge/read-capsule.ts';
import type { Route } from '../http/define-route.ts';
import { fillPath } from '../http/route-paths.ts';
import { mcpResourceRoute } from '../protocols/mcp/mcp.ts';
import type { ProtocolSettings } from '../protocols/protocol-module.ts';
import { protocolRoutes } from '../protocols/protocols.ts';
import type { Features } from '../schemas/feature-switches.ts';
import * as agents from './agent-routes.ts';
import * as capsulePages from './capsule-pages.ts';
import * as capsules from './capsule-routes.ts';
import * as checkout from './checkout-routes.ts';
import * as documents from './document-routes.ts';
import * as intake from './intake-routes.ts';
import * as search from './search-routes.ts';

/** The operations that documents describe: all except those of features that are off, and those that serve what is or would be a file. */
export function describedRoutes(settings: ProtocolSettings, features: Features): readonly Route[] {
  const { openedPageRoute, viewStatusRoute } = capsules;
  const undescribed = [
    ...capsulePages.FILE_ROUTES,
    openedPageRoute,
    mcpResourceRoute,
    search.searchAsTypedRoute,
    viewStatusRoute,
    intake.sendMessageRoute,
  ];
  return routeTable(settings).filter((route) => (route.feature === undefined || features[route.feature]) && !undescribed.includes(route));
}

export function routeTable(settings: ProtocolSettings): readonly Route[] {
  const protocols = protocolRoutes(settings);
  const [shop, searches] = [checkout.routes(), search.routes()];
  return [
    ...agents.routes(),
    ...searches.slice(0, 2),
    ...capsules.routes(settings).map((route) => withFormerCapsules(route, settings)),
    ...intake.routes(),
    ...protocols.documents,
    ...documents.routes(settings),
    ...shop.slice(0, 1),
    ...protocols.operations,
    ...searches.slice(2),
    ...shop.slice(1),
    ...capsulePages.routes(settings),
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

/** Operations at the address of a capsule, which may have another id now or may have been taken down; the lineage of one that was stays. */
const LINEAGE = 'getCapsuleLineage';
const AT_A_CAPSULE = ['getCapsule', LINEAGE, 'getRelatedCapsules', 'verifyQuote'];

function withFormerCapsules(route: Route, { formerIds, takenDown = {} }: FormerCapsules): Route {
  if (!AT_A_CAPSULE.includes(route.id)) return route;
  const moved = { status: 308, description: 'The same address with the id that the capsule has now.' } as const;
  const isLegal = route.id === LINEAGE ? [] : Object.values(takenDown).map(({ legal }) => legal);
  return {
    ...route,
    responses: formerIds === undefined ? route.responses : [...route.responses, moved],
    errors: [
      ...route.errors,
      ...(isLegal.includes(false) ? (['capsule_taken_down'] as const) : []),
      ...(isLegal.includes(true) ? (['capsule_blocked'] as const) : []),
    ],
  };
}
