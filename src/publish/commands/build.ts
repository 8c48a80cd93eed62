import { buildSite } from '../build-site.ts';
import { describeFailure } from '../describe-failure.ts';
import { today } from '../today.ts';

// Taken out of the environment, so that nothing which is started below inherits it.
const lineageKey = process.env['LINEAGE_KEY'];
delete process.env['LINEAGE_KEY'];
const mode = process.argv.includes('--static') ? 'static' : 'edge';
try {
  await buildSite({
    root: process.cwd(),
    mode,
    rateLimits: process.env['RATE_LIMITS'],
    storage: process.env['STORAGE'],
    baseUrl: process.env['BASE_URL'],
    checkoutHost: process.env['CHECKOUT_HOST'],
    lineageKey,
    today: today(),
    report: (line) => console.log(line),
  });
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}
