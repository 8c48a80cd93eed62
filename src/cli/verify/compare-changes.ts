import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import { endOfLog, extendLog, type LoggedChange } from '../../provenance/change-log.ts';
import { statementDigest } from '../../provenance/verify/json.ts';
import { LIMITS } from '../../schemas/limits.ts';
import type { Bundle } from './compare-api.ts';
import { ChangesDocument, DifferenceError, readApi } from './site-documents.ts';
import type { SiteReader } from './site-reader.ts';

/**
 * Compares the log of changes with the bundle: every digest covers all events before it, the end is the one that the manifest names, and
 * whoever follows the events holds exactly the capsules, versions and states of the bundle.
 *
 * @param path Address of the feed, or of a file with the whole log, which takes no parameters.
 * @param requireSameCorpus Throws for a page of another corpus.
 * @returns The number of events.
 * @throws {DifferenceError} If it is another log.
 */
export async function compareChanges(
  site: SiteReader,
  path: string,
  isFile: boolean,
  bundle: Bundle,
  requireSameCorpus: (page: z.infer<typeof ChangesDocument>) => void,
): Promise<number> {
  const log: LoggedChange[] = [];
  for (let cursor = '0', hasMore = true; hasMore; ) {
    const address = isFile ? path : `${path}?limit=${LIMITS.changesLimitMax}&cursor=${encodeURIComponent(cursor)}`;
    const page = await readApi(site, address, ChangesDocument);
    requireSameCorpus(page);
    if (!isDeepStrictEqual(page.manifest, bundle.manifest)) throw new DifferenceError(`${path}: has another manifest than the mirror`);
    for (const event of page.changes as readonly LoggedChange[]) {
      const { digest, ...content } = event;
      if (event.count !== log.length + 1 || digest !== (await statementDigest([log.at(-1)?.digest ?? null, content])))
        throw new DifferenceError(`${path}: event ${log.length + 1} has another digest or place`);
      log.push(event);
    }
    if (log.length > bundle.manifest.statement.changes.count)
      throw new DifferenceError(`${path}: goes on beyond the end that the manifest names`);
    if (page.has_more && page.changes.length === 0) throw new DifferenceError(`${path}: has_more is true, but the page is empty`);
    ({ cursor, has_more: hasMore } = page);
  }
  if (!isDeepStrictEqual(endOfLog(log), bundle.manifest.statement.changes))
    throw new DifferenceError(`${path}: ends elsewhere than the log that the manifest names`);
  const capsules = [...bundle.capsules.values()].map(({ lineage }) => ({ ...lineage, stateDate: undefined }));
  const extended = await extendLog(log, capsules as unknown as Parameters<typeof extendLog>[1]);
  const missing = extended[log.length];
  if (missing) throw new DifferenceError(`${path}: has no event for the state of ${missing.capsule_id} in the bundle`);
  return log.length;
}
