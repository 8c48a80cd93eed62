import type { QueryFilters } from '../../schemas/knowledge/query.ts';
import type { Columns } from '../../search/format/columns.ts';
import { type Condition, conditionsOf } from './capsule-columns.ts';

/** What the results of one request must meet, by the pointer of the member that asks for it. */
export class QueryConditions {
  readonly all: ReadonlyMap<string, Condition>;

  constructor(filters: QueryFilters, excludeIds: readonly string[], columns: Columns) {
    const all = new Map<string, Condition>();
    for (const [name, condition] of conditionsOf(filters, columns)) all.set(`/filters/${name}`, condition);
    if (excludeIds.length > 0) {
      const excluded = columns.documentNumbers(excludeIds);
      all.set('/exclude_ids', (document) => !excluded.has(document));
    }
    this.all = all;
  }
}
