import { METRIC_NAMES, type RankingMetrics } from './metrics.ts';
import type { QueryCost } from './ranker.ts';
import { score, textTable } from './text-table.ts';

/** What the ranking of the product is worth on one collection and what it costs; the members are those that `--json` prints. */
export interface EvalReport extends RankingMetrics {
  readonly collection: string;
  readonly documents: number;
  /** Judged queries: those that the metrics are means of. */
  readonly queries: number;
  /** Bytes of everything that the index puts into the store. */
  readonly index_bytes: number;
  readonly kv_reads_mean: number;
  readonly kv_reads_p95: number;
  /** Bytes read from the store for one query. */
  readonly bytes_mean: number;
  readonly bytes_p95: number;
  /** CPU time of one query in milliseconds. */
  readonly cpu_ms_mean: number;
  readonly cpu_ms_p95: number;
  /** nDCG@10 where each query has one typing error; only if asked for. */
  readonly typo_ndcg10?: number;
  /** Share of `ndcg10` that `typo_ndcg10` is; only if asked for. */
  readonly typo_kept?: number;
}

/** Means and 95th percentiles (nearest rank) of what queries cost. */
export function summarizeCosts(
  costs: readonly QueryCost[],
): Pick<EvalReport, 'kv_reads_mean' | 'kv_reads_p95' | 'bytes_mean' | 'bytes_p95' | 'cpu_ms_mean' | 'cpu_ms_p95'> {
  const reads = costs.map((cost) => cost.reads);
  const bytes = costs.map((cost) => cost.bytes);
  const cpu = costs.map((cost) => cost.cpuMs);
  return {
    kv_reads_mean: mean(reads),
    kv_reads_p95: percentile95(reads),
    bytes_mean: mean(bytes),
    bytes_p95: percentile95(bytes),
    cpu_ms_mean: mean(cpu),
    cpu_ms_p95: percentile95(cpu),
  };
}

/** Reports as a table for people, one row a collection, and a row of means below more than one. */
export function reportTable(reports: readonly EvalReport[]): string {
  const header = [
    ['collection', 'docs', 'queries', 'nDCG@10', 'MAP', 'R@100', 'MRR@10', 'index bytes'],
    ['reads mean', 'p95', 'bytes mean', 'p95', 'CPU ms mean', 'p95'],
    ...(reports[0]?.typo_ndcg10 === undefined ? [] : [['typo nDCG@10', 'kept']]),
  ].flat();
  const rows = reports.map((report) => [report.collection, String(report.documents), String(report.queries), ...figures(report)]);
  const means = reports.length > 1 ? [['mean', '', '', ...figures(meanReport(reports))]] : [];
  return textTable([header, ...rows, ...means]);
}

function figures(report: Omit<EvalReport, 'collection' | 'documents' | 'queries'>): string[] {
  return [
    ...METRIC_NAMES.map((name) => score(report[name])),
    report.index_bytes.toFixed(0),
    report.kv_reads_mean.toFixed(1),
    report.kv_reads_p95.toFixed(0),
    report.bytes_mean.toFixed(0),
    report.bytes_p95.toFixed(0),
    report.cpu_ms_mean.toFixed(2),
    report.cpu_ms_p95.toFixed(2),
    ...(report.typo_ndcg10 === undefined ? [] : [score(report.typo_ndcg10), `${(100 * (report.typo_kept ?? 0)).toFixed(1)} %`]),
  ];
}

function meanReport(reports: readonly EvalReport[]): Omit<EvalReport, 'collection' | 'documents' | 'queries'> {
  const of = (name: Exclude<keyof EvalReport, 'collection'>): number => mean(reports.map((report) => report[name] ?? 0));
  const typos = reports[0]?.typo_ndcg10 === undefined ? {} : { typo_ndcg10: of('typo_ndcg10'), typo_kept: of('typo_kept') };
  return {
    ndcg10: of('ndcg10'),
    map: of('map'),
    recall100: of('recall100'),
    mrr10: of('mrr10'),
    index_bytes: of('index_bytes'),
    kv_reads_mean: of('kv_reads_mean'),
    kv_reads_p95: of('kv_reads_p95'),
    bytes_mean: of('bytes_mean'),
    bytes_p95: of('bytes_p95'),
    cpu_ms_mean: of('cpu_ms_mean'),
    cpu_ms_p95: of('cpu_ms_p95'),
    ...typos,
  };
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function percentile95(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(0.95 * values.length) - 1] ?? 0;
}
