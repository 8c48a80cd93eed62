/**
 * Sends generated requests to the built service and judges every answer.
 *
 *   npm run fuzz -- [--where process|limited|workerd|sockets|keys|all] [--requests N] [--seconds S] [--seed S]
 *
 * It ends with exit code 1 if anything was found. The same seed sends the same requests in this process.
 */
import { parseArgs } from 'node:util';
import { announceCampaign, seedFrom, wholeNumber } from '../support/announce-campaign.ts';
import buildOnce from '../support/build-once.ts';
import { batchesOf, runBatches } from './batches.ts';
import type { RunReport } from './fuzz-run.ts';
import { countAccepted } from './keys/count-accepted.ts';
import { printCodes, printReport } from './print-report.ts';
import { breakSockets } from './sockets/break-sockets.ts';

/** Requests of a campaign that names no number. */
const REQUESTS_DEFAULT = 100_000;
/** Counterfeit keys of one that names no number. */
const KEYS_DEFAULT = 1_000_000;

/** Parts that send requests, each with its share of them: one in workerd takes ten times as long as one in this process. */
const SHARES = { process: 80, limited: 10, workerd: 9, sockets: 1 } as const;
type Part = keyof typeof SHARES;

const { values } = parseArgs({
  options: {
    where: { type: 'string', default: 'all' },
    requests: { type: 'string' },
    seconds: { type: 'string' },
    seed: { type: 'string' },
  },
});
const seed = seedFrom(values.seed);
announceCampaign('fuzz', seed, { where: values.where, requests: values.requests, seconds: values.seconds });

const { where } = values;
const parts = (Object.keys(SHARES) as Part[]).filter((part) => where === part || where === 'all');
if (parts.length === 0 && where !== 'keys') throw new Error(`--where is one of ${Object.keys(SHARES).join(', ')}, keys, all`);
const requests = values.requests === undefined ? undefined : wholeNumber('requests', values.requests);
const seconds = values.seconds === undefined ? Number.POSITIVE_INFINITY : wholeNumber('seconds', values.seconds);
const print = (line: string): void => console.log(line);
const shares = parts.reduce((sum, part) => sum + SHARES[part], 0);

await buildOnce();
const reports: RunReport[] = [];
let failures = 0;
for (const part of parts) {
  const wanted = Math.ceil(((requests ?? REQUESTS_DEFAULT) * SHARES[part]) / shares);
  if (part === 'sockets') failures += await breakSockets(seed, print, wanted);
  else reports.push(await runBatches(batchesOf(part, seed, wanted), seconds, print));
}
if (where === 'keys' || where === 'all') failures += await countAccepted({ keys: requests ?? KEYS_DEFAULT, seed, print });
for (const report of reports) printReport(report, print);
if (reports.length > 0) printCodes(reports, print);
failures += reports.reduce((sum, { findings }) => sum + findings.length, 0);
print(failures === 0 ? '\nNothing was found.' : `\n${failures} findings.`);
process.exitCode = failures === 0 ? 0 : 1;
