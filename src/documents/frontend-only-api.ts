import { browseItem, sortForBrowsing } from '../gateway/knowledge/browse-capsules.ts';
import { summaryOf } from '../gateway/knowledge/capsule-response.ts';
import { wholeLog } from '../gateway/knowledge/read-changes.ts';
import type { Publication } from '../publication/publication.ts';
import { ChangesResponse } from '../schemas/knowledge/changes.ts';
import { BrowseResponse, StatusResponse } from '../schemas/knowledge/corpus-responses.ts';

/** The list of all capsules for a frontend-only deployment: one page without a cursor. */
export function browseFile(publication: Publication): BrowseResponse {
  const { deployment, stats } = publication;
  const items = sortForBrowsing(publication.capsules.map(({ metadata }) => summaryOf(metadata))).map((summary) =>
    browseItem(summary, deployment.baseUrl),
  );
  return BrowseResponse.parse({
    corpus_version: stats.corpus_version,
    items,
    limit: items.length,
    page: { total: items.length, total_is_exact: true, has_more: false, next_cursor: null },
  } satisfies BrowseResponse);
}

/** The status of a frontend-only deployment, without live checks. */
export function statusFile({ stats }: Publication): StatusResponse {
  return StatusResponse.parse({ status: 'ok', deployment: 'static', corpus: stats, checks: [], budgets: [] } satisfies StatusResponse);
}

/** The complete change log for a frontend-only deployment. */
export function changesFile({ mirror, stats, deployment }: Pick<Publication, 'mirror' | 'stats' | 'deployment'>): ChangesResponse {
  return ChangesResponse.parse(wholeLog(mirror.changes, stats.corpus_version, { manifest: mirror.manifest, baseUrl: deployment.baseUrl }));
}
