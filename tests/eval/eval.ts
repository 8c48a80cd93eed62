import { newScript } from '../support/campaign.ts';
import { type Collection, readCollection } from './collection.ts';
import { type EvalReport, reportTable, summarizeCosts } from './eval-report.ts';
import { meanMetrics } from './metrics.ts';
import { productRanker } from './product-ranker.ts';
import { seededRandom, seedOf } from './random.ts';
import { rankQueries } from './rank-queries.ts';
import { type CostedRanker, type QueryCost, RANK_DEPTH } from './ranker.ts';
import { addTypo } from './typos.ts';

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
