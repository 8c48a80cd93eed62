import { join } from 'node:path';
import { newScript } from '../support/campaign.ts';
import { installPackages } from '../support/install-packages.ts';
import { type Collection, readCollection } from './collection.ts';
import { METRIC_NAMES, meanMetrics, type RankingMetrics } from './metrics.ts';
import { BEST_PEERS } from './peers/best-peers.ts';
import { productRanker } from './product-ranker.ts';
import { RANK_DEPTH, type RankerFactory, rankQueries } from './ranker.ts';
import { bootstrapInterval, differencesOf, randomizationP } from './significance.ts';
import { probability, score, signed, textTable } from './text-table.ts';

/**
 * The ranking compared with other search libraries, each at its best settings, on judged collections: a table for each directory, and one of
 * the means with equal weights.
 *
 * The last columns are the lead of the product in nDCG@10, with the 95 % interval of the paired bootstrap and the p value of the paired
 * randomization test. Missing libraries are installed into tests/eval/peers first.
 */

const HEADER = ['ranker', 'nDCG@10', 'MAP', 'R@100', 'MRR@10', 'product leads by', '95 % interval', 'p'];
type Measured = readonly (readonly RankingMetrics[])[];

async function measure(factory: RankerFactory, collections: readonly Collection[]): Promise<Measured> {
  const measured: RankingMetrics[][] = [];
  for (const collection of collections) {
    const ranker = await factory.make(collection.documents);
    measured.push(await rankQueries(collection, ({ text }) => ranker.rank(text, RANK_DEPTH)));
    await ranker.close?.();
  }
  return measured;
}

function comparison(product: Measured, others: ReadonlyMap<string, Measured>): string {
  const figures = (measured: Measured): string[] => {
    const means = meanMetrics(measured.map(meanMetrics));
    return METRIC_NAMES.map((name) => score(means[name]));
  };
  const rows = [...others].map(([name, measured]) => {
    const differences = measured.map((theirs, at) => differencesOf((product[at] ?? []).map(ndcg10), theirs.map(ndcg10)));
    const { mean, low, high } = bootstrapInterval(differences);
    const p = randomizationP(differences);
    return [name, ...figures(measured), signed(mean), `[${signed(low)}, ${signed(high)}]`, probability(p)];
  });
  return textTable([HEADER, [productRanker.name, ...figures(product), '', '', ''], ...rows]);
}

function ndcg10(metrics: RankingMetrics): number {
  return metrics.ndcg10;
}

const { args: directories } = newScript(
  'eval:peers',
  'Compare the ranking with other search libraries, each at its best settings, on judged collections.',
)
  .argument('<directory...>', 'folders of collections')
  .parse();
const collections: Collection[] = [];
for (const directory of directories) collections.push(await readCollection(directory));
installPackages(join(import.meta.dirname, 'peers'), '--ignore-scripts');
const product = await measure(productRanker, collections);
const others = new Map<string, Measured>();
for (const peer of BEST_PEERS) others.set(peer.name, await measure(peer, collections));

collections.forEach(({ name, documents }, at) => {
  const ofOne = (measured: Measured): Measured => measured.slice(at, at + 1);
  const peers = new Map([...others].map(([peer, measured]) => [peer, ofOne(measured)]));
  console.log(`${name}: ${documents.length} documents, ${product[at]?.length} judged queries\n${comparison(ofOne(product), peers)}\n`);
});
if (collections.length > 1) console.log(`mean of ${collections.length} collections\n${comparison(product, others)}`);
