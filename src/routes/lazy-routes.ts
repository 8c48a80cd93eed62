import { type LazyRoute, type Route, type RouteEntry, routeEntry } from '../http/define-route.ts';
import type { ProtocolSettings } from '../protocols/protocol-module.ts';
import * as search from './search-routes.ts';

/**
 * Modules that define operations. To evaluate all of them takes an isolate longer than to answer a query, so it loads a module when an operation
 * of it is first asked for. Every isolate has that of the search.
 */
const MODULES = {
  search: async () => search,
  agents: () => import('./agent-routes.ts'),
  capsules: () => import('./capsule-routes.ts'),
  capsulePages: () => import('./capsule-pages.ts'),
  intake: () => import('./intake-routes.ts'),
  checkout: () => import('./checkout-routes.ts'),
  documents: () => import('./document-routes.ts'),
  protocols: () => import('../protocols/protocols.ts'),
} satisfies Readonly<Record<string, () => Promise<{ readonly routes: (settings: ProtocolSettings) => readonly Route[] }>>>;

/** An operation of a deployment that runs code, as the build writes it. */
export interface DeployedRoute extends RouteEntry {
  readonly module: keyof typeof MODULES;
}

/** @throws {TypeError} For an operation of the table that no module defines. */
export async function deployedRoutes(table: readonly Route[], settings: ProtocolSettings): Promise<DeployedRoute[]> {
  const modules = new Map<string, DeployedRoute['module']>();
  for (const name of Object.keys(MODULES) as DeployedRoute['module'][])
    for (const { id } of (await MODULES[name]()).routes(settings)) modules.set(id, name);
  return table
    .filter(({ servedBy }) => servedBy === 'function')
    .map((route) => {
      const module = modules.get(route.id);
      if (module === undefined) throw new TypeError(`no module of operations defines ${route.id}`);
      return { ...routeEntry(route), module };
    });
}

/** Each request that needs a module imports it, because no request may wait for a promise of another one, which may be cancelled. */
export function lazyRoutes(deployed: readonly DeployedRoute[], settings: ProtocolSettings): LazyRoute[] {
  const loaded = new Map<string, Route>();
  const load = async ({ id, module }: DeployedRoute): Promise<Route> => {
    for (const route of (await MODULES[module]()).routes(settings)) if (!loaded.has(route.id)) loaded.set(route.id, route);
    const route = loaded.get(id);
    if (route === undefined) throw new TypeError(`${module} does not define ${id}`);
    return route;
  };
  return deployed.map((entry) => ({ ...entry, load: () => loaded.get(entry.id) ?? load(entry) }));
}
