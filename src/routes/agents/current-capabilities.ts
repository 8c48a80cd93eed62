import { entityTag } from '../../gateway/digests.ts';
import { layerInForce } from '../../gateway/limits/published-limits.ts';
import type { PublishedBudget } from '../../schemas/agents/published-limits.ts';
import type { Capabilities } from '../../schemas/capabilities.ts';
import type { RateLimitName } from '../../schemas/limits.ts';
import type { PublishedDocument } from '../../http/gateway-dependencies.ts';

/** Adapted documents by the one that the build made and what is in force; each is made once for an isolate. */
const adapted = new WeakMap<PublishedDocument, Map<string, Promise<PublishedDocument>>>();

/**
 * The capabilities document with what the build cannot know: the layers that count rate limits at present, and the levels of budgets.
 *
 * @param located Limits that are counted for the whole location.
 * @param budgets Budgets with their levels; a document that publishes none gets none.
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
