import { newScript } from '../support/campaign.ts';
import { type Collection, readCollection } from './collection.ts';
import { METRIC_NAMES, meanMetrics, type RankingMetrics } from './metrics.ts';
import { productRanker } from './product-ranker.ts';
import { seededRandom, seedOf } from './random.ts';
import { type CostedRanker, type QueryCost, RANK_DEPTH, rankQueries } from './ranker.ts';
import { mean, percentile } from './statistics.ts';
import { score, textTable } from './text-table.ts';
import { addTypo } from './typos.ts';

interface EvalReport extends RankingMetrics {
  readonly collection: string;
  readonly documents: number;
  readonly queries: number;
  readonly index_bytes: number;
  readonly kv_reads_mean: number;
  readonly kv_reads_p95: number;
  readonly bytes_mean: number;
  readonly bytes_p95: number;
  /** CPU time of one query in milliseconds. */
  readonly cpu_ms_mean: number;
  readonly cpu_ms_p95: number;
  /** nDCG@10 with one typo in each query, with `--typos`. */
  readonly typo_ndcg10?: number;
  /** `typo_ndcg10` as a share of `ndcg10`, with `--typos`. */
  readonly typo_kept?: number;
}

function summarizeCosts(costs: readonly QueryCost[]) {
  const reads = costs.map((cost) => cost.reads);
  const bytes = costs.map((cost) => cost.bytes);
  const cpu = costs.map((cost) => cost.cpuMs);
  return {
    kv_reads_mean: mean(reads),
    kv_reads_p95: percentile(reads, 0.95),
    bytes_mean: mean(bytes),
    bytes_p95: percentile(bytes, 0.95),
    cpu_ms_mean: mean(cpu),
    cpu_ms_p95: percentile(cpu, 0.95),
  };
}

function reportTable(reports: readonly EvalReport[]): string {
  const header = [
    ['collection', 'docs', 'queries', 'nDCG@10', 'MAP', 'R@100', 'MRR@10', 'index bytes'],
    ['reads mean', 'p95', 'bytes mean', 'p95', 'CPU ms mean', 'p95'],
    ...(reports[0]?.typo_ndcg10 === undefined ? [] : [['typo nDCG@10', 'kept']]),
  ].flat();
  const rows = reports.map((report) => [report.collection, String(report.documents), String(report.queries), ...figures(report)]);
  const means = reports.length > 1 ? [['mean', '', '', ...figures(meanReport(reports))]] : [];
  return textTable([header, ...rows, ...means]);
}

type Figures = Omit<EvalReport, 'collection' | 'documents' | 'queries'>;

function figures(report: Figures): string[] {
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

function meanReport(reports: readonly EvalReport[]): Figures {
  const [first] = reports;
  const names = Object.keys(first ?? {}).filter((name) => !['collection', 'documents', 'queries'].includes(name)) as (keyof Figures)[];
  return Object.fromEntries(names.map((name) => [name, mean(reports.map((report) => report[name] ?? 0))])) as unknown as Figures;
}

async function evaluate(directory: string, withTypos: boolean): Promise<EvalReport> {
  const collection = await readCollection(directory);
  const ranker = await productRanker.make(collection.documents);
  try {
    const costs: QueryCost[] = [];
    const metrics = await rankQueries(collection, async ({ text }) => {
      const { ids, cost } = await ranker.rankWithCost(text, RANK_DEPTH);
      costs.push(cost);
      return ids;
    });
    const means = meanMetrics(metrics);
    return {
      collection: collection.name,
      documents: collection.documents.length,
      queries: metrics.length,
      ...means,
      index_bytes: ranker.indexBytes,
      ...summarizeCosts(costs),
      ...(withTypos ? await evaluateTypos(collection, ranker, means.ndcg10) : {}),
    };
  } finally {
    await ranker.close?.();
  }
}

async function evaluateTypos(
  collection: Collection,
  ranker: CostedRanker,
  cleanNdcg10: number,
): Promise<Pick<EvalReport, 'typo_ndcg10' | 'typo_kept'>> {
  const metrics = await rankQueries(collection, ({ id, text }) => ranker.rank(addTypo(text, seededRandom(seedOf(id))), RANK_DEPTH));
  const { ndcg10 } = meanMetrics(metrics);
  return { typo_ndcg10: ndcg10, typo_kept: cleanNdcg10 === 0 ? 1 : ndcg10 / cleanNdcg10 };
}

const script = newScript('eval', 'Measure quality and cost of the ranking on judged collections: a row for each directory, and their mean.')
  .argument('<directory...>', 'folders of collections')
  .option('--typos', 'run every query once more with one typing error, the same for the same query id')
  .option('--json', 'print one object, or an array for several directories, and nothing else (with npm run -s)')
  .parse();
const { typos = false, json } = script.opts();
const reports: EvalReport[] = [];
for (const directory of script.args) reports.push(await evaluate(directory, typos));
console.log(json ? JSON.stringify(reports.length === 1 ? reports[0] : reports, null, 2) : reportTable(reports));
