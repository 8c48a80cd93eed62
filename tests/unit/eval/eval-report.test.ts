import { expect, it } from 'vitest';
import { type EvalReport, reportTable, summarizeCosts } from '../../eval/eval-report.ts';

const costs = Array.from({ length: 40 }, (_, at) => ({ reads: at + 1, bytes: 10 * (at + 1), cpuMs: (at + 1) / 10 }));

it('sums costs up as mean and 95th percentile by nearest rank', () => {
  const summary = summarizeCosts(costs.toReversed());
  expect(summary).toMatchObject({ kv_reads_mean: 20.5, kv_reads_p95: 38, bytes_mean: 205, bytes_p95: 380, cpu_ms_p95: 3.8 });
  expect(summary.cpu_ms_mean).toBeCloseTo(2.05, 12);
  expect(summarizeCosts([])).toMatchObject({ kv_reads_mean: 0, kv_reads_p95: 0 });
});

const report: EvalReport = {
  collection: 'one',
  documents: 3,
  queries: 2,
  ndcg10: 0.5,
  map: 0.25,
  recall100: 1,
  mrr10: 0.125,
  index_bytes: 1_000,
  ...summarizeCosts(costs),
};

it('shows one collection as one row, and means below several', () => {
  expect(reportTable([report]).split('\n')).toHaveLength(2);
  const lines = reportTable([report, { ...report, collection: 'two', ndcg10: 0.25 }]).split('\n');
  expect(lines[1]).toMatch(/^one +3 +2 +\.5000 +\.2500 +1\.0000 +\.1250 +1000 +20\.5 +38 +205 +380 +2\.05 +3\.80$/);
  expect(lines[1]?.length).toBe(lines[0]?.length);
  expect(lines[3]).toMatch(/^mean +\.3750 /);
});

it('shows what typing errors leave only if it was measured', () => {
  expect(reportTable([report])).not.toContain('kept');
  expect(reportTable([{ ...report, typo_ndcg10: 0.45, typo_kept: 0.9 }])).toContain('90.0 %');
});
