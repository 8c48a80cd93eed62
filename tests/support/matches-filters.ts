import type { CapsuleSummary } from '../../src/schemas/knowledge/capsule.ts';
import { EVIDENCE_LEVELS } from '../../src/schemas/knowledge/kinds-and-levels.ts';
import type { QueryFilters } from '../../src/schemas/knowledge/query.ts';

export function matchesFilters(capsule: CapsuleSummary, filters: QueryFilters): boolean {
  return (
    (filters.type === undefined || capsule.type === filters.type) &&
    (filters.tags ?? []).every((tag) => capsule.tags.includes(tag)) &&
    (filters.tags_any === undefined || filters.tags_any.some((tag) => capsule.tags.includes(tag))) &&
    (filters.language === undefined || `${capsule.language}-`.toLowerCase().startsWith(`${filters.language}-`.toLowerCase())) &&
    (filters.license === undefined || capsule.license === filters.license) &&
    (filters.min_evidence === undefined || EVIDENCE_LEVELS.indexOf(capsule.evidence) >= EVIDENCE_LEVELS.indexOf(filters.min_evidence)) &&
    (filters.updated_after === undefined || capsule.updated > filters.updated_after) &&
    (filters.updated_before === undefined || capsule.updated < filters.updated_before) &&
    (filters.status === undefined || capsule.status === filters.status)
  );
}
