import type { LoggedChange } from '../../provenance/change-log.ts';
import { chainVersions } from '../../provenance/lineage-records.ts';
import { versionInput } from '../../publication/capsules/lineage-proof.ts';
import type { Content } from '../../publication/content.ts';
import type { ContentProblem } from '../../publication/content-problem.ts';
import { PUBLISHER_FILE } from '../../publication/read-publisher.ts';
import type { PublishedVersions } from '../publishing/publishing-state.ts';

/** A problem for every published version whose record is another one now, or that is gone. */
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
          'every record that was published would be another one: the issuer has changed. If that is meant, remove .akg/published.json; readers then see all capsules as revised',
      },
    ];
  return Object.entries(published).flatMap(([name, digest]): ContentProblem[] => {
    if (present[name] === digest) return [];
    const [id = '', version = ''] = name.split('@');
    const message =
      present[name] === undefined
        ? `version ${version} was published and is gone; restore it, or retract the capsule instead of removing it`
        : `version ${version} was published with another text or other facts about it; restore them, run "npm run revise ${id}", and make the change in the new version`;
    return [{ file: `content/capsules/${id}.md`, line: 1, field: 'version', message }];
  });
}

/** Digest of the record of every version of a content. */
export async function versionsOf({ capsules, publisher }: Content): Promise<PublishedVersions> {
  const chains = await Promise.all(
    capsules.map(({ id, frozen, ...newest }) => chainVersions([...frozen, newest].map((version) => versionInput(id, version, publisher)))),
  );
  return Object.fromEntries(chains.flat().map(({ record, recordDigest }) => [`${record.id}@${record.version}`, recordDigest]));
}

/** Digest of the record of every version that is published at the end of a log. */
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
