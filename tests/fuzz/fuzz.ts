/**
 * Sends generated requests to the built service and judges every answer.
 *
 *   npm run fuzz -- [--where process|workerd|sockets|keys|all] [--requests N] [--seconds S] [--seed S]
 *
 * It ends with exit code 1 if anything was found. The same seed sends the same requests in this process.
 */
import { parseArgs } from 'node:util';
import buildOnce from '../support/build-once.ts';
import { countAccepted } from './keys/count-accepted.ts';
import type { RunReport } from './fuzz-run.ts';
import { fuzzService } from './fuzz-service.ts';
import { printCodes, printReport } from './print-report.ts';
import { breakSockets } from './sockets/break-sockets.ts';

const PLACES = ['process', 'workerd', 'sockets', 'keys'] as const;

const { values } = parseArgs({
  options: {
    where: { type: 'string', default: 'all' },
    requests: { type: 'string' },
    seconds: { type: 'string', default: '90' },
    seed: { type: 'string', default: '1' },
  },
});
const places = values.where === 'all' ? PLACES : PLACES.filter((place) => place === values.where);
if (places.length === 0) throw new Error(`--where is one of ${PLACES.join(', ')}, all`);
const seed = Number(values.seed);
const seconds = Number(values.seconds);
const wanted = values.requests === undefined ? undefined : Number(values.requests);
const print = (line: string): void => console.log(line);

await buildOnce();
const reports: RunReport[] = [];
let failures = 0;
for (const place of places) {
  if (place === 'process') {
    reports.push(await fuzzService('process', seed, { requests: wanted ?? 100_000, seconds }));
    reports.push(await fuzzService('process-limited', seed, { requests: Math.ceil((wanted ?? 100_000) / 10), seconds }));
  }
  if (place === 'workerd') reports.push(await fuzzService('workerd', seed, { requests: wanted ?? 5_000, seconds }));
  if (place === 'sockets') failures += await breakSockets(seed, print);
  if (place === 'keys') failures += await countAccepted({ keys: wanted ?? 1_000_000, seed, print });
}
for (const report of reports) printReport(report, print);
if (reports.length > 0) printCodes(reports, print);
failures += reports.reduce((sum, { findings }) => sum + findings.length, 0);
print(failures === 0 ? '\nNothing was found.' : `\n${failures} findings.`);
process.exitCode = failures === 0 ? 0 : 1;
