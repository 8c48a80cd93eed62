import { EVIDENCE_LEVELS, type Evidence } from '../schemas/knowledge/capsule-front-matter.ts';
import type { CapsuleEntry } from './site-content.ts';

/** What a corpus holds, counted. */
export interface CapsuleCounts {
  readonly capsules: number;
  readonly superseded: number;
  readonly retracted: number;
  readonly versions: number;
  /** Distinct addresses that capsules name as sources. */
  readonly sources: number;
  readonly subjects: number;
  readonly words: number;
  /** Day of the newest change; absent while there is no capsule. */
  readonly newestChange: string | undefined;
  /** Capsules by evidence, strongest first. */
  readonly evidence: readonly { readonly level: Evidence; readonly count: number }[];
}

/** Counts the current versions of all capsules. */
export function countCapsules(capsules: readonly CapsuleEntry[]): CapsuleCounts {
  const all = capsules.map(({ metadata }) => metadata);
  return {
    capsules: all.length,
    superseded: all.filter(({ status }) => status === 'superseded').length,
    retracted: all.filter(({ status }) => status === 'retracted').length,
    versions: all.reduce((sum, { versions }) => sum + versions.length, 0),
    sources: new Set(all.flatMap(({ sources }) => sources.map(({ url }) => url))).size,
    subjects: new Set(all.flatMap(({ tags }) => tags)).size,
    words: all.reduce((sum, { words }) => sum + words, 0),
    newestChange: all
      .map(({ updated }) => updated)
      .sort()
      .at(-1),
    evidence: EVIDENCE_LEVELS.toReversed().map((level) => ({ level, count: all.filter(({ evidence }) => evidence === level).length })),
  };
}

/** Capsules of every subject, subjects in alphabetical order. */
export function capsulesBySubject(capsules: readonly CapsuleEntry[]): [string, CapsuleEntry[]][] {
  const subjects = new Map<string, CapsuleEntry[]>();
  for (const capsule of capsules) for (const tag of capsule.metadata.tags) subjects.set(tag, [...(subjects.get(tag) ?? []), capsule]);
  return [...subjects].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Capsules in the order of their titles, articles at the beginning passed over as in a library catalogue. */
export function sortByTitle(capsules: readonly CapsuleEntry[]): CapsuleEntry[] {
  const key = ({ metadata }: CapsuleEntry): string => metadata.title.replace(/^(a|an|the)\s+/i, '');
  return capsules.toSorted((a, b) => key(a).localeCompare(key(b), 'en'));
}
