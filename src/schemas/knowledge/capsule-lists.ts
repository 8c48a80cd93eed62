import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { capsuleListPath, PATHS, subjectPath } from '../paths.ts';
import { Language } from '../primitives.ts';
import { CapsuleState, CapsuleSummary } from './capsule.ts';
import { CapsuleType, Evidence } from './capsule-fields.ts';
import { type Subjects, subjectName } from './sections.ts';

/** A capsule in a list, without the day of its last change, which changes more often than everything else. */
export const ListEntry = CapsuleSummary.pick({
  title: true,
  summary: true,
  type: true,
  language: true,
  evidence: true,
  price: true,
  prices: true,
}).extend({
  ...CapsuleState.shape,
  /** The capsule that replaces it. */
  replacement: CapsuleSummary.pick({ title: true, status: true, language: true }).optional(),
});
export type ListEntry = z.infer<typeof ListEntry>;

export interface ListedCapsule {
  readonly id: string;
  readonly metadata: ListEntry & Pick<CapsuleSummary, 'updated'>;
}

/** Values of one facet with their counts, in the order in which they are shown. */
const Counts = z.array(z.tuple([z.string(), z.int().min(1)]));
export type Counts = z.infer<typeof Counts>;

/** Facets of a list, by the name of the condition that selects a value. */
export const ListFacets = z.object({
  type: Counts,
  evidence: Counts,
  language: Counts,
  changed: Counts,
});
export type ListFacets = z.infer<typeof ListFacets>;

/** What lists of capsules begin with. Their entries are one sequence: all by title, each subject as it is read, rare values by title, the newest. */
export const ListDirectory = z.object({
  counts: z.object({ capsules: z.int(), sources: z.int(), superseded: z.int(), retracted: z.int() }),
  facets: ListFacets,
  /** Tags with the number of their capsules, in the order of their titles. */
  subjects: Counts,
  /** Values that few of many capsules have, whose capsules follow those of the subjects: name of the condition, value, number of capsules. */
  rare: z.array(z.tuple([z.enum(['type', 'evidence', 'language', 'changed']), z.string(), z.int().min(1)])),
  /** Length of the list of the newest capsules; 0 where reading the others is as cheap. */
  newest: z.int().min(0),
  /** Position of the first entry of each page of entries. */
  pageStarts: z.array(z.int().min(0)),
  /** Values that the codes in the facts of entries stand for. */
  values: z.object({ type: z.array(CapsuleType), evidence: z.array(Evidence), language: z.array(Language) }),
});
export type ListDirectory = z.infer<typeof ListDirectory>;

export const ListConditions = z.object({
  /** A tag, or what a reader typed as one: then no capsule has it. */
  tag: z
    .string()
    .min(1)
    .max(LIMITS.idMaxLength)
    // What was not UTF-8 in an address cannot be shown.
    .refine((text) => !text.includes('\ufffd'))
    .optional(),
  type: CapsuleType.optional(),
  evidence: Evidence.optional(),
  language: Language.optional(),
  /** Year or month of the last change: `2026`, `2026-11`. */
  changed: z
    .string()
    .regex(/^\d{4}(-(0[1-9]|1[0-2]))?$/)
    .optional(),
});
export type ListConditions = z.infer<typeof ListConditions>;

export type ConditionName = keyof ListConditions;

const CONDITION_NAMES = ['tag', 'type', 'evidence', 'language', 'changed'] as const satisfies readonly ConditionName[];

export interface ListRequest {
  readonly conditions: ListConditions;
  readonly sort: 'title' | 'newest';
  readonly page: number;
}

/** Segments after /capsules of the lists that have an address of their own: `by/newest`, `type/concept`, `page/2`. */
const NEWEST_LIST = ['by', 'newest'] as const;
const FURTHER_PAGES = 'page';

export const LIST_NAMES: readonly string[] = [FURTHER_PAGES, NEWEST_LIST[0], ...CONDITION_NAMES.filter((name) => name !== 'tag')];

function onlyCondition({ conditions, sort }: ListRequest): readonly [ConditionName, string] | undefined {
  const [first, ...others] = setConditions(conditions);
  return first === undefined || others.length > 0 || sort !== 'title' || (first[0] === 'changed' && first[1].length > 4)
    ? undefined
    : first;
}

export function setConditions(conditions: ListConditions): (readonly [ConditionName, string])[] {
  return CONDITION_NAMES.flatMap((name) => {
    const value = conditions[name];
    return value === undefined ? [] : [[name, value] as const];
  });
}

export function hasOwnAddress(request: ListRequest): boolean {
  return setConditions(request.conditions).length === 0 || onlyCondition(request) !== undefined;
}

export function listPath(request: ListRequest): string {
  const { conditions, sort, page } = request;
  const only = onlyCondition(request);
  if (only !== undefined) return only[0] === 'tag' ? subjectPath(only[1], page) : capsuleListPath(...only, page);
  if (hasOwnAddress(request))
    return sort === 'newest'
      ? capsuleListPath(...NEWEST_LIST, page)
      : page === 1
        ? PATHS.capsules
        : capsuleListPath(FURTHER_PAGES, `${page}`, 1);
  const parameters = new URLSearchParams(setConditions(conditions).map(([name, value]) => [name, value]));
  if (sort !== 'title') parameters.set('sort', sort);
  if (page > 1) parameters.set('page', `${page}`);
  return `${PATHS.capsules}?${parameters}`;
}

/** The list at `/capsules/<name>/<value>`, or one of its pages; `undefined` if no list can have the address. */
export function listAt(name: string, value: string, page: string | undefined): ListRequest | undefined {
  const number = furtherPage(page);
  if (number === undefined) return undefined;
  if (name === FURTHER_PAGES) {
    const further = furtherPage(value);
    return further === undefined || page !== undefined ? undefined : { conditions: {}, sort: 'title', page: further };
  }
  if (name === NEWEST_LIST[0]) return value === NEWEST_LIST[1] ? { conditions: {}, sort: 'newest', page: number } : undefined;
  const conditions = (CONDITION_NAMES as readonly string[]).includes(name) ? ListConditions.safeParse({ [name]: value }).data : undefined;
  const request = conditions && ({ conditions, sort: 'title', page: number } as const);
  return request !== undefined && name !== 'tag' && onlyCondition(request) !== undefined ? request : undefined;
}

/** The list that the parameters of `/capsules` select. Values that no capsule can have are left out, as are other parameters. `subject` is a tag. */
export function listSelected(sent: Readonly<Record<string, string>>, subjects?: Subjects): ListRequest {
  const parameters: Readonly<Record<string, string>> = { ...sent, tag: sent['tag']?.trim() || (sent['subject'] ?? '') };
  const conditions = Object.fromEntries(
    CONDITION_NAMES.flatMap((name) => {
      const value = parameters[name] ?? '';
      const { data } = ListConditions.safeParse({ [name]: name === 'tag' ? tagNamed(value, subjects) : value.trim() });
      return data?.[name] === undefined ? [] : [[name, data[name]]];
    }),
  );
  return { conditions, sort: parameters['sort'] === 'newest' ? 'newest' : 'title', page: pageNumber(parameters['page'] ?? '1') ?? 1 };
}

const CAMPAIGN_PARAMETER = /^(?:utm_\w+|mc_\w+|\w{1,8}clid|ref|source|campaign|client_reference_id)$/i;

const PLAIN_NAME = /^[\w.-]{1,40}$/;

/** Parameters with a value that a reader may have meant: without labels of campaigns. */
export function sentParameters(parameters: Readonly<Record<string, string>>): string[] {
  return Object.entries(parameters).flatMap(([name, value]) =>
    value.trim() !== '' && PLAIN_NAME.test(name) && !CAMPAIGN_PARAMETER.test(name) ? [name] : [],
  );
}

/** Parameters that {@link listSelected} leaves out: no filters, or values of no list; but not empty fields of a form and labels of campaigns. */
export function ignoredParameters(parameters: Readonly<Record<string, string>>, subjects?: Subjects): string[] {
  const { conditions } = listSelected(parameters, subjects);
  const isWrong = (name: string, value: string): boolean => {
    if (name === 'sort') return value !== 'title' && value !== 'newest';
    if (name === 'page') return pageNumber(value) === undefined;
    if (name === 'subject') return conditions.tag === undefined;
    if ((CONDITION_NAMES as readonly string[]).includes(name)) return conditions[name as ConditionName] === undefined;
    return unknown.includes(name);
  };
  const unknown = sentParameters(parameters);
  return Object.entries(parameters).flatMap(([name, value]) => (value.trim() !== '' && isWrong(name, value.trim()) ? [name] : []));
}

/** Parameters with a value that a later one of the same name replaces, such as `type=concept`: a list has one value of each filter. */
export function repeatedValues(sent: Iterable<readonly [string, string]>): string[] {
  const all = [...sent];
  return all.flatMap(([name, value], at) => {
    const isReplaced = all.slice(at + 1).some(([other, last]) => other === name && last !== value);
    return isReplaced && sentParameters({ [name]: value }).length > 0 ? [`${name}=${value.slice(0, LIMITS.idMaxLength)}`] : [];
  });
}

/** The tag that an address, a form or a filter names: by its id, by the title of its subject, as `C++`, or by its words, as `HTTP caching` for `http-caching`. */
export function tagNamed(text: string, subjects: Subjects = {}): string {
  if (Object.hasOwn(subjects, text)) return text;
  const name = text.normalize('NFC').trim().toLowerCase().replaceAll(/\s+/g, ' ');
  const titled = Object.entries(subjects).find(([, { title }]) => title.toLowerCase() === name);
  return titled?.[0] ?? name.replaceAll(/[ _]/g, '-');
}

/** Filters of a query with the ids of tags in the place of their names. */
export function withTagIds<Filters extends { readonly tags?: string[] | undefined; readonly tags_any?: string[] | undefined }>(
  filters: Filters,
  subjects: Subjects,
): Filters {
  const { tags, tags_any: any } = filters;
  const ids = (names: readonly string[]): string[] => names.map((name) => tagNamed(name, subjects));
  return { ...filters, ...(tags && { tags: ids(tags) }), ...(any && { tags_any: ids(any) }) };
}

/** Counted values, with the names of tags whose ids do not say them: `C++` for `c-plus-plus`. */
export function withTagNames<Counted extends { readonly value: string }>(
  values: readonly Counted[],
  subjects: Subjects,
): (Counted & { readonly name?: string })[] {
  return values.map((counted) => {
    const name = subjectName(counted.value, subjects);
    return name.toLowerCase().replaceAll(/\s+/g, '-') === counted.value ? counted : { ...counted, name };
  });
}

export function furtherPage(text: string | undefined): number | undefined {
  const number = pageNumber(text ?? '1');
  return text !== undefined && number === 1 ? undefined : number;
}

function pageNumber(text: string): number | undefined {
  return /^[1-9]\d{0,6}$/.test(text) ? Number(text) : undefined;
}
