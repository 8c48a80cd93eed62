import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { CAPSULE_COLUMNS, capsuleAttributes, conditionsOf, every } from '../../../../src/gateway/knowledge/capsule-filters.ts';
import type { CapsuleSummary } from '../../../../src/schemas/knowledge/capsule.ts';
import { EVIDENCE_LEVELS } from '../../../../src/schemas/knowledge/kinds-and-levels.ts';
import type { QueryFilters } from '../../../../src/schemas/knowledge/query.ts';
import { Columns, ColumnsWriter } from '../../../../src/search/format/columns.ts';
import { matchesFilters } from '../../../support/matches-filters.ts';
import { randomFilters } from '../random-generation.ts';

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

function columnsOf(capsules: readonly CapsuleSummary[]): Columns {
  const writer = new ColumnsWriter(CAPSULE_COLUMNS);
  for (const one of capsules) writer.add(one.capsule_id, capsuleAttributes(one));
  return new Columns(writer.toBytes(), capsules.length);
}
const meets = (one: CapsuleSummary, filters: QueryFilters): boolean => every(conditionsOf(filters, columnsOf([one])).values())(0);

describe('conditionsOf()', () => {
  test.each<[filters: QueryFilters, matches: boolean]>([
    [{}, true],
    [{ type: 'protocol' }, true],
    [{ type: 'concept' }, false],
    [{ tags: ['http', 'x402'] }, false],
    [{ tags: ['htt'] }, false],
    [{ tags_any: ['http', 'x402'] }, true],
    [{ language: 'en' }, true],
    [{ language: 'en-GB' }, false],
    [{ license: 'cc-by-4.0' }, false],
    [{ min_evidence: 'documented' }, true],
    [{ min_evidence: 'specified' }, false],
    [{ updated_after: '2026-06-14' }, true],
    [{ updated_after: '2026-06-15' }, false],
    [{ updated_before: '2026-06-16' }, true],
    [{ updated_before: '2026-06-15' }, false],
    [{ updated_after: '0001-01-01', updated_before: '9999-12-31' }, true],
    [{ status: 'retracted' }, false],
    [{ type: 'protocol', tags: ['http'], status: 'superseded' }, false],
  ])('of %j is %s', (filters, matches) => {
    expect(meets(capsule, filters)).toBe(matches);
    expect(matchesFilters(capsule, filters)).toBe(matches);
  });

  test.each([
    ['en', 'en', true],
    ['en-GB', 'en', true],
    ['en-GB', 'EN', true],
    ['en-GB', 'en-gb', true],
    ['en', 'en-GB', false],
    ['eng', 'en', false],
    ['zh-Hant-TW', 'zh-Hant', true],
    ['zh-Hant-TW', 'zh-TW', false],
  ])('a capsule in %s is in the range %s: %s (RFC 4647 basic filtering)', (language, range, matches) => {
    expect(meets({ ...capsule, language }, { language: range })).toBe(matches);
  });

  test('orders evidence from opinion to measured', () => {
    for (const [level, evidence] of EVIDENCE_LEVELS.entries()) {
      const admitted = EVIDENCE_LEVELS.filter((min_evidence) => meets({ ...capsule, evidence }, { min_evidence }));
      expect(admitted).toEqual(EVIDENCE_LEVELS.slice(0, level + 1));
    }
  });

  test('with several conditions is all of them, for every capsule of any corpus', () => {
    const summary = fc.record({
      type: fc.constantFrom('protocol', 'concept'),
      tags: fc.subarray(['http', 'caching', 'x402', 'agents']),
      language: fc.constantFrom('en', 'en-GB', 'de'),
      license: fc.constantFrom('CC-BY-4.0', 'CC0-1.0'),
      evidence: fc.constantFrom(...EVIDENCE_LEVELS),
      status: fc.constantFrom('current', 'superseded', 'retracted'),
      updated: fc.constantFrom('2026-01-01', '2026-01-02', '2026-01-03'),
    } as const);
    fc.assert(
      fc.property(fc.array(summary, { maxLength: 20 }), randomFilters, (described, filters) => {
        const capsules = described.map((facts, at) => ({ ...capsule, ...facts, capsule_id: `c${at}` }));
        const accepts = every(conditionsOf(filters, columnsOf(capsules)).values());
        expect(capsules.map((_, number) => accepts(number))).toEqual(capsules.map((one) => matchesFilters(one, filters)));
      }),
    );
  });
});

describe('Columns.documentNumbers()', () => {
  const ids = Array.from({ length: 5_000 }, (_, number) => `capsule-${number}`);
  let columns: Columns;
  beforeAll(() => {
    columns = columnsOf(ids.map((capsule_id) => ({ ...capsule, capsule_id })));
  });

  test('finds exactly the documents with some ids, however often they are asked for, and no other', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...ids), fc.string()), { maxLength: 200 }), (wanted) => {
        const expected = ids.flatMap((id, number) => (wanted.includes(id) ? [number] : []));
        expect([...columns.documentNumbers(wanted)]).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });
});
