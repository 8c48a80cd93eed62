import { spawn } from 'node:child_process';
import { appendFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { today } from '../../src/build/describe-deployment.ts';
import { noteBuildPublished, readBuilt } from '../../src/build/kv/publishing-state.ts';
import { wholeNumber } from '../../src/cli/define-command.ts';
import type { SearchDocument } from '../../src/search/search-document.ts';
import { pagesOfFile } from '../eval/collection.ts';
import { newScript } from '../support/campaign.ts';
import { type DevPublication, makeDevPublication } from '../support/dev-publication.ts';
import { filesBelow } from '../support/files-below.ts';
import { ROOT } from '../support/paths.ts';
import { residentOfTree } from './process-figures.ts';
import { BENCH_SEED, capsuleText, syntheticDocuments } from './synthetic-corpus.ts';

/** How often the memory of a build is read, in milliseconds. */
const SAMPLE_MS = 250;

const script = newScript(
  'bench:build',
  'Time, memory and output of a build from nothing, and of the next one after it was published and one capsule edited.',
)
  .argument('[capsules]', 'capsules of the publication', wholeNumber(1), 1_000)
  .option('--corpus <file>', 'pages to publish: a JSON object a line (id, title, head, text), plain or .gz; repeated if there are too few')
  .option('--static', 'builds the site without functions')
  .option('--steps', 'prints what a build says, with the second in which it says it')
  .option('--keep', 'keeps the publication in .akg')
  .parse();
const [count] = script.processedArgs;
const { corpus, static: isStatic = false, steps = false, keep = false } = script.opts();
const BUILD = ['build', ...(isStatic ? ['--static'] : [])];

interface MeasuredRun {
  readonly seconds: number;
  /** Largest sum over all processes of the build, in bytes. */
  readonly peakBytes: number;
}

/** The documents of the corpus, again with a number in title and text until there are enough. */
async function documentsOf(): Promise<SearchDocument[]> {
  if (corpus === undefined) return [...syntheticDocuments(count, BENCH_SEED)];
  const read: SearchDocument[] = [];
  for await (const document of pagesOfFile(corpus)) {
    read.push(document);
    if (read.length === count) break;
  }
  return Array.from({ length: count }, (_, at) => {
    const document = read[at % read.length] as SearchDocument;
    const round = Math.floor(at / read.length) + 1;
    return round === 1
      ? document
      : { ...document, title: `${document.title} (${round})`, body: `Edition ${round} of page ${at}. ${document.body}` };
  });
}

async function run(folder: string, ...args: string[]): Promise<MeasuredRun> {
  const started = performance.now();
  const child = spawn(process.execPath, [join(ROOT, 'src/cli/akg.mjs'), ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    if (steps) process.stdout.write(text.replace(/^(?=.)/gm, `${((performance.now() - started) / 1_000).toFixed(1).padStart(7)} s  `));
  });
  let peakBytes = 0;
  const sampling = setInterval(() => {
    if (child.pid !== undefined) peakBytes = Math.max(peakBytes, residentOfTree(child.pid));
  }, SAMPLE_MS);
  const code = await new Promise<number | null>((resolve, reject) => child.once('error', reject).once('close', resolve));
  clearInterval(sampling);
  if (code !== 0) throw new Error(`akg ${args.join(' ')} ended with exit code ${code}`);
  return { seconds: (performance.now() - started) / 1_000, peakBytes };
}

function line(name: string, { seconds, peakBytes }: MeasuredRun, more: string): string {
  return `${name.padEnd(12)} ${seconds.toFixed(1).padStart(7)} s  ${(peakBytes / 1e9).toFixed(2).padStart(6)} GB  ${more}`;
}

async function measure({ folder, write }: DevPublication): Promise<void> {
  const documents = await documentsOf();
  const idOf = (at: number): string => `page-${String(at).padStart(7, '0')}`;
  for (const [at, document] of documents.entries()) await write(`capsules/${idOf(at)}.md`, capsuleText(document));
  // A site without functions is on a host of its own, which takes any number of files.
  if (isStatic) await appendFile(join(folder, 'content/publisher.yaml'), 'max_files: 10000000\n');
  const blocks = join(folder, '.akg/blocks');
  const keysNow = (): Promise<string[]> => readdir(blocks).catch(() => []);
  console.log(`${count} capsules`);
  const first = await run(folder, ...BUILD);
  const written = new Set(await keysNow());
  const files = await filesBelow(join(folder, isStatic ? 'dist-static' : 'dist'));
  console.log(line('from nothing', first, `${files.length} files, ${written.size} keys of KV`));
  const built = await readBuilt(folder);
  if (built === undefined) throw new Error('the build left no record of itself');
  await noteBuildPublished(folder, built, today());
  const edited = idOf(Math.floor(count / 2));
  await run(folder, 'revise', edited);
  await appendFile(join(folder, `content/capsules/${edited}.md`), '\nOne sentence more, about valves.\n');
  const second = await run(folder, ...BUILD);
  const added = (await keysNow()).filter((name) => !written.has(name));
  console.log(line('one edit', second, `${added.length} new keys of KV`));
}

const publication = await makeDevPublication(`bench-build-${count}`);
try {
  await measure(publication);
} finally {
  if (!keep) await publication.remove();
}
