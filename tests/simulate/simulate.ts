import { parseArgs } from 'node:util';
import { announceCampaign, seedFrom, wholeNumber } from '../support/announce-campaign.ts';
import { useDirectCrypto } from '../support/simulated/direct-crypto.ts';
import { runLifetime } from './run-lifetime.ts';
import { INVARIANTS } from './violation.ts';

/** Operations of one lifetime unless said otherwise. */
const OPERATIONS_DEFAULT = 60;
const SECONDS_DEFAULT = 90;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    runs: { type: 'string' },
    ops: { type: 'string', default: String(OPERATIONS_DEFAULT) },
    seed: { type: 'string' },
    run: { type: 'string' },
    trace: { type: 'boolean', default: false },
    answers: { type: 'boolean', default: false },
  },
});

const { ops, run: onlyRun } = values;
const seed = seedFrom(values.seed);
announceCampaign('simulate', seed, { seconds: values.seconds, runs: values.runs, ops, run: onlyRun });
const operations = wholeNumber('ops', ops);
const only = onlyRun === undefined ? undefined : wholeNumber('run', onlyRun);
const first = only ?? 1;
const runs = only !== undefined ? 1 : values.runs === undefined ? Number.POSITIVE_INFINITY : wholeNumber('runs', values.runs);
const seconds =
  values.seconds === undefined
    ? values.runs === undefined && only === undefined
      ? SECONDS_DEFAULT
      : Number.POSITIVE_INFINITY
    : wholeNumber('seconds', values.seconds);

useDirectCrypto();
console.log(`${operations} operations a lifetime, ${Object.keys(INVARIANTS).length} invariants`);
const tally = new Map<string, number>();
let done = 0;
let lived = 0;
const beganMs = Date.now();
const beganCpu = process.cpuUsage();
const elapsed = (): number => (Date.now() - beganMs) / 1_000;
for (let run = first; run < first + runs && elapsed() < seconds; run += 1) {
  const again = `npm run simulate -- --seed ${seed} --run ${run} --ops ${operations}`;
  const { violation, trace, ...outcome } = await runLifetime(seed, run, operations).catch((error: unknown) => {
    console.log(`\nThis lifetime could not be lived. Again: ${again}`);
    throw error;
  });
  for (const [answered, times] of outcome.tally) tally.set(answered, (tally.get(answered) ?? 0) + times);
  done += outcome.operations;
  lived += 1;
  if (violation !== undefined || values.trace) console.log(trace.join('\n'));
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
if (values.answers) for (const [answered, times] of [...tally].sort()) console.log(`${String(times).padStart(9)}  ${answered}`);
