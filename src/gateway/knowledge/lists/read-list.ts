import {
  type ConditionName,
  type Counts,
  hasOwnAddress,
  type ListConditions,
  type ListDirectory,
  type ListedCapsule,
  type ListFacets,
  type ListRequest,
  setConditions,
} from '../../../schemas/knowledge/capsule-lists.ts';
import { dateOfDay, type ListFacts, type ListStore } from './list-store.ts';

/** Capsules on a page of a list. */
export const LIST_PAGE_SIZE = 30;

/** Most capsules that /capsules shows on one page, by kind; from there on it is a list in pages. */
export const OVERVIEW_MAX = 100;

/** Subjects on a page of the list of subjects. */
export const SUBJECTS_PAGE_SIZE = 500;

/** Most subjects beside a list. */
const COMMON_SUBJECTS_MAX = 20;

/** A page of a list of capsules. */
export interface ListPage {
  readonly request: ListRequest;
  /** Capsules on this page; all of them on an overview. */
  readonly capsules: readonly ListedCapsule[];
  /** Number of capsules in the list, and of its pages. */
  readonly total: number;
  readonly pages: number;
  /** Whether the page is an overview of a small corpus, by kind. */
  readonly isOverview: boolean;
  /** Whether the page has an address of its own, so that it is a file where the pages of capsules are files. */
  readonly isFile: boolean;
  readonly counts: ListDirectory['counts'];
  /**
   * Values to choose, with their numbers: of all capsules if the page has an address of its own, or else of those that meet the other conditions.
   * None for the own lists of a corpus that has an overview.
   */
  readonly facets: ListFacets;
  /** The most common subjects of all capsules, on an overview all subjects, in alphabetical order; and the number of all subjects. */
  readonly subjects: { readonly common: Counts; readonly total: number };
}

/** A page of the list of subjects. */
export interface SubjectsPage {
  /** Tags of this page with the number of their capsules, in alphabetical order. */
  readonly subjects: Counts;
  readonly page: number;
  readonly pages: number;
  readonly total: number;
}

/** Whether a corpus has an overview on one page in place of lists. */
export function hasOverview({ counts }: Pick<ListDirectory, 'counts'>): boolean {
  return counts.capsules <= OVERVIEW_MAX;
}

/** Reads a page of a list, whose first page may be empty; `undefined` for a page that does not exist. */
export async function readListPage(request: ListRequest, store: ListStore): Promise<ListPage | undefined> {
  const directory = await store.directory();
  const conditions = setConditions(request.conditions);
  const isOverview = hasOverview(directory) && conditions.length === 0 && request.sort === 'title';
  const [selected, days] = await Promise.all([selectEntries(request, directory, store), store.days()]);
  const size = isOverview ? Math.max(1, directory.counts.capsules) : LIST_PAGE_SIZE;
  const pages = Math.max(1, Math.ceil(selected.total / size));
  if (request.page > pages) return undefined;
  const positions = await selected.positions((request.page - 1) * size, request.page * size);
  const entries = await store.entries(positions);
  return {
    request,
    capsules: entries.map(({ id, entry }, at) => ({ id, metadata: { ...entry, updated: dateOfDay(days[positions[at] ?? 0] ?? 0) } })),
    total: selected.total,
    pages,
    isOverview,
    isFile: hasOwnAddress(request) && (selected.total > 0 || conditions.length === 0),
    counts: directory.counts,
    facets: await facetsOf(request, directory, store),
    subjects: { common: isOverview ? directory.subjects : commonSubjects(directory.subjects), total: directory.subjects.length },
  };
}

/** Reads a page of the list of subjects; `undefined` if it does not exist, as without any subject. */
export async function readSubjectsPage(page: number, store: Pick<ListStore, 'directory'>): Promise<SubjectsPage | undefined> {
  const { subjects } = await store.directory();
  const pages = Math.max(1, Math.ceil(subjects.length / SUBJECTS_PAGE_SIZE));
  if (page > pages || subjects.length === 0) return undefined;
  return { subjects: subjects.slice((page - 1) * SUBJECTS_PAGE_SIZE, page * SUBJECTS_PAGE_SIZE), page, pages, total: subjects.length };
}

/** The first page of every list that has an address of its own, with the number of its pages: those that can be files. */
export function ownLists(directory: ListDirectory): { readonly request: ListRequest; readonly pages: number }[] {
  const list = (conditions: ListConditions, count: number, sort: ListRequest['sort'] = 'title') => ({
    request: { conditions, sort, page: 1 },
    pages: Math.max(1, Math.ceil(count / LIST_PAGE_SIZE)),
  });
  const { counts, facets } = directory;
  const ofSubjects = directory.subjects.map(([tag, count]) => list({ tag }, count));
  if (hasOverview(directory)) return [list({}, 0), ...ofSubjects];
  const named = (Object.keys(facets) as (keyof ListFacets)[]).flatMap((name) =>
    facets[name].map(([value, count]) => list({ [name]: value }, count)),
  );
  return [list({}, counts.capsules), list({}, counts.capsules, 'newest'), ...named, ...ofSubjects];
}

/** The most common subjects, in alphabetical order. */
function commonSubjects(subjects: Counts): Counts {
  return subjects
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, COMMON_SUBJECTS_MAX)
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

/** A part of the sequence of entries. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/** The part of the sequence that has all capsules of a subject by title, or all capsules; empty for an unknown subject. */
function rangeOf(tag: string | undefined, { counts, subjects }: ListDirectory): Range {
  if (tag === undefined) return { start: 0, end: counts.capsules };
  let start = counts.capsules;
  for (const [subject, count] of subjects) {
    if (subject === tag) return { start, end: start + count };
    start += count;
  }
  return { start: 0, end: 0 };
}

/** Whether an entry meets a condition. */
type Test = (position: number) => boolean;

/** The tests of all conditions except that on the subject, by name. */
function testsOf(conditions: ListConditions, { values }: ListDirectory, facts: ListFacts, days: Uint16Array): Map<ConditionName, Test> {
  const tests = new Map<ConditionName, Test>();
  for (const name of ['type', 'evidence', 'language'] as const) {
    const value = conditions[name];
    if (value === undefined) continue;
    const code = (values[name] as readonly string[]).indexOf(value);
    const codes = facts[name];
    tests.set(name, (position) => codes[position] === code);
  }
  if (conditions.changed !== undefined) {
    const { from, to } = daysOf(conditions.changed);
    tests.set('changed', (position) => (days[position] ?? 0) >= from && (days[position] ?? 0) < to);
  }
  return tests;
}

/** The days of a year or a month; `to` is exclusive. */
function daysOf(period: string): { readonly from: number; readonly to: number } {
  const [year = 0, month] = period.split('-').map(Number);
  const first = (y: number, m: number): number => Date.UTC(y, m, 1) / 86_400_000;
  return month === undefined ? { from: first(year, 0), to: first(year + 1, 0) } : { from: first(year, month - 1), to: first(year, month) };
}

/** What a request selects: how many entries, and the positions of a part of them in its order. */
interface Selection {
  readonly total: number;
  readonly positions: (start: number, end: number) => Promise<number[]>;
}

async function selectEntries(request: ListRequest, directory: ListDirectory, store: ListStore): Promise<Selection> {
  const { tag, ...others } = request.conditions;
  const range = rangeOf(tag, directory);
  const consecutive = ({ start: first, end: last }: Range, start: number, end: number): number[] =>
    Array.from({ length: Math.max(0, Math.min(last, first + end) - (first + start)) }, (_, at) => first + start + at);
  const isFiltered = setConditions(others).length > 0;
  const total = range.end - range.start;
  if (!isFiltered && request.sort === 'title') return { total, positions: async (start, end) => consecutive(range, start, end) };
  const days = await store.days();
  const tests = isFiltered ? [...testsOf(others, directory, await store.facts(), days).values()] : [];
  const isNewest = request.sort === 'newest';
  if (isNewest && !isFiltered && tag === undefined) {
    const newest = { start: days.length - directory.newest, end: days.length };
    return {
      total,
      positions: async (start, end) =>
        end <= directory.newest ? consecutive(newest, start, end) : newestFirst(matchesIn(range, tests), days).slice(start, end),
    };
  }
  const matches = matchesIn(range, tests);
  return { total: matches.length, positions: async (start, end) => (isNewest ? newestFirst(matches, days) : matches).slice(start, end) };
}

function matchesIn({ start, end }: Range, tests: readonly Test[]): number[] {
  const matches: number[] = [];
  for (let position = start; position < end; position++) if (tests.every((test) => test(position))) matches.push(position);
  return matches;
}

/** Positions by day, newest first, otherwise in their order: a counting sort, because a corpus has many capsules and few days. */
function newestFirst(positions: readonly number[], days: Uint16Array): number[] {
  const byDay = new Map<number, number[]>();
  for (const position of positions) {
    const day = days[position] ?? 0;
    const ofDay = byDay.get(day);
    if (ofDay === undefined) byDay.set(day, [position]);
    else ofDay.push(position);
  }
  return [...byDay].sort(([a], [b]) => b - a).flatMap(([, ofDay]) => ofDay);
}

const NO_FACETS: ListFacets = { type: [], evidence: [], language: [], changed: [] };

async function facetsOf(request: ListRequest, directory: ListDirectory, store: ListStore): Promise<ListFacets> {
  if (!hasOwnAddress(request)) return narrowedFacets(request.conditions, directory, store);
  return hasOverview(directory) ? NO_FACETS : directory.facets;
}

/** Counts of each facet over the entries that meet the conditions on the others. */
async function narrowedFacets(conditions: ListConditions, directory: ListDirectory, store: ListStore): Promise<ListFacets> {
  const [facts, days] = await Promise.all([store.facts(), store.days()]);
  const range = rangeOf(conditions.tag, directory);
  const tests = testsOf(conditions, directory, facts, days);
  const without = (name: ConditionName): Test[] => [...tests].flatMap(([other, test]) => (other === name ? [] : [test]));
  const counted = (name: 'type' | 'evidence' | 'language'): Counts => {
    const counts = new Uint32Array(directory.values[name].length);
    const others = without(name);
    for (let position = range.start; position < range.end; position++)
      if (others.every((test) => test(position))) counts[facts[name][position] ?? 0] = (counts[facts[name][position] ?? 0] ?? 0) + 1;
    return directory.facets[name].flatMap(([value]) => {
      const count = counts[(directory.values[name] as readonly string[]).indexOf(value)] ?? 0;
      return count === 0 ? [] : [[value, count] as [string, number]];
    });
  };
  return {
    type: counted('type'),
    evidence: counted('evidence'),
    language: counted('language'),
    changed: periodsOf(matchesIn(range, without('changed')), conditions.changed, days),
  };
}

/** Counts by year of the last change, or by month of the year that a condition names, newest first. */
function periodsOf(positions: readonly number[], changed: string | undefined, days: Uint16Array): Counts {
  const perDay = new Map<number, number>();
  for (const position of positions) perDay.set(days[position] ?? 0, (perDay.get(days[position] ?? 0) ?? 0) + 1);
  const year = changed?.slice(0, 4);
  const counts = new Map<string, number>();
  for (const [day, count] of perDay) {
    const date = dateOfDay(day);
    const period = year === undefined ? date.slice(0, 4) : date.slice(0, 7);
    if (year === undefined || period.startsWith(year)) counts.set(period, (counts.get(period) ?? 0) + count);
  }
  return [...counts].sort(([a], [b]) => (a > b ? -1 : 1));
}
