import { wholeLog } from '../../gateway/knowledge/read-changes.ts';
import { ChangesResponse } from '../../schemas/knowledge/changes.ts';
import { PATHS } from '../../schemas/paths.ts';
import type { DocumentFile, Publication } from '../../publication/publication.ts';

/** The manifest of the corpus and the parts of the bundle that it names. */
export function mirrorFiles({ mirror }: Pick<Publication, 'mirror'>): DocumentFile[] {
  return [
    { path: PATHS.mirrorManifest, contentType: 'application/json', body: JSON.stringify(mirror.manifest) },
    ...mirror.parts.map((part) => ({ ...part, contentType: mirror.manifest.statement.bundle.mediaType })),
  ];
}

/** The whole log of changes, as a frontend-only deployment publishes it. */
export function changesFile({ mirror, stats, deployment }: Pick<Publication, 'mirror' | 'stats' | 'deployment'>): ChangesResponse {
  return ChangesResponse.parse(wholeLog(mirror.changes, stats.corpus_version, { manifest: mirror.manifest, baseUrl: deployment.baseUrl }));
}
