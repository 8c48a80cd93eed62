import { offeredScopes } from '../gateway/agents/scopes.ts';
import { publishedBudgets, publishedRateLimits } from '../gateway/limits/report-limits.ts';
import { PROTOCOLS } from '../protocols/protocols.ts';
import type { Publication } from '../publication/publication.ts';
import { describedRoutes } from '../routes/route-table.ts';
import { KEY_PATTERN } from '../schemas/agents/registration.ts';
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
  const { deployment, publisher, offers, stats } = publication;
  const features = featuresOf(publisher, offers);
  return Capabilities.parse({
    name: deployment.name,
    description: deployment.description,
    base_url: deployment.baseUrl,
    deployment: deployment.mode === 'static' ? 'static' : 'live',
    gateway_version: GATEWAY_VERSION,
    operations: operationsOf(deployment, features),
    authentication: authenticationOf(deployment, features),
    limits: limitsOf(deployment, features),
    rate_limits: rateLimitsOf(deployment, features),
    budgets: deployment.mode === 'static' || deployment.rateLimits === 'bench' ? [] : publishedBudgets(features),
    protocols: PROTOCOLS.flatMap(({ capability }) => capability(deployment, features) ?? []),
    corpus: stats,
    documents: documentAddresses(publication),
  } satisfies Capabilities);
}

function operationsOf(deployment: Deployment, features: Features): Capabilities['operations'] {
  const isStatic = deployment.mode === 'static';
  return describedRoutes(deployment, features)
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

function authenticationOf({ mode, baseUrl, intake }: Deployment, features: Features): Capabilities['authentication'] {
  if (mode === 'static') return { type: 'none', scopes: [] };
  return {
    type: 'bearer',
    header: 'Authorization: Bearer <api_key>',
    register: `${baseUrl}${PATHS.gateway}/register`,
    key_pattern: KEY_PATTERN,
    key_ttl_days: LIMITS.keyTtlDays,
    scopes: [...offeredScopes(intake, features)],
  };
}

/** Limits of what is switched on, by snake_case name. */
function limitsOf({ mode }: Deployment, features: Features): Record<string, number> {
  const names = mode === 'static' ? FILE_LIMITS : (Object.keys(LIMITS) as (keyof typeof LIMITS)[]);
  const published = names.map((name): [string, number] => [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), LIMITS[name]]);
  return Object.fromEntries(published.filter(([name]) => isLimitInUse(name, features)));
}

function rateLimitsOf({ mode, rateLimits }: Deployment, features: Features): Capabilities['rate_limits'] {
  if (mode === 'static') return { enforcement: 'none', policies: [] };
  if (rateLimits === 'bench') return { enforcement: 'lifted', policies: [] };
  return { enforcement: 'isolate', policies: publishedRateLimits(features) };
}
