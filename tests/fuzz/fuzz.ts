import { isDeepStrictEqual } from 'node:util';
import { Option } from '@commander-js/extra-typings';
import { examples, wholeNumber } from '../../src/cli/define-command.ts';
import { ERRORS } from '../../src/gateway/errors.ts';
import { seedOf } from '../eval/random.ts';
import { buildService } from '../support/build-once.ts';
import { announceCampaign, newCampaign, newSeed } from '../support/campaign.ts';
import type { Finding } from './fuzz-run.ts';
import type { FuzzPart } from './fuzz-service.ts';

const REQUESTS_DEFAULT = 100_000;

/** Parts that send requests, each with its share of them: one in workerd takes ten times as long as one in this process. */
const SHARES: Readonly<Record<FuzzPart, number>> = { process: 80, limited: 10, workerd: 10 };

/** A short run that is made twice. */
const SELF_CHECK = { requests: 80, seconds: 60 };
const PARTS = Object.keys(SHARES) as FuzzPart[];

/** Requests of a batch: few enough that one can be sent again in seconds, and that what a service keeps of them stays small. */
const BATCH_REQUESTS = 20_000;

const {
  where,
  requests,
  seconds = Number.POSITIVE_INFINITY,
  seed = newSeed(),
} = newCampaign('fuzz', 'Send generated requests to the built service, and check every response. Exit code 1: something was found.')
  .addOption(new Option('--where <part>', 'only one part').choices([...PARTS, 'all'] as const).default('all' as const))
  .option('--requests <number>', 'requests of all parts', wholeNumber(1), REQUESTS_DEFAULT)
  .option('--seconds <number>', 'longest time of each part', wholeNumber(1))
  .addHelpText('after', examples('npm run fuzz -- --where process --requests 1000000', 'npm run fuzz -- --where workerd'))
  .parse()
  .opts();
announceCampaign('fuzz', seed, { where, requests, seconds: seconds === Number.POSITIVE_INFINITY ? undefined : seconds });
const parts = PARTS.filter((part) => where === part || where === 'all');
const print = (line: string): void => console.log(line);
const shares = parts.reduce((sum, part) => sum + SHARES[part], 0);

await buildService(print);
const [{ FINDINGS_MAX }, { fuzzService }] = await Promise.all([import('./fuzz-run.ts'), import('./fuzz-service.ts')]);
// A finding can only be repeated if the same seed sends the same requests.
const [once, again] = [await fuzzService('process', seed, SELF_CHECK), await fuzzService('process', seed, SELF_CHECK)];
if (!isDeepStrictEqual(once.counts, again.counts)) throw new Error('The same seed did not send the same requests.');
const codes = new Set<string>();
let failures = 0;
for (const part of parts) failures += await runPart(part, Math.ceil((requests * SHARES[part]) / shares));
const all = Object.keys(ERRORS);
print(
  `\n${all.filter((code) => codes.has(code)).length} of ${all.length} error codes were answered. Not answered: ${all.filter((code) => !codes.has(code)).join(', ') || 'none'}`,
);
print(failures === 0 ? '\nNothing was found.' : `\n${failures} findings.`);
process.exitCode = failures === 0 ? 0 : 1;

/**
 * Sends the requests of a part in batches, until all are sent, the time is over or too much was found. What a batch needs of memory is free
 * again when it ends. Every batch is printed with what it found: a campaign may be ended before its last one.
 *
 * @returns How many different faults were found.
 */
async function runPart(part: FuzzPart, wanted: number): Promise<number> {
  const beganMs = performance.now();
  const secondsGone = (): number => (performance.now() - beganMs) / 1_000;
  const found = new Set<string>();
  const counts = new Map<string, Map<number, number>>();
  let name = '';
  let sent = 0;
  for (let batch = 0; batch * BATCH_REQUESTS < wanted; batch += 1) {
    const left = seconds - secondsGone();
    if (left <= 0 || found.size >= FINDINGS_MAX) break;
    // The first one has the seed of the campaign, so that a batch is repeated under its own seed.
    const seedOfBatch = batch === 0 ? seed : seedOf(`${seed} ${batch}`);
    const bounds = { requests: Math.min(BATCH_REQUESTS, wanted - batch * BATCH_REQUESTS), seconds: left };
    const report = await fuzzService(part, seedOfBatch, bounds);
    name = report.service;
    sent += report.requests;
    print(
      `  ${name}, seed ${seedOfBatch}: ${report.requests} requests, ${report.findings.length} findings; ${sent} of ${wanted} in all, ${Math.round(sent / secondsGone())} a second`,
    );
    for (const [operation, statuses] of report.counts) {
      const sum = counts.get(operation) ?? new Map<number, number>();
      counts.set(operation, sum);
      for (const [status, count] of statuses) sum.set(status, (sum.get(status) ?? 0) + count);
    }
    for (const code of report.codes) codes.add(code);
    for (const finding of report.findings) {
      const fault = `${finding.operation} ${finding.fault}`;
      if (!found.has(fault)) printFinding(finding, part, seedOfBatch);
      found.add(fault);
    }
  }
  print(`\n${name}: ${sent} requests in ${secondsGone().toFixed(1)} s, ${Math.round(sent / secondsGone())} a second`);
  for (const [operation, statuses] of [...counts].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const answered = [...statuses].sort(([one], [other]) => one - other).map(([status, count]) => `${status}: ${count}`);
    print(`  ${operation.padEnd(24)} ${answered.join('  ')}`);
  }
  return found.size;
}

function printFinding({ operation, fault, request, lines, reply }: Finding, part: FuzzPart, seedOfBatch: number): void {
  print(`\n  FINDING ${operation}: ${fault} (request ${request})`);
  print(`    again: npm run fuzz -- --where ${part} --requests ${request + 1} --seed ${seedOfBatch}`);
  for (const line of lines) print(`    ${line}`);
  print(`    ${reply.replaceAll('\n', '\n    ')}`);
}
