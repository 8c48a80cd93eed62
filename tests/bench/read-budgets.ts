import { wholeNumber } from '../../src/cli/define-command.ts';
import { CAPSULE_COLUMNS } from '../../src/gateway/knowledge/capsule-filters.ts';
import { EXACT_BUDGET, PRUNED_BUDGET, readBudget } from '../../src/search/build/build-index.ts';
import { IndexBlock, type SearchBudget } from '../../src/search/format/index-block.ts';
import { IndexReader } from '../../src/search/query/index-reader.ts';
import { search } from '../../src/search/query/search.ts';
import { cpuMs } from '../eval/cpu-clock.ts';
import { mean, percentile } from '../eval/statistics.ts';
import { textTable } from '../eval/text-table.ts';
import { buildSearchIndex } from '../support/build-search-index.ts';
import { newScript } from '../support/campaign.ts';
import { testRanking } from '../support/compiled-kernel.ts';
import { type SyntheticQuery, syntheticDocuments, syntheticQueries } from './synthetic-corpus.ts';

/**
 * Cost and loss of reading less than a query needs: reads, bytes and CPU per query for several budgets, the overlap with the exact first ten,
 * and the rank of a known item (the document from which the query was made). Reads and bytes are those of a cold isolate.
 */
const [documents, queries] = newScript('bench:budgets', 'Measure what it costs and loses to read less of the index than a query needs.')
  .argument('[documents]', 'documents of the index', wholeNumber(1), 1_000_000)
  .argument('[queries]', 'how many queries', wholeNumber(1), 400)
  .parse().processedArgs;
const SEED = 1;

const BUDGETS: readonly (readonly [string, SearchBudget])[] = [
  ['everything', EXACT_BUDGET],
  ['first parts, all terms', { ...PRUNED_BUDGET, blocksMax: null }],
  ['at most 8 blocks', PRUNED_BUDGET],
  ['at most 6 blocks', readBudget(6)],
  ['at most 4 blocks', readBudget(4)],
  ['8 blocks, 200,000 postings', { ...PRUNED_BUDGET, postingsMax: 200_000 }],
];

console.error(`building an index of ${documents} documents`);
const index = await buildSearchIndex(syntheticDocuments(documents, SEED), {
  columns: CAPSULE_COLUMNS,
  pairs: false,
  expansion: false,
  neighbours: false,
  onProgress: (done) => {
    if (done % 50_000 === 0) console.error(`  ${done} documents`);
  },
});
let reads = 0;
let bytes = 0;
const seen = new Set<number>();
const readBlock = (block: number): Promise<IndexBlock> => {
  const found = index.blocks[block] as Uint8Array;
  if (!seen.has(block)) {
    reads += 1;
    bytes += found.length;
  }
  seen.add(block);
  return IndexBlock.open(found, index.head.tables?.[block]);
};
const reader = new IndexReader(index.head, readBlock, testRanking());
const columns = await reader.columns();

async function ask(query: string, budget: SearchBudget) {
  reads = 0;
  bytes = 0;
  seen.clear();
  const before = cpuMs();
  const { results } = await search(reader, query, { limit: 10, budget });
  return { numbers: results.map(({ number }) => number), cpu: cpuMs() - before, reads, bytes };
}

const asked: SyntheticQuery[] = [...syntheticQueries(queries, SEED, documents)];
const numberOf = new Map(asked.map(({ id }) => [id, [...columns.documentNumbers([id])][0]]));
for (const style of ['title', 'sentence'] as const) {
  const chosen = asked.filter((query) => query.style === style);
  const exact = new Map<string, number[]>();
  for (const { text } of chosen) exact.set(text, (await ask(text, EXACT_BUDGET)).numbers);
  console.log(`\n${style} queries (${chosen.length}), ${documents} documents`);
  const rows = [['budget', 'reads mean', 'p95', 'KB mean', 'CPU ms', 'overlap@10', 'nDCG@10', 'MRR@10']];
  for (const [name, budget] of BUDGETS) {
    const costs: { reads: number; bytes: number; cpu: number }[] = [];
    let [overlap, ndcg, mrr] = [0, 0, 0];
    for (const { text, id } of chosen) {
      const answer = await ask(text, budget);
      costs.push(answer);
      const wanted = exact.get(text) ?? [];
      overlap += wanted.length === 0 ? 1 : wanted.filter((number) => answer.numbers.includes(number)).length / wanted.length;
      const rank = answer.numbers.indexOf(numberOf.get(id) ?? -1);
      if (rank >= 0) {
        ndcg += 1 / Math.log2(rank + 2);
        mrr += 1 / (rank + 1);
      }
    }
    const readCounts = costs.map((cost) => cost.reads);
    rows.push([
      name,
      mean(readCounts).toFixed(1),
      String(percentile(readCounts, 0.95)),
      (mean(costs.map((cost) => cost.bytes)) / 1024).toFixed(0),
      mean(costs.map((cost) => cost.cpu)).toFixed(2),
      ...[overlap, ndcg, mrr].map((sum) => (sum / chosen.length).toFixed(3)),
    ]);
  }
  console.log(textTable(rows));
}
