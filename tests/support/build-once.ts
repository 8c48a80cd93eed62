import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fingerprintFile } from '../../src/build/build-fingerprint.ts';
import { buildIfChanged } from '../../src/build/build-if-changed.ts';
import { runNode, wranglerProgram } from '../../src/build/run-process.ts';
import type { PaymentOverrides } from '../../src/publication/read-publisher.ts';
import { FUNCTIONS_BUNDLE, PUBLICATION, TEST_BASE_URL } from './paths.ts';
import { TEST_PAYMENTS } from './payments.ts';

const PAYMENTS: PaymentOverrides = {
  payTo: TEST_PAYMENTS.payTo,
  paymentNetwork: TEST_PAYMENTS.network,
  facilitatorUrl: TEST_PAYMENTS.facilitator,
};

/** What the functions were compiled from. It is written last, so it stands for a whole bundle. */
const STAMP = join(dirname(FUNCTIONS_BUNDLE), 'fingerprint');

/** Builds both modes and compiles the functions, unless they are up to date. */
export default async function buildOnce(): Promise<void> {
  const build = (mode: 'edge' | 'static', payments: PaymentOverrides): Promise<unknown> =>
    buildIfChanged({ ...payments, root: PUBLICATION, output: PUBLICATION, mode, baseUrl: TEST_BASE_URL, report: () => undefined });
  await build('edge', {});
  // A frontend-only site leaves paid capsules out although payments are on.
  await Promise.all([build('static', PAYMENTS), compileFunctions()]);
}

async function compileFunctions(): Promise<void> {
  // What is generated also follows from what was published before, which the fingerprint of the sources does not tell.
  const generated = createHash('sha256')
    .update(await readFile(join(PUBLICATION, '.akg/generated.js')))
    .digest('hex');
  const fingerprint = `${await readFile(fingerprintFile(PUBLICATION, 'edge'), 'utf8')} ${generated}`;
  if ((await readFile(STAMP, 'utf8').catch(() => undefined)) === fingerprint) return;
  await rm(dirname(FUNCTIONS_BUNDLE), { recursive: true, force: true });
  const outcome = await runNode([wranglerProgram(), 'pages', 'functions', 'build', '--outdir', '.akg/functions'], { cwd: PUBLICATION });
  if (outcome.exitCode !== 0) throw new Error(`the functions could not be compiled:\n${outcome.output}`);
  await writeFile(STAMP, fingerprint);
}
