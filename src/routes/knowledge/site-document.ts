import { entityTag } from '../../gateway/digests.ts';
import { ok, type Result } from '../../gateway/result.ts';
import type { Outcome, RouteInput } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { pagePolicy } from '../../http/security-headers.ts';

/** An address of the site whose bytes a function makes in place of a file. */
interface SiteDocument {
  /** Root-relative address under which a location keeps the document; `undefined` for one that few readers ask for. */
  readonly address: string | undefined;
  readonly contentType: string;
  /** @param onFallback To be called if an earlier generation serves the read. */
  readonly make: (onFallback: () => void) => Promise<Result<string>>;
}

/** What the routes of such addresses have in common. */
export const SITE_DOCUMENT_SETTINGS = {
  method: 'GET',
  description: 'Served by functions if the pages of capsules are not files.',
  capability: 'capsules',
  access: 'open',
  rateLimit: 'network',
} as const;

/** Headers that `_headers` gives to files. */
const FILE_HEADERS = { 'Content-Security-Policy': pagePolicy() } as const;

/** Serves a document with the headers of a file, from the cache of the location if it is there. */
export async function serveSiteDocument(
  { address, contentType, make }: SiteDocument,
  { degrade, defer }: Pick<RouteInput<unknown, unknown, unknown>, 'degrade' | 'defer'>,
  { documentCache }: GatewayDependencies,
): Promise<Result<Outcome>> {
  const cache = address === undefined ? undefined : documentCache && { ...documentCache, address };
  const kept = await cache?.read(cache.address);
  if (kept !== undefined) return ok({ kind: 'document', document: kept, headers: FILE_HEADERS });
  let isNewest = true;
  const made = await make(() => {
    isNewest = false;
    degrade('index');
  });
  if (!made.ok) return missingFile(made);
  const document = { contentType, body: made.value, etag: await entityTag(made.value) };
  if (isNewest && cache !== undefined) defer(cache.write(cache.address, document));
  return ok({ kind: 'document', document, headers: FILE_HEADERS });
}

/** For what is missing, the file at the address, or else what the site shows in place of a missing file; other refusals stay. */
export function missingFile(refused: Result<never>): Result<Outcome> {
  const isMissing = !refused.ok && ['capsule_not_found', 'route_not_found'].includes(refused.refusal.code);
  return isMissing ? ok({ kind: 'file', missing: refused.refusal }) : refused;
}
