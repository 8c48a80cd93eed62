import { wholeNumber } from '../../src/cli/define-command.ts';
import { CAPSULE_COLUMNS } from '../../src/gateway/knowledge/capsule-filters.ts';
import { buildSearchIndex } from '../support/build-search-index.ts';
import { newScript, wholeNumbers } from '../support/campaign.ts';
import { BENCH_SEED } from './bench-corpus.ts';
import { type MeasuredRanking, measureQueryCpu } from './measure-query-cpu.ts';
import { syntheticDocuments, syntheticQueries } from './synthetic-corpus.ts';

/**
 * CPU of ranking one query in workerd, with all blocks in memory, steady and for the first queries of fresh isolates; reads; memory. The CPU of
 * an empty request is subtracted. Runs on a busy machine are harder to compare. Linux only.
 *
 * Above 200,000 documents the index has no pairs, expansion or neighbours.
 */
const DEFAULT_DOCUMENTS = [10_000, 100_000];
const WHOLE_MAX_DOCUMENTS = 200_000;

function report(documents: number, { steady, fresh, reads, bytes, memoryBefore, memoryAfter }: MeasuredRanking): string {
  const ms = (value: number): string => `${value.toFixed(3)} ms`;
  const megabytes = (value: number): string => `${(value / 2 ** 20).toFixed(1)} MB`;
  const style = ({ mean, p95 }: { mean: number; p95: number }): string => `mean ${ms(mean)}, p95 ${ms(p95)}`;
  return [
    `${documents} documents`,
    `  steady   titles ${style(steady.title)}; sentences ${style(steady.sentence)}; both ${ms((steady.title.mean + steady.sentence.mean) / 2)}`,
    `  fresh    first ${fresh.map((value) => `${value.toFixed(1)} ms`).join(', then ')}`,
    `  reads    mean ${reads.mean.toFixed(1)}, p95 ${reads.p95}, most ${reads.max}; ${megabytes(bytes.mean)}, p95 ${megabytes(bytes.p95)}, most ${megabytes(bytes.max)}`,
    `  memory   ${megabytes(memoryBefore)} before, ${megabytes(memoryAfter)} after`,
  ].join('\n');
}

const script = newScript(
  'bench:cpu',
  'Measure the CPU of ranking one query in workerd, with and without the WebAssembly kernel. Linux only.',
)
  .argument('[documents...]', `sizes of synthetic corpora (default: ${DEFAULT_DOCUMENTS.join(' ')})`, wholeNumbers(1))
  .option('--isolates <number>', 'fresh isolates', wholeNumber(1), 5)
  .option('--queries <number>', 'queries of each style', wholeNumber(1), 100)
  .option('--times <number>', 'how often each query is repeated', wholeNumber(1), 10)
  .option('--json', 'print figures as JSON lines')
  .parse();
const [named] = script.processedArgs;
// A repeated argument that is absent is an empty list.
const sizes = named.length > 0 ? named : DEFAULT_DOCUMENTS;
const { json, ...effort } = script.opts();
for (const documents of sizes) {
  const variant = documents > WHOLE_MAX_DOCUMENTS ? { pairs: false, expansion: false, neighbours: false } : {};
  const index = await buildSearchIndex(syntheticDocuments(documents, BENCH_SEED), { ...variant, columns: CAPSULE_COLUMNS });
  const queries = [...syntheticQueries(effort.queries * 2, BENCH_SEED, documents)];
  const measured = await measureQueryCpu(index, queries, effort);
  console.log(json ? JSON.stringify({ documents, ...measured }) : report(documents, measured));
}
