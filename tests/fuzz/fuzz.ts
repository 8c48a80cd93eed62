import { isDeepStrictEqual } from 'node:util';
import { Option } from '@commander-js/extra-typings';
import { examples, wholeNumber } from '../../src/cli/define-command.ts';
import { buildService } from '../support/build-once.ts';
import { announceCampaign, newCampaign, newSeed } from '../support/campaign.ts';
import type { RunReport } from './fuzz-run.ts';
import { printCodes, printReport } from './print-report.ts';

const REQUESTS_DEFAULT = 100_000;

/** Parts that send requests, each with its share of them: one in workerd takes ten times as long as one in this process. */
const SHARES = { process: 80, limited: 10, workerd: 10 } as const;
type Part = keyof typeof SHARES;

/** A short run that is made twice. */
const SELF_CHECK = { requests: 80, seconds: 60 };
const PARTS = Object.keys(SHARES) as Part[];

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
const [{ batchesOf, runBatches }, { fuzzService }] = await Promise.all([import('./batches.ts'), import('./fuzz-service.ts')]);
// A finding can only be repeated if the same seed sends the same requests.
const [once, again] = [await fuzzService('process', seed, SELF_CHECK), await fuzzService('process', seed, SELF_CHECK)];
if (!isDeepStrictEqual(once.counts, again.counts)) throw new Error('The same seed did not send the same requests.');
const reports: RunReport[] = [];
for (const part of parts) {
  const wanted = Math.ceil((requests * SHARES[part]) / shares);
  reports.push(await runBatches(batchesOf(part, seed, wanted), seconds, print));
}
for (const report of reports) printReport(report, print);
printCodes(reports, print);
const failures = reports.reduce((sum, { findings }) => sum + findings.length, 0);
print(failures === 0 ? '\nNothing was found.' : `\n${failures} findings.`);
process.exitCode = failures === 0 ? 0 : 1;
