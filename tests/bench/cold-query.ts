import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { buildGeneration } from '../../src/build/generation/generation.ts';
import { wholeNumber } from '../../src/cli/define-command.ts';
import { publishCapsules } from '../../src/publication/capsules/published-capsules.ts';
import { percentile } from '../eval/statistics.ts';
import { bearer, makeKey } from '../support/agent-keys.ts';
import { newScript } from '../support/campaign.ts';
import { startEdgeGateway } from '../support/edge-gateway.ts';
import { FUNCTIONS_BUNDLE } from '../support/paths.ts';
import { BENCH_SEED } from './bench-corpus.ts';
import { contentOf, syntheticCapsules } from './capsule-corpus.ts';
import { childrenNamed, cpuMsOf } from './process-figures.ts';
import { syntheticQueries } from './synthetic-corpus.ts';

/**
 * CPU of the first query of a fresh isolate: the compiled functions in their own workerd, with its KV and D1, and alternately the same
 * functions without digests of index sections, so that the difference is the cost of checking them. All CPU of the process counts. Needs
 * compiled functions: run `npm run build`, or any edge test, first. Linux only.
 */
const { capsules, isolates } = newScript(
  'bench:cold',
  'Measure the CPU of the first query of a fresh isolate, and the part that checks the index. Linux only.',
)
  .option('--capsules <number>', 'capsules of the corpus', wholeNumber(1), 1_000)
  .option('--isolates <number>', 'fresh isolates', wholeNumber(1), 9)
  .parse()
  .opts();

/** Code that is removed from the compiled functions: the computation and the comparison of digests. */
const CHECKS = [
  ['const digests = await Promise.all(sections.map((section) => this.#digest(section)));', ''],
  [/this\.#requireDigest\(\w+, new DataView\(digests\[at\]\)\);/, ''],
] as const;

/** A copy of the compiled functions that checks no section. */
async function withoutChecks(folder: string): Promise<string> {
  let text = await readFile(FUNCTIONS_BUNDLE, 'utf8');
  for (const [check, nothing] of CHECKS) {
    const changed = text.replace(check, nothing);
    if (changed === text) throw new Error('the compiled functions lack a check: adapt this benchmark to src/search/format/index-block.ts');
    text = changed;
  }
  const bundle = join(folder, basename(FUNCTIONS_BUNDLE));
  await writeFile(bundle, text);
  for (const name of await readdir(dirname(FUNCTIONS_BUNDLE)))
    if (name.endsWith('.wasm')) await copyFile(join(dirname(FUNCTIONS_BUNDLE), name), join(folder, name));
  return bundle;
}

const { version, manifest, blocks } = await buildGeneration(await publishCapsules(contentOf(syntheticCapsules(capsules, BENCH_SEED))), []);
const queries = [...syntheticQueries(isolates * 2, BENCH_SEED, capsules)].filter(({ style }) => style === 'sentence');
const key = bearer(await makeKey());

/** CPU of the first query of one isolate, in milliseconds. */
async function coldQuery(bundle: string, query: string): Promise<number> {
  const gateway = await startEdgeGateway({ bundle, generated: { generation: { version, manifest } }, blocks });
  try {
    const [workerd = 0] = childrenNamed('workerd');
    const before = cpuMsOf(workerd);
    const response = await gateway.fetch('/api/v1/agent-gateway/query', {
      method: 'POST',
      headers: { ...key, 'Content-Type': 'application/json' },
      body: JSON.stringify({ query, max_results: 10 }),
    });
    if (response.status !== 200) throw new Error(`the query returned ${response.status}`);
    await response.arrayBuffer();
    return cpuMsOf(workerd) - before;
  } finally {
    await gateway.stop();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'cold-query-'));
try {
  const bundles = { checked: FUNCTIONS_BUNDLE, unchecked: await withoutChecks(folder) };
  const costs: Record<keyof typeof bundles, number[]> = { checked: [], unchecked: [] };
  for (let isolate = 0; isolate < isolates; isolate += 1) {
    const turn = isolate % 2 === 0 ? (['checked', 'unchecked'] as const) : (['unchecked', 'checked'] as const);
    for (const name of turn) costs[name].push(await coldQuery(bundles[name], queries[isolate]?.text ?? 'cache'));
  }
  for (const [name, list] of Object.entries(costs))
    console.log(
      `${name.padEnd(9)} median ${percentile(list, 0.5).toFixed(1)} ms, from ${Math.min(...list).toFixed(1)} to ${Math.max(...list).toFixed(1)} ms`,
    );
  const share = 100 * (percentile(costs.checked, 0.5) / percentile(costs.unchecked, 0.5) - 1);
  console.log(`digests of sections: ${share.toFixed(1)} % of a cold query (${capsules} capsules, ${isolates} isolates each)`);
} finally {
  await rm(folder, { recursive: true });
}
