import { EVIDENCE_LEVELS } from '../schemas/knowledge/capsule-front-matter.ts';
import type { CapsuleEntry } from './site-content.ts';

/** A capsule in a list of the home page. */
export type OverviewCapsule = Pick<CapsuleEntry, 'id' | 'metadata' | 'degree'>;

/** What pages other than those of capsules and their lists show of a corpus: a few values, whatever its size. */
export interface CorpusOverview {
  readonly counts: CorpusCounts;
  /** Current capsules with the newest change. */
  readonly newest: readonly OverviewCapsule[];
  /** Current capsules with the most relations; none without any relation. */
  readonly mostConnected: readonly OverviewCapsule[];
  /** A capsule for examples: current and free, with as many relations as possible. */
  readonly connectedExample: OverviewCapsule | undefined;
  /** A capsule for examples in guides: the first one that is current and free, or else the first one. */
  readonly firstExample: OverviewCapsule | undefined;
}

/** Counts of the current versions of all capsules. `sources` are distinct addresses; `evidence` begins with the strongest. */
export type CorpusCounts = ReturnType<typeof countCapsules>;

/** Capsules in each list of the home page. */
const SHOWN = 5;

/** The overview of a corpus. */
export function corpusOverview(capsules: readonly OverviewCapsule[]): CorpusOverview {
  const shown = ({ id, metadata, degree }: OverviewCapsule): OverviewCapsule => ({ id, metadata, degree });
  const current = capsules.filter(({ metadata }) => metadata.status === 'current');
  const connected = firstOf(current, (a, b) => b.degree - a.degree, SHOWN);
  const free = current.filter(({ metadata }) => metadata.access === 'public');
  const newest = firstOf(
    current,
    ({ metadata: a }, { metadata: b }) => descending(a.updated, b.updated) || descending(a.created, b.created),
    SHOWN,
  );
  return {
    counts: countCapsules(capsules),
    newest: newest.map(shown),
    mostConnected: connected.filter(({ degree }) => degree > 0).map(shown),
    connectedExample: firstOf(free, (a, b) => b.degree - a.degree, 1).map(shown)[0],
    firstExample: [free[0] ?? capsules[0]].flatMap((capsule) => (capsule === undefined ? [] : [shown(capsule)]))[0],
  };
}

function countCapsules(capsules: readonly OverviewCapsule[]) {
  const all = capsules.map(({ metadata }) => metadata);
  return {
    capsules: all.length,
    superseded: all.filter(({ status }) => status === 'superseded').length,
    retracted: all.filter(({ status }) => status === 'retracted').length,
    versions: all.reduce((sum, { versions }) => sum + versions.length, 0),
    sources: new Set(all.flatMap(({ sources }) => sources.map(({ url }) => url))).size,
    /** Capsules that name a source. */
    sourced: all.filter(({ sources }) => sources.length > 0).length,
    tags: new Set(all.flatMap(({ tags }) => tags)).size,
    words: all.reduce((sum, { words }) => sum + words, 0),
    /** `undefined` without capsules. */
    newestChange: all.reduce<string | undefined>(
      (latest, { updated }) => (latest === undefined || updated > latest ? updated : latest),
      undefined,
    ),
    evidence: EVIDENCE_LEVELS.toReversed().map((level) => ({ level, count: all.filter(({ evidence }) => evidence === level).length })),
  };
}

/** The first `count` items in an order, equal ones as they come, without sorting all. */
function firstOf<T>(items: readonly T[], compare: (a: T, b: T) => number, count: number): T[] {
  const first: T[] = [];
  for (const item of items) {
    const at = first.findIndex((other) => compare(item, other) < 0);
    if (at >= 0) first.splice(at, 0, item);
    else if (first.length < count) first.push(item);
    if (first.length > count) first.pop();
  }
  return first;
}

function descending(a: string, b: string): number {
  return a === b ? 0 : a > b ? -1 : 1;
}
