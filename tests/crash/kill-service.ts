import { parseArgs } from 'node:util';
import { announceCampaign, wholeNumber } from '../support/announce-campaign.ts';
import { runCrashes } from '../support/crash/crash-run.ts';
import buildOnce from '../support/build-once.ts';

/**
 * Kills the running service again and again while agents register, propose, rotate, revoke,
 * open checkouts and ask for invoices, and the payment processor tells of payments and refunds, and looks whether what it has
 * acknowledged is there when it is started again.
 *
 *     npm run crash -- [--kills 100] [--seed 1] [--built]
 *
 * With `--built` the functions are taken as they are.
 */
const { values } = parseArgs({
  options: { kills: { type: 'string', default: '100' }, seed: { type: 'string', default: '1' }, built: { type: 'boolean' } },
});

const { built } = values;
const seed = wholeNumber('seed', values.seed);
announceCampaign('crash', seed, { kills: values.kills, built });

if (!built) await buildOnce();
const began = performance.now();
const { kills, acts, acknowledged, cutOff, losses, integrity } = await runCrashes(wholeNumber('kills', values.kills), seed, console.log);
for (const loss of losses) console.log(`LOST ${loss}`);
console.log(
  `${kills} kills, seed ${seed}: ${acts} acts, acknowledged before a kill: ${Object.entries(acknowledged)
    .map(([kind, count]) => `${count} ${kind}`)
    .join(
      ', ',
    )}; ${cutOff} cut off; ${losses.length} lost, doubled or unreadable; database files: ${integrity.join(', ')}; ${Math.round((performance.now() - began) / 1_000)} s`,
);
process.exitCode = losses.length === 0 && integrity.every((text) => text === 'ok') ? 0 : 1;
