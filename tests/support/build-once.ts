import { createHash } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fingerprintFile } from '../../src/build/build-fingerprint.ts';
import { buildIfChanged } from '../../src/build/build-site.ts';
import { writeWorker } from '../../src/build/functions-worker.ts';
import type { PublisherOverrides } from '../../src/publication/read-publisher.ts';
import { STEMMERS } from '../../src/search/analysis/analysers.ts';
import { PUBLICATION, TEST_BASE_URL } from './paths.ts';
import { TEST_PAYMENTS } from './payments.ts';

const PAYMENTS: PublisherOverrides = {
  payTo: TEST_PAYMENTS.payTo,
  paymentNetwork: TEST_PAYMENTS.network,
  facilitatorUrl: TEST_PAYMENTS.facilitator,
};

const FUNCTIONS = join(PUBLICATION, '.akg/functions');

/** What the functions were compiled from. It is written last, so it stands for a whole bundle. */
const STAMP = join(FUNCTIONS, 'fingerprint');

export default async function buildOnce(): Promise<void> {
  await buildMode('edge', {}, () => undefined);
  await Promise.all([buildMode('static', PAYMENTS, () => undefined), compileFunctions()]);
}

/**
 * Builds the mode with functions and compiles them, unless they are up to date. A campaign does this before it imports what reads the built
 * service, so that it runs in a fresh clone.
 *
 * @param report Told what is built.
 */
export async function buildService(report: (line: string) => void): Promise<void> {
  await buildMode('edge', {}, report);
  await compileFunctions();
}

/** A frontend-only site leaves paid capsules out although payments are on. */
function buildMode(mode: 'edge' | 'static', payments: PublisherOverrides, report: (line: string) => void): Promise<unknown> {
  return buildIfChanged({ ...payments, root: PUBLICATION, output: PUBLICATION, mode, baseUrl: TEST_BASE_URL, report });
}

async function compileFunctions(): Promise<void> {
  // What is generated also follows from what was published before, which the fingerprint of the sources does not tell.
  const generated = await readFile(join(PUBLICATION, '.akg/generated.js'), 'utf8');
  const fingerprint = `${await readFile(fingerprintFile(PUBLICATION, 'edge'), 'utf8')} ${createHash('sha256').update(generated).digest('hex')}`;
  if ((await readFile(STAMP, 'utf8').catch(() => undefined)) === fingerprint) return;
  await rm(FUNCTIONS, { recursive: true, force: true });
  const server = join(PUBLICATION, '.akg/server');
  await writeWorker(FUNCTIONS, { root: PUBLICATION, server, generated, unused: [], analysers: STEMMERS.keys() });
  await writeFile(STAMP, fingerprint);
}
