import type { Route } from '../http/define-route.ts';
import { registerAgentRoute } from '../routes/agent-routes.ts';
import { browseCapsulesRoute, getCapsuleRoute, getLineageRoute } from '../routes/capsule-routes.ts';
import { queryKnowledgeRoute, searchKnowledgeRoute } from '../routes/search-routes.ts';

const operation = ({ method, path }: Route): Pick<Route, 'method' | 'path'> => ({ method, path });

/** Operations that the client calls, from their routes. The bundle of the client has their values in place of this module. */
export const OPERATIONS = {
  query: operation(queryKnowledgeRoute),
  search: operation(searchKnowledgeRoute),
  capsule: operation(getCapsuleRoute('off')),
  lineage: operation(getLineageRoute),
  browse: operation(browseCapsulesRoute),
  register: operation(registerAgentRoute),
};
