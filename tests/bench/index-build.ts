import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { wholeNumber } from '../../src/cli/define-command.ts';
import { newScript } from '../support/campaign.ts';
import { INDEX_VARIANTS, type IndexVariant, type MeasuredBuild, measureIndexBuild } from './measure-index-build.ts';

/**
 * Time, memory and size of search indexes: without pairs (base), with pairs, and complete (whole). Each is built in its own process. CPU seconds
 * can be compared between runs on a busy machine, wall time cannot.
 *
 * Above 200,000 documents only the base index is built, unless variants are given.
 */
const DEFAULT_CORPORA = ['1000', '10000', '100000'];
const ALL_VARIANTS_MAX_DOCUMENTS = 200_000;

interface Task {
  readonly corpus: string;
  readonly variant: IndexVariant;
  readonly threads: number | undefined;
}

function measureApart(task: Task): Promise<MeasuredBuild> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), []);
    let measured: MeasuredBuild | undefined;
    child.on('message', (message: MeasuredBuild) => {
      measured = message;
    });
    child.on('error', reject);
    child.on('close', (code) => (measured ? resolve(measured) : reject(new Error(`${task.corpus} ended with exit code ${code}`))));
    child.send(task);
  });
}

function line(corpus: string, variant: string, measured: MeasuredBuild): string {
  const { documents, terms, postings, wallSeconds, cpuSeconds, peakMegabytes } = measured;
  const rate = `${Math.round(documents / wallSeconds)} documents/s, ${Math.round(documents / cpuSeconds)} a CPU second`;
  return [
    `${corpus} ${variant}: ${documents} documents, ${terms} terms, ${postings} postings`,
    `  ${wallSeconds.toFixed(1)} s, ${cpuSeconds.toFixed(1)} s of CPU, ${rate}, peak ${peakMegabytes.toFixed(0)} MB`,
    `  ${megabytes(measured.bytes)} in ${measured.blocks} blocks, largest ${megabytes(measured.largestBlock)}; terms and lists ${megabytes(measured.listBytes)}, near documents ${megabytes(measured.neighbourBytes)}, columns ${megabytes(measured.columnBytes)}, words ${megabytes(measured.spellingBytes)}`,
  ].join('\n');
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(2)} MB`;
}

function variantsOf(corpus: string, named: string | undefined): IndexVariant[] {
  const all = Object.keys(INDEX_VARIANTS) as IndexVariant[];
  if (named !== undefined) {
    const unknown = named.split(',').filter((name) => !Object.hasOwn(INDEX_VARIANTS, name));
    if (unknown.length > 0) throw new Error(`Unknown variant: ${unknown.join(', ')}. Use ${all.join(', ')}.`);
    return all.filter((variant) => named.split(',').includes(variant));
  }
  return Number(corpus) > ALL_VARIANTS_MAX_DOCUMENTS ? ['base'] : all;
}

async function measureAll(): Promise<void> {
  const script = newScript('bench:index', 'Measure time, memory and size of search indexes, each built in a process of its own.')
    .argument('[corpus...]', 'number of synthetic documents, or a file .jsonl or .jsonl.gz')
    .option('--variants <list>', 'of base, pairs and whole, separated by commas')
    .option('--threads <number>', 'threads of a build', wholeNumber(0))
    .option('--json', 'print figures as JSON lines')
    .parse();
  const { threads, json, variants } = script.opts();
  const corpora = script.args.length > 0 ? script.args : DEFAULT_CORPORA;
  for (const corpus of corpora) {
    for (const variant of variantsOf(corpus, variants)) {
      const measured = await measureApart({ corpus, variant, threads });
      console.log(json ? JSON.stringify({ corpus, variant, ...measured }) : line(corpus, variant, measured));
    }
  }
}

if (process.send) {
  process.once('message', async ({ corpus, variant, threads }: Task) => {
    process.send?.(await measureIndexBuild(corpus, variant, threads));
    process.disconnect();
  });
} else {
  await measureAll();
}
