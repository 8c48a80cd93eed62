import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Content } from '../authoring/content.ts';
import type { ContentProblem } from '../authoring/content-problem.ts';
import { versionFacts } from '../authoring/lineage-proof.ts';
import type { LoggedChange } from '../provenance/change-log.ts';
import { chainVersions } from '../provenance/version-record.ts';
import { BUILD_FOLDER } from './generation-store.ts';

/** Digest of the record of every version that was ever published from here, by `<id>@<version>`. */
export type PublishedVersions = Readonly<Record<string, string>>;

const FILE = join(BUILD_FOLDER, 'published.json');

/** What was published before; empty where nothing was, or where the build folder is new. */
export async function readPublishedVersions(root: string): Promise<PublishedVersions> {
  const noted = JSON.parse(await readFile(join(root, FILE), 'utf8').catch(() => '{}')) as PublishedVersions;
  return Object.fromEntries(Object.entries(noted).filter(([, digest]) => digest.startsWith('sha256:')));
}

/** Notes that the versions that a log of changes tells of are published. */
export async function recordPublishedVersions(root: string, log: readonly LoggedChange[]): Promise<void> {
  const versions = { ...(await readPublishedVersions(root)), ...versionsInLog(log) };
  await writeFile(join(root, FILE), `${JSON.stringify(versions, undefined, 1)}\n`);
}

/** A problem for every published version whose record is another one now, or that is gone. */
export async function checkPublishedVersions(content: Content, published: PublishedVersions): Promise<ContentProblem[]> {
  const present = await versionsOf(content);
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

/** The newest record of every version of the capsules that are still there at the end of a log. */
function versionsInLog(log: readonly LoggedChange[]): Record<string, string> {
  const removed = new Set(
    [...new Map(log.map(({ capsule_id, event }) => [capsule_id, event]))].flatMap(([id, event]) => (event === 'removed' ? [id] : [])),
  );
  const present = log.filter(({ capsule_id }) => !removed.has(capsule_id));
  return Object.fromEntries(present.map(({ capsule_id, version, record_digest }) => [`${capsule_id}@${version}`, record_digest]));
}

async function versionsOf({ capsules, publisher }: Content): Promise<Record<string, string>> {
  const chains = await Promise.all(
    capsules.map(({ id, frozen, ...newest }) => chainVersions([...frozen, newest].map((version) => versionFacts(id, version, publisher)))),
  );
  return Object.fromEntries(chains.flat().map(({ record, recordDigest }) => [`${record.id}@${record.version}`, recordDigest]));
}
