import { EVIDENCE_LEVELS } from '../schemas/knowledge/capsule-front-matter.ts';
import { PATHS } from '../schemas/paths.ts';
import { latestDay } from './format.ts';
import type { CapsuleEntry } from './site-content.ts';

/** Counts the current versions of all capsules. `sources` are distinct addresses; `evidence` begins with the strongest. */
export function countCapsules(capsules: readonly CapsuleEntry[]) {
  const all = capsules.map(({ metadata }) => metadata);
  return {
    capsules: all.length,
    superseded: all.filter(({ status }) => status === 'superseded').length,
    retracted: all.filter(({ status }) => status === 'retracted').length,
    versions: all.reduce((sum, { versions }) => sum + versions.length, 0),
    sources: new Set(all.flatMap(({ sources }) => sources.map(({ url }) => url))).size,
    tags: new Set(all.flatMap(({ tags }) => tags)).size,
    words: all.reduce((sum, { words }) => sum + words, 0),
    newestChange: latestDay(all),
    evidence: EVIDENCE_LEVELS.toReversed().map((level) => ({ level, count: all.filter(({ evidence }) => evidence === level).length })),
  };
}

/** Capsules by tag, in alphabetical order. */
export function capsulesByTag(capsules: readonly CapsuleEntry[]): [string, CapsuleEntry[]][] {
  const byTag = new Map<string, CapsuleEntry[]>();
  for (const capsule of capsules) for (const tag of capsule.metadata.tags) byTag.set(tag, [...(byTag.get(tag) ?? []), capsule]);
  return [...byTag].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Capsules by title, without a leading article, as in a library catalogue. */
export function sortByTitle(capsules: readonly CapsuleEntry[]): CapsuleEntry[] {
  const key = ({ metadata }: CapsuleEntry): string => metadata.title.replace(/^(a|an|the)\s+/i, '');
  return capsules.toSorted((a, b) => key(a).localeCompare(key(b), 'en'));
}

/** Id of a tag in the list of capsules. */
export const tagAnchor = (tag: string): string => `tag-${tag}`;
/** Address of a tag in the list of capsules. */
export const tagPath = (tag: string): string => `${PATHS.capsules}#${tagAnchor(tag)}`;
