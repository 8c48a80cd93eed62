import { wholeNumber } from '../../src/cli/define-command.ts';
import { buildService } from '../support/build-once.ts';
import { announceCampaign, newCampaign } from '../support/campaign.ts';

const {
  kills: killsMax,
  seed = 1,
  built,
} = newCampaign(
  'crash',
  `Kill the running service again and again while agents register, propose, rotate and revoke keys, open checkouts and request invoices, and
payment webhooks arrive; check that what it acknowledged is there when it is started again.`,
)
  .option('--kills <number>', 'how often', wholeNumber(1), 100)
  .option('--built', 'take the compiled functions as they are')
  .parse()
  .opts();
announceCampaign('crash', seed, { kills: killsMax, built });

if (!built) await buildService(console.log);
const { runCrashes } = await import('./crash-run.ts');
const began = performance.now();
const { kills, acts, acknowledged, cutOff, losses, integrity } = await runCrashes(killsMax, seed, console.log);
for (const loss of losses) console.log(`LOST ${loss}`);
console.log(
  `${kills} kills, seed ${seed}: ${acts} acts, acknowledged before a kill: ${Object.entries(acknowledged)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(
      ', ',
    )}; ${cutOff} cut off; ${losses.length} lost, doubled or unreadable; database files: ${integrity.join(', ')}; ${Math.round((performance.now() - began) / 1_000)} s`,
);
process.exitCode = losses.length === 0 && integrity.every((text) => text === 'ok') ? 0 : 1;
