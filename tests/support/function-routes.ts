import type { Route } from '../../src/routes/define-route.ts';
import { routeTable } from '../../src/routes/table.ts';
import { capsuleApiPath, lineageApiPath, relatedApiPath } from '../../src/schemas/paths.ts';
import { bearer, makeKey } from './agent-keys.ts';
import { builtGenerated } from './edge-gateway.ts';
import { probeProposal } from './proposals.ts';

/** A capsule and an offer of the sample publication that tests lean on. */
export const SAMPLE_CAPSULE = 'bm25';
export const SAMPLE_OFFER = {
  id: 'evidence-review',
  alias: 'page-review',
  checkout: 'https://checkout.example/demo/evidence-review',
} as const;

/** A route that functions answer, with a request that it answers well. */
export interface FunctionRoute {
  readonly id: string;
  readonly route: Route;
  readonly path: string;
  readonly init: RequestInit;
}

const JSON_TYPE = { 'Content-Type': 'application/json' };
const PROPOSAL = await probeProposal();
const PATHS_OF: Readonly<Record<string, string>> = {
  getCapsule: capsuleApiPath(SAMPLE_CAPSULE),
  getCapsuleLineage: lineageApiPath(SAMPLE_CAPSULE),
  getRelatedCapsules: relatedApiPath(SAMPLE_CAPSULE),
  getProposal: PROPOSAL.statusPath,
  buyOffer: `/buy/${SAMPLE_OFFER.id}`,
};
const INITS: Readonly<Record<string, RequestInit>> = {
  registerAgent: { method: 'POST', headers: JSON_TYPE, body: '{"agent_name":"probe"}' },
  queryKnowledge: { method: 'POST', headers: { ...JSON_TYPE, ...bearer(await makeKey()) }, body: '{"query":"bm25"}' },
  fetchCapsules: { method: 'POST', headers: JSON_TYPE, body: '{"ids":["bm25"]}' },
  getKey: { headers: bearer(await makeKey({ agent: '00000000000000b1' })) },
  rotateKey: {
    method: 'POST',
    headers: { ...bearer(await makeKey({ agent: '00000000000000b2' })), 'Idempotency-Key': 'rotation-of-a-probe-000001' },
  },
  revokeKey: { method: 'POST', headers: bearer(await makeKey({ agent: '00000000000000b3' })) },
  submitProposal: PROPOSAL.init,
  getProposal: { headers: bearer(await makeKey({ agent: '00000000000000ab' })) },
};

/** Every route of the table, those of files included. */
export const TABLE: readonly Route[] = routeTable((await builtGenerated()).deployment);

/** Every route that functions answer; a new one needs a request above if its path has a parameter or it takes a body. */
export const FUNCTION_ROUTES: readonly FunctionRoute[] = TABLE.filter(({ servedBy }) => servedBy === 'function').map((route) => {
  const path = PATHS_OF[route.id] ?? route.path;
  const init = INITS[route.id] ?? {};
  if (path.includes('{') || (init.method ?? 'GET') !== route.method)
    throw new Error(`tests/support/function-routes.ts has no request for ${route.id}`);
  return { id: route.id, route, path, init };
});
