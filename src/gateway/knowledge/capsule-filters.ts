import type { CapsuleSummary } from '../../schemas/knowledge/capsule.ts';
import { EVIDENCE_LEVELS, FACET_NAMES } from '../../schemas/knowledge/kinds-and-levels.ts';
import type { FacetName, Facets, QueryFilters } from '../../schemas/knowledge/query.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { DAY_MS } from '../../schemas/time.ts';
import type { ColumnSpec, Columns } from '../../search/format/columns.ts';
import type { AttributeValue } from '../../search/search-document.ts';

export const CAPSULE_COLUMNS: readonly ColumnSpec[] = [
  { name: 'type', kind: 'keyword' },
  { name: 'language', kind: 'keyword' },
  { name: 'license', kind: 'keyword' },
  { name: 'evidence', kind: 'keyword' },
  { name: 'status', kind: 'keyword' },
  { name: 'tags', kind: 'keywords' },
  { name: 'updated', kind: 'number' },
];

export function capsuleAttributes(capsule: CapsuleSummary): Record<string, AttributeValue> {
  const { type, language, license, evidence, status, tags, updated } = capsule;
  return { type, language, license, evidence, status, tags, updated: dayNumber(updated) };
}

export function dayNumber(isoDate: string): number {
  return Math.floor(Date.parse(`${isoDate}T00:00:00Z`) / DAY_MS);
}

export type Condition = (document: number) => boolean;

const CONDITIONS: { readonly [Name in keyof QueryFilters]-?: (value: NonNullable<QueryFilters[Name]>, columns: Columns) => Condition } = {
  type: (type, columns) => columns.hasAny('type', [type]),
  tags: (tags, columns) => every(tags.map((tag) => columns.hasAny('tags', [tag]))),
  tags_any: (tags, columns) => columns.hasAny('tags', tags),
  // `en` includes `en-GB`, but not `eng` (RFC 4647 section 3.3.1, basic filtering).
  language: (range, columns) => columns.meets('language', (tag) => `${tag.toLowerCase()}-`.startsWith(`${range.toLowerCase()}-`)),
  license: (license, columns) => columns.hasAny('license', [license]),
  min_evidence: (least, columns) => columns.hasAny('evidence', EVIDENCE_LEVELS.slice(EVIDENCE_LEVELS.indexOf(least))),
  updated_after: (day, columns) => columns.isAbove('updated', dayNumber(day)),
  updated_before: (day, columns) => columns.isBelow('updated', dayNumber(day)),
  updated_within_days: (days, columns) => columns.isAbove('updated', columns.greatest('updated') - days),
  status: (status, columns) => columns.hasAny('status', [status]),
};

/** Conditions on the results of a request, by the JSON pointer of their member. */
export function conditionsOf(filters: QueryFilters, columns: Columns, excludeIds: readonly string[] = []): Map<string, Condition> {
  const conditions = new Map<string, Condition>();
  for (const name of Object.keys(CONDITIONS) as (keyof QueryFilters)[]) {
    const conditionFor = CONDITIONS[name] as (value: unknown, columns: Columns) => Condition;
    const value = filters[name];
    if (value !== undefined) conditions.set(`/filters/${name}`, conditionFor(value, columns));
  }
  if (excludeIds.length === 0) return conditions;
  const excluded = columns.documentNumbers(excludeIds);
  return conditions.set('/exclude_ids', (document) => !excluded.has(document));
}

export function every(conditions: Iterable<Condition>): Condition {
  const all = [...conditions];
  return (document) => all.every((condition) => condition(document));
}

const TIERS: Readonly<Record<CapsuleSummary['status'], number>> = { current: 0, superseded: 1, retracted: 2 };

export function capsuleTier({ status }: CapsuleSummary): number {
  return TIERS[status];
}

/** Counts column values over documents, most frequent first, in the published order of facets. */
export function countFacets(requested: readonly FacetName[], columns: Columns, documents: Uint32Array) {
  const counted: Facets = {};
  const cut: FacetName[] = [];
  for (const name of FACET_NAMES) {
    if (!requested.includes(name)) continue;
    const values = columns.count(name, documents);
    counted[name] = values.slice(0, LIMITS.facetValuesMax);
    if (values.length > LIMITS.facetValuesMax) cut.push(name);
  }
  return { counted, cut };
}
