import { parseArgs } from 'node:util';
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

/** A number of the command line. */
function numberOf(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new RangeError(`--${name} takes a whole number, not ${text}`);
  return Number(text);
}

const seed = values.seed === undefined ? Date.now() % 1_000_000_000 : numberOf('seed', values.seed);
const operations = numberOf('ops', values.ops);
const only = values.run === undefined ? undefined : numberOf('run', values.run);
const first = only ?? 1;
const runs = only !== undefined ? 1 : values.runs === undefined ? Number.POSITIVE_INFINITY : numberOf('runs', values.runs);
const seconds =
  values.seconds === undefined
    ? values.runs === undefined && only === undefined
      ? SECONDS_DEFAULT
      : Number.POSITIVE_INFINITY
    : numberOf('seconds', values.seconds);

useDirectCrypto();
console.log(`seed ${seed}, ${operations} operations a lifetime, ${Object.keys(INVARIANTS).length} invariants`);
const tally = new Map<string, number>();
let done = 0;
let lived = 0;
const beganMs = Date.now();
const beganCpu = process.cpuUsage();
const elapsed = (): number => (Date.now() - beganMs) / 1_000;
for (let run = first; run < first + runs && elapsed() < seconds; run += 1) {
  const { violation, trace, ...outcome } = await runLifetime(seed, run, operations);
  for (const [answered, times] of outcome.tally) tally.set(answered, (tally.get(answered) ?? 0) + times);
  done += outcome.operations;
  lived += 1;
  if (violation !== undefined || values.trace) console.log(trace.join('\n'));
  if (violation !== undefined) {
    console.log(`\n${violation.message}\n\nAgain: npm run simulate -- --seed ${seed} --run ${run} --ops ${operations}`);
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
