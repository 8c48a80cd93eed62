import { entityTag } from '../../gateway/entity-tag.ts';
import { layerInForce } from '../../gateway/limits/layer-in-force.ts';
import type { Capabilities } from '../../schemas/capabilities.ts';
import type { RateLimitName } from '../../schemas/limits.ts';
import type { PublishedDocument } from '../define-route.ts';

/** Adapted documents by the one that the build made and the limits counted for the location; each is made once for an isolate. */
const adapted = new WeakMap<PublishedDocument, Map<string, Promise<PublishedDocument>>>();

/**
 * The capabilities document with the layers that count rate limits at present, which the build cannot know.
 *
 * @param located Limits that are counted for the whole location.
 */
export function capabilitiesInForce(built: PublishedDocument, located: ReadonlySet<RateLimitName>): Promise<PublishedDocument> {
  if (located.size === 0) return Promise.resolve(built);
  const known = adapted.get(built) ?? new Map<string, Promise<PublishedDocument>>();
  adapted.set(built, known);
  const key = [...located].sort().join();
  const document = known.get(key) ?? adapt(built, located);
  known.set(key, document);
  return document;
}

async function adapt(built: PublishedDocument, located: ReadonlySet<RateLimitName>): Promise<PublishedDocument> {
  const document = JSON.parse(built.body) as Capabilities;
  const body = JSON.stringify({ ...document, rate_limits: layerInForce(document.rate_limits, located) });
  return { contentType: built.contentType, body, etag: await entityTag(body) };
}
