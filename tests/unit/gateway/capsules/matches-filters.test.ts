import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { matchesFilters } from '../../../../src/gateway/capsules/matches-filters.ts';
import type { CapsuleSummary } from '../../../../src/schemas/capsule.ts';
import { EVIDENCE_LEVELS } from '../../../../src/schemas/capsule-front-matter.ts';
import type { QueryFilters } from '../../../../src/schemas/query.ts';

const capsule: CapsuleSummary = {
  capsule_id: 'a',
  version: '1.0.0',
  title: 'A title',
  summary: 's',
  type: 'protocol',
  tags: ['http', 'caching'],
  language: 'en',
  license: 'CC-BY-4.0',
  evidence: 'documented',
  status: 'current',
  access: 'public',
  created: '2026-01-01',
  updated: '2026-06-15',
  words: 1,
  tokens: 1,
  content_sha256: '0'.repeat(64),
};

describe('matchesFilters()', () => {
  test.each<[filters: QueryFilters, matches: boolean]>([
    [{}, true],
    [{ type: 'protocol' }, true],
    [{ type: 'concept' }, false],
    [{ tags: ['http'] }, true],
    [{ tags: ['caching', 'http'] }, true],
    [{ tags: ['http', 'x402'] }, false],
    [{ tags: ['htt'] }, false],
    [{ language: 'en' }, true],
    [{ language: 'en-GB' }, false],
    [{ license: 'CC-BY-4.0' }, true],
    [{ license: 'cc-by-4.0' }, false],
    [{ min_evidence: 'reported' }, true],
    [{ min_evidence: 'documented' }, true],
    [{ min_evidence: 'specified' }, false],
    [{ updated_after: '2026-06-14' }, true],
    [{ updated_after: '2026-06-15' }, false],
    [{ status: 'current' }, true],
    [{ status: 'retracted' }, false],
    [{ type: 'protocol', tags: ['http'], status: 'superseded' }, false],
  ])('of %j is %s', (filters, matches) => {
    expect(matchesFilters(capsule, filters)).toBe(matches);
  });

  test('orders evidence from opinion to measured', () => {
    for (const [level, evidence] of EVIDENCE_LEVELS.entries()) {
      const admitted = EVIDENCE_LEVELS.filter((min_evidence) => matchesFilters({ ...capsule, evidence }, { min_evidence }));
      expect(admitted).toEqual(EVIDENCE_LEVELS.slice(0, level + 1));
    }
  });

  test('with two conditions is both of them', () => {
    const filters = fc.record(
      {
        type: fc.constantFrom('protocol', 'concept'),
        tags: fc.subarray(['http', 'caching', 'x402']),
        min_evidence: fc.constantFrom(...EVIDENCE_LEVELS),
        status: fc.constantFrom('current', 'retracted'),
      } as const,
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(filters, (all) => {
        const each = Object.entries(all).map(([name, value]) => matchesFilters(capsule, { [name]: value }));
        expect(matchesFilters(capsule, all as QueryFilters)).toBe(each.every(Boolean));
      }),
    );
  });
});
