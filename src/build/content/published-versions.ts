import type { LoggedChange } from '../../provenance/change-log.ts';
import { chainVersions } from '../../provenance/lineage-records.ts';
import type { Content } from '../../publication/authored-content.ts';
import { versionInput } from '../../publication/capsules/lineage-proof.ts';
import type { ContentProblem } from '../../publication/content-problem.ts';
import { PUBLISHER_FILE } from '../../publication/read-publisher.ts';
import type { PublishedVersions } from '../publishing/publishing-state.ts';

/** A problem for every published version that is missing, or whose record differs now. */
export async function checkPublishedVersions(content: Content, published: PublishedVersions): Promise<ContentProblem[]> {
  const present = await versionsOf(content);
  const names = Object.keys(published);
  if (names.length > 0 && names.every((name) => present[name] !== undefined && present[name] !== published[name]))
    return [
      {
        file: PUBLISHER_FILE,
        line: 1,
        field: 'issuer',
        message:
          'has changed, so that every published record would change. Restore it; or, if you mean it, delete .akg/published.json: readers then see all capsules as revised',
      },
    ];
  return Object.entries(published).flatMap(([name, digest]): ContentProblem[] => {
    if (present[name] === digest) return [];
    const [id = '', version = ''] = name.split('@');
    const message =
      present[name] === undefined
        ? `version ${version} was published and is missing; restore it, or retract the capsule instead of deleting it`
        : `version ${version} was published and must not change; restore it, run "npm run revise ${id}", and edit the new version`;
    return [{ file: `content/capsules/${id}.md`, line: 1, field: 'version', message }];
  });
}

/** Digests of the records of all versions in `content/`. */
export async function versionsOf({ capsules, publisher }: Content): Promise<PublishedVersions> {
  const chains = await Promise.all(
    capsules.map(({ id, frozen, ...newest }) => chainVersions([...frozen, newest].map((version) => versionInput(id, version, publisher)))),
  );
  return Object.fromEntries(chains.flat().map(({ record, recordDigest }) => [`${record.id}@${record.version}`, recordDigest]));
}

/** Digests of the records of all versions that are published at the end of a change log. */
export function versionsInLog(log: readonly LoggedChange[]): PublishedVersions {
  const capsules = new Map<string, Map<string, string>>();
  for (const { event, capsule_id, version, record_digest } of log) {
    if (event === 'removed') capsules.delete(capsule_id);
    else capsules.set(capsule_id, (capsules.get(capsule_id) ?? new Map<string, string>()).set(version, record_digest));
  }
  return Object.fromEntries(
    [...capsules].flatMap(([id, versions]) => [...versions].map(([version, digest]) => [`${id}@${version}`, digest])),
  );
}
