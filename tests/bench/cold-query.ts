import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { wholeNumber } from '../../src/cli/define-command.ts';
import { LIMITS } from '../../src/schemas/limits.ts';
import { median } from '../eval/statistics.ts';
import { bearer, makeKey } from '../support/agent-keys.ts';
import { newScript } from '../support/campaign.ts';
import { builtBlocks, startEdgeGateway } from '../support/edge-gateway.ts';
import { PUBLICATION } from '../support/paths.ts';
import { cpuMsOf, newWorkerd } from './process-figures.ts';

/**
 * CPU of a fresh isolate until its first query is answered (parsing and starting its modules, reading blocks, ranking), and of each query of a
 * warm one. It is the CPU of workerd, from its start or for a query, less that of a Worker that answers at once, with the same stores, in the same run. Bundles take turns. Needs a
 * built site: run any edge test first. Linux only.
 */
const { bundle, isolates } = newScript(
  'bench:cold',
  'Measure the CPU of a fresh isolate until its first query is answered, and of each query of a warm one. Linux only.',
)
  .option(
    '--bundle <file>',
    'entry point of compiled functions, by default those of the tested publication; may be repeated',
    (file: string, files: string[] | undefined) => [...(files ?? []), resolve(file)],
  )
  .option('--isolates <number>', 'fresh isolates of each bundle', wholeNumber(1), 9)
  .parse()
  .opts();
const bundles = bundle ?? [join(PUBLICATION, 'dist/_worker.js/index.js')];

const EMPTY = `export default {
  async fetch(request) {
    await request.text();
    return new Response('{}');
  },
};`;

const QUERY = 'How long may a shared cache keep a response?';

/** Answers before the warm ones, and warm ones; together they stay within the rate limit of a key. */
const WARMING_ANSWERS = 30;
const WARM_ANSWERS = 60;
const key = bearer(await makeKey());

/** CPU of a workerd in milliseconds: from its start until its first answer, and of each further answer. */
interface AnswerCpu {
  readonly first: number;
  readonly warm: number;
}

async function cpuOfAnswers(file: string, blocks: ReadonlyMap<string, Uint8Array>): Promise<AnswerCpu> {
  const gateway = await startEdgeGateway({ bundle: file, blocks, state: 'unbound' });
  let asked = 0;
  let pid: number | undefined;
  const ask = async (): Promise<number> => {
    asked += 1;
    const response = await gateway.fetch('/api/v1/agent-gateway/query', {
      method: 'POST',
      headers: { ...key, 'Content-Type': 'application/json' },
      // No two requests are alike: the answer to a repeated one is in memory.
      body: JSON.stringify({ query: QUERY, max_results: 10, token_budget: LIMITS.tokenBudgetMax - asked }),
    });
    if (response.status !== 200) throw new Error(`${file} answered ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
    pid ??= newWorkerd();
    return cpuMsOf(pid);
  };
  try {
    const first = await ask();
    // The just-in-time compiler works during the first answers.
    let [before, after] = [first, first];
    for (let count = 0; count < WARMING_ANSWERS; count += 1) before = await ask();
    for (let count = 0; count < WARM_ANSWERS; count += 1) after = await ask();
    return { first, warm: (after - before) / WARM_ANSWERS };
  } finally {
    await gateway.stop();
  }
}

/** The build that functions belong to: the nearest folder above them with blocks. */
function buildOf(file: string): string {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder))
    if (existsSync(join(folder, '.akg/blocks'))) return folder;
  throw new Error(`${file} is not part of a build`);
}

const folder = await mkdtemp(join(tmpdir(), 'cold-query-'));
try {
  const empty = join(folder, 'index.js');
  await writeFile(empty, EMPTY);
  const measured = await Promise.all(
    bundles.map(async (file) => ({ file, blocks: await builtBlocks(buildOf(file)), costs: [] as AnswerCpu[], floors: [] as AnswerCpu[] })),
  );
  for (let isolate = 0; isolate < isolates; isolate += 1)
    for (const { file, blocks, costs, floors } of isolate % 2 === 0 ? measured : measured.toReversed()) {
      costs.push(await cpuOfAnswers(file, blocks));
      floors.push(await cpuOfAnswers(empty, blocks));
    }
  for (const [name, what] of [
    ['first', 'a fresh isolate until its first query is answered'],
    ['warm', 'each query of a warm isolate'],
  ] as const) {
    console.log(`CPU of ${what}, median of ${isolates}, less that of a Worker that answers at once`);
    const medianOf = (figures: readonly AnswerCpu[]): number => median(figures.map((figure) => figure[name]));
    const medians = measured.map(({ costs, floors }) => medianOf(costs) - medianOf(floors));
    for (const [at, { file, costs, floors }] of measured.entries())
      console.log(
        `${(medians[at] ?? 0).toFixed(1).padStart(6)} ms  ${((medians[at] ?? 0) / (medians[0] ?? 1)).toFixed(2)} of the first  (${medianOf(costs).toFixed(1)} − ${medianOf(floors).toFixed(1)} ms)  ${relative(process.cwd(), file)}`,
      );
  }
} finally {
  await rm(folder, { recursive: true });
}
