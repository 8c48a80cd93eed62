import { parseArgs } from 'node:util';
import { builtBlocks, builtGenerated } from '../support/edge-gateway.ts';
import { useDirectCrypto } from '../support/simulated/direct-crypto.ts';
import { liveFlood } from './flood.ts';

const { values } = parseArgs({
  options: {
    days: { type: 'string', default: '30' },
    requests: { type: 'string', default: '8000' },
    networks: { type: 'string', default: '500' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000_000) },
  },
});
const [days, requestsPerDay, networks, seed] = [values.days, values.requests, values.networks, values.seed].map(Number) as [
  number,
  number,
  number,
  number,
];
console.log(`seed ${seed}: ${days} days, ${requestsPerDay} requests a day from ${networks} networks`);
useDirectCrypto();
const lived = await liveFlood({
  days,
  requestsPerDay,
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
