import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { wholeNumber } from '../../src/cli/define-command.ts';
import { newScript, wholeNumbers } from '../support/campaign.ts';
import { installPackages } from '../support/install-packages.ts';
import { measureCorpora } from './query-peers/measure-corpora.ts';
import { reportText } from './query-peers/report-rows.ts';

/**
 * The index of the gateway beside MiniSearch, Orama and the FTS5 of D1: each in a workerd of its own, over the same synthetic
 * capsules and the same queries. First answers of fresh isolates, steady requests, CPU, memory, bytes, and how often the document
 * that a query was taken from is in the first ten.
 *
 * Progress goes to standard error. Linux only.
 */
const DEFAULT_DOCUMENTS = [1_000, 10_000, 100_000];
const DEFAULT_SECONDS = 5;
const QUICK = { documents: [1_000], seconds: 2 };

const script = newScript(
  'bench:query',
  'Compare the index with MiniSearch, Orama and the FTS5 of D1, each in a workerd of its own. Linux only.',
)
  .argument('[documents...]', `sizes of synthetic corpora (default: ${DEFAULT_DOCUMENTS.join(' ')})`, wholeNumbers(1))
  .option('--seconds <number>', `how long each is measured (default: ${DEFAULT_SECONDS})`, wholeNumber(1))
  .option('--quick', `measure ${QUICK.documents.join(' ')} documents for ${QUICK.seconds} seconds`)
  .option('--json', 'print the figures as JSON')
  .parse();
const { quick, json, seconds = quick ? QUICK.seconds : DEFAULT_SECONDS } = script.opts();
const [sizes] = script.processedArgs;
// A repeated argument that is absent is an empty list.
const documents = sizes.length > 0 ? sizes : quick ? QUICK.documents : DEFAULT_DOCUMENTS;

installPackages(join(import.meta.dirname, '../eval/peers'), '--ignore-scripts');
const folder = await mkdtemp(join(tmpdir(), 'query-peers-'));
try {
  const report = await measureCorpora(documents, seconds, folder, (line) => process.stderr.write(`${line}\n`));
  console.log(json ? JSON.stringify(report, null, 2) : reportText(report));
} finally {
  await rm(folder, { recursive: true, force: true });
}
