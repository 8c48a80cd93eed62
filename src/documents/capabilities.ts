import { KEY_PATTERN } from '../gateway/agents/api-key.ts';
import { offeredScopes } from '../gateway/agents/scopes.ts';
import { publishedBudgets, publishedRateLimits } from '../gateway/limits/report-limits.ts';
import { PROTOCOLS } from '../protocols/protocols.ts';
import type { Publication } from '../publication/publication.ts';
import { describedRoutes } from '../routes/route-table.ts';
import { Capabilities } from '../schemas/capabilities.ts';
import { type Deployment, GATEWAY_VERSION } from '../schemas/deployment.ts';
import { type Features, featuresOf, isLimitInUse } from '../schemas/features.ts';
import { LIMITS } from '../schemas/limits.ts';
import { PATHS } from '../schemas/paths.ts';
import { documentAddresses } from './document-registry.ts';

/** Limits that apply to a deployment of files alone. */
const FILE_LIMITS: readonly (keyof typeof LIMITS)[] = ['idMaxLength', 'lineageMaxNodes', 'lineageMaxDepth'];

/** The capabilities document: operations, limits and statistics of a deployment. */
export function capabilities(publication: Publication): Capabilities {
  const { deployment, stats } = publication;
  const features = featuresOf(deployment, deployment.offers.length > 0);
  return Capabilities.parse({
    name: deployment.name,
    description: deployment.description,
    base_url: deployment.baseUrl,
    deployment: deployment.mode === 'static' ? 'static' : 'live',
    gateway_version: GATEWAY_VERSION,
    operations: operationsOf(deployment),
    authentication: authenticationOf(deployment),
    limits: limitsOf(deployment),
    rate_limits: rateLimitsOf(deployment, features),
    budgets:
      deployment.mode === 'static' || deployment.rateLimits === 'bench'
        ? []
        : publishedBudgets().filter(({ name }) => isLimitInUse(name, features)),
    protocols: PROTOCOLS.flatMap(({ capability }) => capability(deployment) ?? []),
    corpus: stats,
    documents: documentAddresses(publication),
  } satisfies Capabilities);
}

function operationsOf(deployment: Deployment): Capabilities['operations'] {
  const isStatic = deployment.mode === 'static';
  return describedRoutes(deployment)
    .filter(({ edge }) => !isStatic || !edge)
    .map(({ id, method, path, staticPath, summary, capability, access }) => ({
      id,
      method,
      path: isStatic ? (staticPath ?? path) : path,
      summary,
      capability,
      ...(access === 'open' ? { access: 'open' as const } : { access: 'key' as const, ...(access === 'key' ? {} : { scope: access }) }),
    }));
}

function authenticationOf({ mode, baseUrl, intake }: Deployment): Capabilities['authentication'] {
  if (mode === 'static') return { type: 'none', scopes: [] };
  return {
    type: 'bearer',
    header: 'Authorization: Bearer <api_key>',
    register: `${baseUrl}${PATHS.gateway}/register`,
    key_pattern: KEY_PATTERN,
    key_ttl_days: LIMITS.keyTtlDays,
    scopes: [...offeredScopes(intake)],
  };
}

/** Limits by snake_case name. */
function limitsOf({ mode }: Deployment): Record<string, number> {
  const names = mode === 'static' ? FILE_LIMITS : (Object.keys(LIMITS) as (keyof typeof LIMITS)[]);
  return Object.fromEntries(names.map((name) => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), LIMITS[name]]));
}

function rateLimitsOf({ mode, rateLimits }: Deployment, features: Features): Capabilities['rate_limits'] {
  if (mode === 'static') return { enforcement: 'none', policies: [] };
  if (rateLimits === 'bench') return { enforcement: 'lifted', policies: [] };
  return { enforcement: 'isolate', policies: publishedRateLimits().filter(({ name }) => isLimitInUse(name, features)) };
}
