import type { CapsuleSummary } from '../../schemas/capsule.ts';
import { EVIDENCE_LEVELS } from '../../schemas/capsule-front-matter.ts';
import type { QueryFilters } from '../../schemas/query.ts';

/** Whether a capsule meets every condition. */
export function matchesFilters(capsule: CapsuleSummary, filters: QueryFilters): boolean {
  return (
    (filters.type === undefined || capsule.type === filters.type) &&
    (filters.tags ?? []).every((tag) => capsule.tags.includes(tag)) &&
    (filters.language === undefined || capsule.language === filters.language) &&
    (filters.license === undefined || capsule.license === filters.license) &&
    (filters.min_evidence === undefined || EVIDENCE_LEVELS.indexOf(capsule.evidence) >= EVIDENCE_LEVELS.indexOf(filters.min_evidence)) &&
    (filters.updated_after === undefined || capsule.updated > filters.updated_after) &&
    (filters.status === undefined || capsule.status === filters.status)
  );
}
