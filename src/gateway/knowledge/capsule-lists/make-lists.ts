import type { CapsuleMetadata } from '../../../schemas/knowledge/capsule.ts';
import { CapsuleType } from '../../../schemas/knowledge/capsule-fields.ts';
import type { Counts, ListDirectory, ListEntry, ListFacets } from '../../../schemas/knowledge/capsule-lists.ts';
import { EVIDENCE_LEVELS } from '../../../schemas/knowledge/kinds-and-levels.ts';
import { type Subjects, subjectOf, subjectTitle } from '../../../schemas/knowledge/sections.ts';
import { remembered } from '../../memory-caches.ts';
import { dayNumber } from '../capsule-filters.ts';
import { stateOf } from '../capsule-status-sentences.ts';
import { FACETS, type ListStore } from './list-store.ts';

const NEWEST_MAX = 600;

/** Number of capsules from which on the newest ones, and those with a rare value, are also in a list of their own, so on few pages. */
const MANY_CAPSULES = 2_000;

/** A value is rare if at most one capsule in so many has it: others are dense enough among all capsules. */
const RARE_SHARE = 8;

/** The last day that {@link ListStore.days} can hold, which is in 2149. */
const LAST_DAY = 2 ** 16 - 1;

export const NEWEST_GROUP = 'newest';

interface ListedGroup {
  /** Empty for all capsules, `tag:http` for a subject, `type:concept` for a rare value, {@link NEWEST_GROUP} for the newest. */
  readonly name: string;
  readonly members: readonly number[];
}

/** @param described Subjects whose titles decide their order; what they list is read first. */
export function makeLists(capsules: readonly CapsuleMetadata[], language: string, described?: Subjects) {
  const byTitle = titleOrder(capsules, language);
  const subjects = new Map<string, number[]>();
  for (const number of byTitle)
    for (const tag of new Set(capsules[number]?.tags)) remembered(subjects, tag, (): number[] => []).push(number);
  const { compare } = new Intl.Collator(language, { numeric: true });
  const tags = [...subjects]
    .map(([tag, members]) => ({
      tag,
      members: inReadingOrder(members, capsules, subjectOf(tag, described)?.items),
      title: subjectTitle(tag, described),
    }))
    .sort((a, b) => compare(a.title, b.title) || (a.tag < b.tag ? -1 : 1));
  const isLarge = capsules.length >= MANY_CAPSULES;
  const newest = !isLarge ? [] : newestOf(capsules, byTitle).slice(0, NEWEST_MAX);
  const values = {
    type: CapsuleType.options,
    evidence: [...EVIDENCE_LEVELS],
    language: [...new Set(capsules.map((capsule) => capsule.language))].sort(),
  };
  const facets = countFacets(capsules, values);
  const rare: ListDirectory['rare'] = isLarge
    ? FACETS.flatMap((name) =>
        facets[name].flatMap(([value, count]): typeof rare => (count * RARE_SHARE > capsules.length ? [] : [[name, value, count]])),
      )
    : [];
  const groups: ListedGroup[] = [
    { name: '', members: byTitle },
    ...tags.map(({ tag, members }) => ({ name: `tag:${tag}`, members })),
    ...rare.map(([name, value]) => ({
      name: `${name}:${value}`,
      members: byTitle.filter((number) => facetValue(capsules[number] as CapsuleMetadata, name) === value),
    })),
    ...(newest.length === 0 ? [] : [{ name: NEWEST_GROUP, members: newest }]),
  ];
  const length = groups.reduce((sum, { members }) => sum + members.length, 0);
  const facts = { type: new Uint8Array(length), evidence: new Uint8Array(length), language: new Uint16Array(length) };
  const days = new Uint16Array(length);
  const codes = { type: codesOf(values.type), evidence: codesOf(values.evidence), language: codesOf(values.language) };
  const dayOf = capsules.map(({ updated }) => Math.min(LAST_DAY, dayNumber(updated)));
  let position = 0;
  for (const { members } of groups)
    for (const number of members) {
      const capsule = capsules[number];
      if (capsule === undefined) throw new RangeError('a list names no capsule');
      facts.type[position] = codes.type.get(capsule.type) ?? 0;
      facts.evidence[position] = codes.evidence.get(capsule.evidence) ?? 0;
      facts.language[position] = codes.language.get(capsule.language) ?? 0;
      days[position] = dayOf[number] ?? 0;
      position += 1;
    }
  const countStatus = (status: CapsuleMetadata['status']): number => capsules.filter((capsule) => capsule.status === status).length;
  const directory: Omit<ListDirectory, 'pageStarts'> = {
    counts: {
      capsules: capsules.length,
      sources: new Set(capsules.flatMap(({ sources }) => sources.map(({ url }) => url))).size,
      superseded: countStatus('superseded'),
      retracted: countStatus('retracted'),
    },
    facets,
    subjects: tags.map(({ tag, members }) => [tag, members.length]),
    rare,
    newest: newest.length,
    values,
  };
  return { directory, groups, days, facts };
}

/** What lists show of each of some capsules, in their order. */
export function listEntries(capsules: readonly CapsuleMetadata[]): { readonly id: string; readonly entry: ListEntry }[] {
  const byId = new Map(capsules.map((capsule) => [capsule.capsule_id, capsule]));
  return capsules.map((capsule) => {
    const { capsule_id: id, title, summary, type, language, evidence, price, prices, superseded_by = '' } = capsule;
    const by = byId.get(superseded_by);
    const replacement = by && { replacement: { title: by.title, status: by.status, language: by.language } };
    const shown = { title, summary, type, language, evidence, ...stateOf(capsule), ...replacement };
    return { id, entry: { ...shown, ...(price && { price }), ...(prices && { prices }) } };
  });
}

function inReadingOrder(
  members: readonly number[],
  capsules: readonly CapsuleMetadata[],
  order: readonly string[] = [],
): readonly number[] {
  if (order.length === 0) return members;
  const places = new Map(order.map((id, place) => [id, place]));
  const placeOf = (number: number): number => places.get(capsules[number]?.capsule_id ?? '') ?? order.length;
  return members.toSorted((a, b) => placeOf(a) - placeOf(b));
}

export function listsInMemory(capsules: readonly CapsuleMetadata[], language: string, described?: Subjects): ListStore {
  const { directory, groups, days, facts } = makeLists(capsules, language, described);
  const sequence = groups.flatMap(({ members }) => members);
  const listed = listEntries(capsules);
  const entries = async (positions: readonly number[]) =>
    positions.map((position) => {
      const entry = listed[sequence[position] ?? -1];
      if (entry === undefined) throw new RangeError('no entry has this position');
      return entry;
    });
  return { directory: async () => ({ ...directory, pageStarts: [0] }), days: async () => days, facts: async () => facts, entries };
}

function newestOf(capsules: readonly CapsuleMetadata[], byTitle: readonly number[]): number[] {
  const updated = (number: number): string => capsules[number]?.updated ?? '';
  return byTitle.toSorted((a, b) => (updated(a) === updated(b) ? 0 : updated(a) > updated(b) ? -1 : 1));
}

function facetValue(capsule: CapsuleMetadata, name: keyof ListFacets): string {
  return name === 'changed' ? capsule.updated.slice(0, 'YYYY'.length) : capsule[name];
}

function countFacets(capsules: readonly CapsuleMetadata[], values: ListDirectory['values']): ListFacets {
  const counted = (name: keyof ListFacets): Map<string, number> => {
    const groups = Map.groupBy(capsules, (capsule) => facetValue(capsule, name));
    return new Map([...groups].map(([value, { length }]) => [value, length]));
  };
  const inOrder = (order: readonly string[], counts: ReadonlyMap<string, number>): Counts =>
    order.flatMap((value) => (counts.has(value) ? [[value, counts.get(value) ?? 0]] : []));
  return {
    type: inOrder(values.type, counted('type')),
    evidence: inOrder(values.evidence.toReversed(), counted('evidence')),
    language: [...counted('language')].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1)),
    changed: [...counted('changed')].sort(([a], [b]) => (a > b ? -1 : 1)),
  };
}

function codesOf(values: readonly string[]): ReadonlyMap<string, number> {
  return new Map(values.map((value, code) => [value, code]));
}

/** Leading articles that catalogues of libraries pass over, by primary language subtag. */
const ARTICLES: Readonly<Record<string, RegExp>> = {
  ca: /^(?:el|la|els|les|un|una)\s+|^l['’]/i,
  da: /^(?:den|det|de|en|et)\s+/i,
  de: /^(?:der|die|das|ein|eine)\s+/i,
  en: /^(?:a|an|the)\s+/i,
  es: /^(?:el|la|los|las|un|una|unos|unas)\s+/i,
  fr: /^(?:le|la|les|un|une|des)\s+|^l['’]/i,
  it: /^(?:il|lo|la|i|gli|le|un|uno|una)\s+|^(?:l|un)['’]/i,
  nb: /^(?:den|det|de|en|ei|et)\s+/i,
  nl: /^(?:de|het|een)\s+/i,
  pt: /^(?:o|a|os|as|um|uma|uns|umas)\s+/i,
  sv: /^(?:den|det|de|en|ett)\s+/i,
};

type Titled = Pick<CapsuleMetadata, 'capsule_id' | 'title' | 'language'>;

/** Positions of capsules by title, without leading articles as in the catalogue of a library; those with one title by id. */
export function titleOrder(capsules: readonly Titled[], language: string): number[] {
  const { compare } = new Intl.Collator(language, { numeric: true });
  const keys = capsules.map(sortKey);
  return capsules
    .map((_, position) => position)
    .sort((a, b) => compare(keys[a] ?? '', keys[b] ?? '') || ((capsules[a]?.capsule_id ?? '') < (capsules[b]?.capsule_id ?? '') ? -1 : 1));
}

function sortKey({ title, language }: Titled): string {
  const [primary = ''] = language.split('-');
  const article = ARTICLES[primary];
  return (article === undefined ? title : title.replace(article, '')) || title;
}
