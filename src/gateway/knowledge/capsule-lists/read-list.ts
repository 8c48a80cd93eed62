import {
  type Counts,
  hasOwnAddress,
  type ListConditions,
  type ListDirectory,
  type ListedCapsule,
  type ListFacets,
  type ListRequest,
  setConditions,
} from '../../../schemas/knowledge/capsule-lists.ts';
import { DAY_MS, dayOf } from '../../../schemas/time.ts';
import { FACETS, type ListFacts, type ListStore } from './list-store.ts';

export const LIST_PAGE_SIZE = 30;

/** Most capsules that /capsules shows on one page, by kind; from there on it is a list in pages. */
const OVERVIEW_MAX = 100;

export const SUBJECTS_PAGE_SIZE = 500;

const COMMON_SUBJECTS_MAX = 20;

export interface ListPage {
  readonly request: ListRequest;
  readonly capsules: readonly ListedCapsule[];
  /** Parameters of the address that were ignored; absent without any. */
  readonly ignored?: readonly string[];
  readonly total: number;
  readonly pages: number;
  readonly isOverview: boolean;
  /** Whether the page has an address of its own, so that it is a file where the pages of capsules are files. */
  readonly isFile: boolean;
  readonly counts: ListDirectory['counts'];
  /** Values to choose: of all capsules if the page has an address of its own, else of those that meet the other conditions. */
  readonly facets: ListFacets;
  /** The most common subjects of all capsules, on an overview all subjects, in the order of their titles; and the number of all subjects. */
  readonly subjects: { readonly common: Counts; readonly total: number };
  /** Tags of each capsule by its id; on an overview alone, whose script filters by them. */
  readonly tags?: Readonly<Record<string, readonly string[]>>;
}

export interface SubjectsPage {
  readonly subjects: Counts;
  /** All tags, in this order: what stands on which page. */
  readonly tags: readonly string[];
  readonly page: number;
  readonly pages: number;
  readonly total: number;
}

export interface ShownList {
  readonly list?: ListPage | undefined;
  readonly subjects?: SubjectsPage | undefined;
}

function hasOverview({ counts }: Pick<ListDirectory, 'counts'>): boolean {
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
    capsules: entries.map(({ id, entry }, at) => ({
      id,
      metadata: { ...entry, updated: dayOf(DAY_MS * (days[positions[at] ?? 0] ?? 0)) },
    })),
    total: selected.total,
    pages,
    isOverview,
    isFile: hasOwnAddress(request) && (selected.total > 0 || conditions.length === 0),
    counts: directory.counts,
    facets: await facetsOf(request, directory, store),
    subjects: { common: isOverview ? directory.subjects : commonSubjects(directory.subjects), total: directory.subjects.length },
    ...(isOverview ? { tags: await tagsOf(directory, store) } : {}),
  };
}

async function tagsOf({ counts, subjects }: ListDirectory, store: ListStore): Promise<Record<string, string[]>> {
  const tags = subjects.flatMap(([tag, count]) => new Array<string>(count).fill(tag));
  const entries = await store.entries(tags.map((_, at) => counts.capsules + at));
  const byId = Map.groupBy(entries.keys(), (at) => entries[at]?.id ?? '');
  return Object.fromEntries([...byId].map(([id, places]) => [id, places.map((at) => tags[at] ?? '')]));
}

/** Reads a page of the list of subjects; `undefined` if it does not exist, as without any subject. */
export async function readSubjectsPage(page: number, store: Pick<ListStore, 'directory'>): Promise<SubjectsPage | undefined> {
  const { subjects } = await store.directory();
  const pages = Math.max(1, Math.ceil(subjects.length / SUBJECTS_PAGE_SIZE));
  if (page > pages || subjects.length === 0) return undefined;
  const shown = subjects.slice((page - 1) * SUBJECTS_PAGE_SIZE, page * SUBJECTS_PAGE_SIZE);
  return { subjects: shown, tags: subjects.map(([tag]) => tag), page, pages, total: subjects.length };
}

/** The first page of every list that has an address of its own, with the number of its pages: those that can be files. */
export function ownLists(directory: Omit<ListDirectory, 'pageStarts'>): { readonly request: ListRequest; readonly pages: number }[] {
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

export function countOwnPages(directory: Omit<ListDirectory, 'pageStarts'>): number {
  const ofCapsules = ownLists(directory).reduce((sum, { pages }) => sum + pages, 0);
  return ofCapsules + Math.ceil(directory.subjects.length / SUBJECTS_PAGE_SIZE);
}

function commonSubjects(subjects: Counts): Counts {
  const common = new Set(subjects.toSorted(([, a], [, b]) => b - a).slice(0, COMMON_SUBJECTS_MAX));
  return subjects.filter((subject) => common.has(subject));
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** The shortest part of the sequence that has all capsules that meet some conditions, and the conditions that select among them. */
function rangeOf(conditions: ListConditions, directory: ListDirectory): { readonly range: Range; readonly open: ListConditions } {
  const { counts, subjects, rare } = directory;
  const { tag, ...others } = conditions;
  let start = counts.capsules;
  let range: Range = { start: 0, end: tag === undefined ? counts.capsules : 0 };
  for (const [subject, count] of subjects) {
    if (subject === tag) range = { start, end: start + count };
    start += count;
  }
  let open = others;
  for (const [name, value, count] of rare) {
    if (others[name] === value && count < range.end - range.start && tag === undefined) {
      range = { start, end: start + count };
      open = { ...others };
      delete open[name];
    }
    start += count;
  }
  return { range, open };
}

function daysOf(period: string): { readonly from: number; readonly to: number } {
  const [year = 0, month] = period.split('-').map(Number);
  const first = (y: number, m: number): number => Date.UTC(y, m, 1) / DAY_MS;
  return month === undefined ? { from: first(year, 0), to: first(year + 1, 0) } : { from: first(year, month - 1), to: first(year, month) };
}

/** For each entry of a range the conditions that it does not meet, as bits in the order of {@link FACETS}. */
type Failures = Uint8Array;

function failuresIn(range: Range, conditions: ListConditions, directory: ListDirectory, facts: ListFacts, days: Uint16Array): Failures {
  const { start, end } = range;
  const failures = new Uint8Array(end - start);
  for (const [at, name] of FACETS.entries()) {
    const value = conditions[name];
    if (value === undefined) continue;
    const code = name === 'changed' ? 0 : (directory.values[name] as readonly string[]).indexOf(value);
    const { from, to } = name === 'changed' ? daysOf(value) : { from: code, to: code + 1 };
    const facet = name === 'changed' ? days : facts[name];
    for (let position = start; position < end; position++) {
      const found = facet[position] ?? 0;
      if (found < from || found >= to) failures[position - start] = (failures[position - start] ?? 0) | (1 << at);
    }
  }
  return failures;
}

async function selectEntries(request: ListRequest, directory: ListDirectory, store: ListStore) {
  const { range, open } = rangeOf(request.conditions, directory);
  const consecutive = ({ start: first, end: last }: Range, start: number, end: number): number[] =>
    Array.from({ length: Math.max(0, Math.min(last, first + end) - (first + start)) }, (_, at) => first + start + at);
  const isFiltered = setConditions(open).length > 0;
  const total = range.end - range.start;
  const isNewest = request.sort === 'newest';
  if (!isFiltered && !isNewest) return { total, positions: async (start: number, end: number) => consecutive(range, start, end) };
  const days = await store.days();
  const newest = { start: days.length - directory.newest, end: days.length };
  const isAll = !isFiltered && total === directory.counts.capsules;
  const matches = isFiltered
    ? matchesIn(range, failuresIn(range, open, directory, await store.facts(), days))
    : Uint32Array.from({ length: total }, (_, at) => range.start + at);
  return {
    total: matches.length,
    positions: async (start: number, end: number) => {
      if (isAll && end <= directory.newest) return consecutive(newest, start, end);
      return [...(isNewest ? newestFirst(matches, days) : matches).slice(start, end)];
    },
  };
}

function matchesIn({ start }: Range, failures: Failures): Uint32Array {
  const matches = new Uint32Array(failures.length);
  let count = 0;
  for (let at = 0; at < failures.length; at++) if (failures[at] === 0) matches[count++] = start + at;
  return matches.subarray(0, count);
}

function countDays(positions: Uint32Array, days: Uint16Array): Uint32Array {
  const counts = new Uint32Array(2 ** 16);
  for (const position of positions) {
    const day = days[position] ?? 0;
    counts[day] = (counts[day] ?? 0) + 1;
  }
  return counts;
}

/** Positions by day, newest first, otherwise in their order: a counting sort, because a corpus has many capsules and few days. */
function newestFirst(positions: Uint32Array, days: Uint16Array): Uint32Array {
  const starts = countDays(positions, days);
  let start = 0;
  for (let day = starts.length - 1; day >= 0; day--) {
    const count = starts[day] ?? 0;
    starts[day] = start;
    start += count;
  }
  const sorted = new Uint32Array(positions.length);
  for (const position of positions) {
    const day = days[position] ?? 0;
    const at = starts[day] ?? 0;
    sorted[at] = position;
    starts[day] = at + 1;
  }
  return sorted;
}

const NO_FACETS: ListFacets = { type: [], evidence: [], language: [], changed: [] };

async function facetsOf(request: ListRequest, directory: ListDirectory, store: ListStore): Promise<ListFacets> {
  if (!hasOwnAddress(request)) return narrowedFacets(request.conditions, directory, store);
  return hasOverview(directory) ? NO_FACETS : directory.facets;
}

async function narrowedFacets({ tag, ...conditions }: ListConditions, directory: ListDirectory, store: ListStore): Promise<ListFacets> {
  const [facts, days] = await Promise.all([store.facts(), store.days()]);
  const { range } = rangeOf(tag === undefined ? {} : { tag }, directory);
  const failures = failuresIn(range, conditions, directory, facts, days);
  const meetingOthers = (name: keyof ListFacets): Uint32Array => {
    const others = ~(1 << FACETS.indexOf(name));
    const otherFailures = failures.map((failed) => failed & others);
    return matchesIn(range, otherFailures);
  };
  const counted = (name: 'type' | 'evidence' | 'language'): Counts => {
    const counts = new Uint32Array(directory.values[name].length);
    const codes = facts[name];
    for (const position of meetingOthers(name)) {
      const code = codes[position] ?? 0;
      counts[code] = (counts[code] ?? 0) + 1;
    }
    return directory.facets[name].flatMap(([value]) => {
      const count = counts[(directory.values[name] as readonly string[]).indexOf(value)] ?? 0;
      return count === 0 ? [] : [[value, count] as [string, number]];
    });
  };
  return {
    type: counted('type'),
    evidence: counted('evidence'),
    language: counted('language'),
    changed: periodsOf(countDays(meetingOthers('changed'), days), conditions.changed),
  };
}

function periodsOf(perDay: Uint32Array, changed: string | undefined): Counts {
  const year = changed?.slice(0, 'YYYY'.length);
  const counts = new Map<string, number>();
  for (const [day, count] of perDay.entries()) {
    if (count === 0) continue;
    const period = dayOf(DAY_MS * day).slice(0, (year === undefined ? 'YYYY' : 'YYYY-MM').length);
    if (year === undefined || period.startsWith(year)) counts.set(period, (counts.get(period) ?? 0) + count);
  }
  return [...counts].sort(([a], [b]) => (a > b ? -1 : 1));
}
