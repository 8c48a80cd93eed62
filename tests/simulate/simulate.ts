import { examples, wholeNumber } from '../../src/cli/define-command.ts';
import { announceCampaign, newCampaign, newSeed } from '../support/campaign.ts';
import { useDirectCrypto } from '../support/simulated/direct-crypto.ts';
import { runLifetime } from './run-lifetime.ts';
import { INVARIANTS } from './violation.ts';

/** Operations of one lifetime unless said otherwise. */
const OPERATIONS_DEFAULT = 60;
const SECONDS_DEFAULT = 90;

const {
  seconds,
  runs,
  ops: operations,
  seed = newSeed(),
  run: only,
  trace: printTrace,
  answers: printTally,
} = newCampaign(
  'simulate',
  'Live whole lifetimes of the service in several locations, with every fault of its stores, and check the invariants after every operation.',
)
  .option('--seconds <number>', `for how long (default: ${SECONDS_DEFAULT}, unless --runs is given)`, wholeNumber(1))
  .option('--runs <number>', 'how many lifetimes', wholeNumber(1))
  .option('--ops <number>', 'operations of a lifetime', wholeNumber(1), OPERATIONS_DEFAULT)
  .option('--run <number>', 'only the lifetime of this number', wholeNumber(1))
  .option('--trace', 'print everything that happens')
  .option('--answers', 'count the responses by operation and status')
  .addHelpText('after', examples('npm run simulate -- --runs 1000', 'npm run simulate -- --seed 7 --run 110 --trace'))
  .parse()
  .opts();
announceCampaign('simulate', seed, { seconds, runs, ops: operations, run: only });
const first = only ?? 1;
const runsMax = only !== undefined ? 1 : (runs ?? Number.POSITIVE_INFINITY);
const secondsMax = seconds ?? (runsMax === Number.POSITIVE_INFINITY ? SECONDS_DEFAULT : Number.POSITIVE_INFINITY);

useDirectCrypto();
if (only === undefined) await demandDeterminism();
console.log(`${operations} operations a lifetime, ${Object.keys(INVARIANTS).length} invariants`);
const tally = new Map<string, number>();
let done = 0;
let lived = 0;
const beganMs = Date.now();
const beganCpu = process.cpuUsage();
const elapsed = (): number => (Date.now() - beganMs) / 1_000;
for (let run = first; run < first + runsMax && elapsed() < secondsMax; run += 1) {
  const again = `npm run simulate -- --seed ${seed} --run ${run} --ops ${operations}`;
  const { violation, trace, ...outcome } = await runLifetime(seed, run, operations).catch((error: unknown) => {
    console.log(`\nThis lifetime could not be lived. Again: ${again}`);
    throw error;
  });
  for (const [answered, times] of outcome.tally) tally.set(answered, (tally.get(answered) ?? 0) + times);
  done += outcome.operations;
  lived += 1;
  if (violation !== undefined || printTrace) console.log(trace.join('\n'));
  if (violation !== undefined) {
    console.log(`\n${violation.message}\n\nAgain: ${again}`);
    process.exitCode = 1;
    break;
  }
  if (lived % 500 === 0) console.log(`${lived} lifetimes, ${done} operations, ${Math.round(done / elapsed())} a second`);
}
const { user, system } = process.cpuUsage(beganCpu);
const cpuSeconds = (user + system) / 1_000_000;
console.log(
  `${lived} lifetimes, ${done} operations in ${elapsed().toFixed(1)} s, ${Math.round(done / elapsed())} a second, ${Math.round(done / cpuSeconds)} a second of CPU`,
);
if (printTally) for (const [answered, times] of [...tally].sort()) console.log(`${String(times).padStart(9)}  ${answered}`);

/** A violation can only be repeated if the same seed and run live the same lifetime again, and others another one. */
async function demandDeterminism(): Promise<void> {
  const [one, again, other] = [await runLifetime(seed, 1, 20), await runLifetime(seed, 1, 20), await runLifetime(seed, 2, 20)];
  if (one.trace.join() !== again.trace.join() || one.trace.join() === other.trace.join())
    throw new Error('The simulation is not deterministic: a seed does not repeat its lifetimes.');
}
