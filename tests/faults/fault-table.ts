import { newScript } from '../support/campaign.ts';
import { useDirectCrypto } from '../support/simulated/direct-crypto.ts';
import { faultsOf } from './fault-kinds.ts';
import { type FaultPlan, learnScenarios } from './fault-matrix.ts';

newScript('faults', 'Run every scenario with every fault of every call that it makes.').parse();

/** Faults are logged by the service, by design; here they would be all that is seen. */
console.error = () => undefined;
useDirectCrypto();

const counts = new Map<string, number>();
let wrong = 0;

async function tally(
  line: Map<string, number>,
  name: string,
  plan: FaultPlan,
  run: Awaited<ReturnType<typeof learnScenarios>>[number]['run'],
) {
  const outcome = await run(plan);
  for (const table of [line, counts]) table.set(outcome.kind, (table.get(outcome.kind) ?? 0) + 1);
  if (outcome.wrong === undefined) return;
  wrong += 1;
  console.log(
    `WRONG ${name}, ${[...plan].map(([call, fault]) => `call ${call} ${fault}`).join(' and ')}: ${outcome.kind}: ${outcome.wrong}`,
  );
}

const inWords = (table: ReadonlyMap<string, number>): string =>
  [...table]
    .sort(([, a], [, b]) => b - a)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(', ');

const learned = await learnScenarios();
let pairs = 0;
for (const { scenario, calls, run } of learned) {
  const line = new Map<string, number>();
  for (const [at, call] of calls.entries())
    for (const fault of faultsOf(call)) {
      pairs += 1;
      await tally(line, scenario.name, new Map([[at, fault]]), run);
    }
  console.log(`${scenario.name} (${calls.length} calls): ${inWords(line)}`);
}
console.log(`\n${pairs} faults, one at a time: ${inWords(counts)}; ${wrong} wrong`);
process.exitCode = wrong === 0 ? 0 : 1;
