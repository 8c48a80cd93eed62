import { wholeNumber } from '../../src/cli/define-command.ts';
import { buildService } from '../support/build-once.ts';
import { announceCampaign, newCampaign, newSeed } from '../support/campaign.ts';
import { useDirectCrypto } from '../support/simulated/direct-crypto.ts';

const {
  days,
  requests,
  networks,
  seed = newSeed(),
} = newCampaign(
  'simulate:flood',
  'Send requests from hundreds of networks for a month, over a database that takes 100,000 written rows a day.',
)
  .option('--days <number>', 'how many days', wholeNumber(1), 30)
  .option('--requests <number>', 'requests a day', wholeNumber(1), 8_000)
  .option('--networks <number>', 'networks that they come from', wholeNumber(1), 500)
  .parse()
  .opts();
announceCampaign('simulate:flood', seed, { days, requests, networks });
await buildService(console.log);
const [{ builtBlocks, builtGenerated }, { liveFlood }] = await Promise.all([import('../support/edge-gateway.ts'), import('./flood.ts')]);
useDirectCrypto();
const lived = await liveFlood({
  days,
  requestsPerDay: requests,
  networks,
  seed,
  generated: await builtGenerated(),
  blocks: await builtBlocks(),
  onDay: ({ day, rowsWritten, databaseBytes, statuses, reserved, failed }) =>
    console.log(
      `day ${day}: ${rowsWritten} rows written, ${(databaseBytes / 1e6).toFixed(1)} MB, reserved writes ${reserved - failed.length} of ${reserved}, responses ${JSON.stringify(statuses)}${failed.length === 0 ? '' : `, failed: ${[...new Set(failed)].join('; ')}`}`,
    ),
});
process.exitCode = lived.every(({ failed }) => failed.length === 0) ? 0 : 1;
