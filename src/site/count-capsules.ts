import type { CapsuleEntry } from './site-content.ts';
import { EVIDENCE_LEVELS, type Evidence } from '../schemas/knowledge/capsule-front-matter.ts';

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

/** Current capsules that share the most subjects with one, without those it already has a relation with. */
export function relatedCapsules(capsule: CapsuleEntry, capsules: readonly CapsuleEntry[], limit: number): CapsuleEntry[] {
  const neighbours = new Set(
    capsule.lineage.graph.nodes.filter(({ distance }) => Math.abs(distance) <= 1).map(({ capsule_id }) => capsule_id),
  );
  const shared = ({ metadata }: CapsuleEntry): number => metadata.tags.filter((tag) => capsule.metadata.tags.includes(tag)).length;
  return capsules
    .filter((other) => !neighbours.has(other.id) && other.metadata.status === 'current' && shared(other) > 0)
    .sort((a, b) => shared(b) - shared(a) || b.degree - a.degree || (a.id < b.id ? -1 : 1))
    .slice(0, limit);
}
