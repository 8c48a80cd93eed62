import { type Collection, readCollection } from './collection.ts';
import { evalArguments, runEval } from './eval-arguments.ts';
import { type EvalReport, reportTable, summarizeCosts } from './eval-report.ts';
import { meanMetrics } from './metrics.ts';
import { productRanker } from './product-ranker.ts';
import { seededRandom, seedOf } from './random.ts';
import { rankQueries } from './rank-queries.ts';
import { type CostedRanker, type QueryCost, RANK_DEPTH } from './ranker.ts';
import { addTypo } from './typos.ts';

/**
 * Quality and cost of the ranking on judged collections: one row a directory, and their mean.
 *
 * `--typos` asks every query once more with one typing error, the same for the same query id. `--json` prints one object and
 * nothing else, or an array if several directories are given; npm itself prints above it unless run as `npm run -s`.
 */
const USE = 'npm run eval -- <directory>... [--typos] [--json]';

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

await runEval(async () => {
  const { directories, on } = evalArguments(USE, ['json', 'typos']);
  const reports: EvalReport[] = [];
  for (const directory of directories) reports.push(await evaluate(directory, on.has('typos')));
  console.log(on.has('json') ? JSON.stringify(reports.length === 1 ? reports[0] : reports, null, 2) : reportTable(reports));
});
