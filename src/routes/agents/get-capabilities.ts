import { entityTag } from '../../gateway/digests.ts';
import { layerInForce } from '../../gateway/limits/report-limits.ts';
import { documentRoute } from '../../http/document-route.ts';
import type { PublishedDocument } from '../../http/gateway-dependencies.ts';
import type { PublishedBudget } from '../../schemas/agents/limit-reports.ts';
import { Capabilities } from '../../schemas/capabilities.ts';
import type { RateLimitName } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';

export const getCapabilitiesRoute = documentRoute('capabilities', {
  id: 'getCapabilities',
  path: `${PATHS.gateway}/capabilities`,
  staticPath: `${PATHS.data}/capabilities.json`,
  summary: 'Get capabilities',
  description: 'Operations, limits, authentication, scopes, active protocols and corpus statistics, made from the route table.',
  capability: 'agents',
  schema: Capabilities,
  cache: 60,
  atRunTime: async (built, { location, budgets }) => capabilitiesInForce(built, location?.enforced ?? new Set(), await budgets.read()),
});

/** Current documents by the built one and what they add to it; each is made once per isolate. */
const adapted = new WeakMap<PublishedDocument, Map<string, Promise<PublishedDocument>>>();

/**
 * The capabilities document with what the build cannot know: the layers that currently count rate limits, and the levels of budgets.
 *
 * @param located Limits that are counted for the whole location.
 * @param budgets Budgets with their levels; ignored if the document publishes none.
 */
export function capabilitiesInForce(
  built: PublishedDocument,
  located: ReadonlySet<RateLimitName>,
  budgets: readonly PublishedBudget[],
): Promise<PublishedDocument> {
  if (located.size === 0 && budgets.every(({ level }) => level === 'unknown')) return Promise.resolve(built);
  const known = adapted.get(built) ?? new Map<string, Promise<PublishedDocument>>();
  adapted.set(built, known);
  const key = [...[...located].sort(), ...budgets.map(({ level }) => level)].join();
  const document = known.get(key) ?? adapt(built, located, budgets);
  known.set(key, document);
  return document;
}

async function adapt(
  built: PublishedDocument,
  located: ReadonlySet<RateLimitName>,
  budgets: readonly PublishedBudget[],
): Promise<PublishedDocument> {
  const document = JSON.parse(built.body) as Capabilities;
  const body = JSON.stringify({
    ...document,
    rate_limits: layerInForce(document.rate_limits, located),
    budgets: document.budgets.length === 0 ? [] : budgets,
  });
  return { contentType: built.contentType, body, etag: await entityTag(body) };
}
