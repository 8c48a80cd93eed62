import { parseArgs } from 'node:util';
import { paymentOverrides } from '../../publication/payment-settings.ts';
import { buildSite } from '../../build/build-site.ts';
import { BuildSettingError } from '../../build/deployment.ts';
import { describeFailure } from '../../build/describe-failure.ts';
import { today } from '../../build/today.ts';

// Taken out of the environment, so that nothing which is started below inherits it.
const lineageKey = process.env['LINEAGE_KEY'];
delete process.env['LINEAGE_KEY'];

interface BuildArguments {
  readonly static: boolean;
  readonly unsigned: boolean;
}

function readArguments(): BuildArguments {
  const flag = { type: 'boolean', default: false } as const;
  try {
    return parseArgs({ options: { static: flag, unsigned: flag } }).values;
  } catch {
    // Arguments are not shown: one of them may be a private key, given by mistake.
    throw new BuildSettingError(
      'an argument is not known: --static builds a site without functions, --unsigned one without signatures; they go behind two dashes, as in "npm run build -- --unsigned"',
    );
  }
}

try {
  const given = readArguments();
  await buildSite({
    root: process.cwd(),
    mode: given.static ? 'static' : 'edge',
    rateLimits: process.env['RATE_LIMITS'],
    storage: process.env['STORAGE'],
    baseUrl: process.env['BASE_URL'],
    checkoutHost: process.env['CHECKOUT_HOST'],
    ...paymentOverrides(process.env),
    lineageKey,
    mayBeUnsigned: given.unsigned,
    isTrial: false,
    sourceCommit: process.env['CF_PAGES_COMMIT_SHA'],
    today: today(),
    report: (line) => console.log(line),
  });
} catch (error) {
  console.error(describeFailure(error));
  process.exitCode = 1;
}
