import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { installPeers } from '../eval/peers/install-peers.ts';
import { reportText } from './query-peers/report-text.ts';
import { measureCorpora } from './query-peers/measure-corpora.ts';

/**
 * The index of the gateway beside MiniSearch, Orama and the FTS5 of D1: each in a workerd of its own, over the same synthetic
 * capsules and the same queries. First answers of fresh isolates, steady requests, CPU, memory, bytes, and how often the document
 * that a query was taken from is in the first ten.
 *
 * Use: npm run bench:query -- [documents...] [--json] [--seconds n] [--quick]
 *
 * Progress goes to standard error. `--quick` measures 1,000 documents for two seconds. Linux only.
 */
const DEFAULT_DOCUMENTS = [1_000, 10_000, 100_000];
const DEFAULT_SECONDS = 5;
const QUICK = { documents: [1_000], seconds: 2 };

const options = { json: { type: 'boolean' }, quick: { type: 'boolean' }, seconds: { type: 'string' } } as const;
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const wanted = positionals.map(Number);
const documents = wanted.length > 0 ? wanted : values.quick ? QUICK.documents : DEFAULT_DOCUMENTS;
const seconds = Number(values.seconds ?? (values.quick ? QUICK.seconds : DEFAULT_SECONDS));
if (!documents.every((count) => Number.isInteger(count) && count > 0)) throw new Error('numbers of documents are whole and above 0');
if (!(seconds > 0)) throw new Error('--seconds takes a number above 0');

installPeers();
const folder = await mkdtemp(join(tmpdir(), 'query-peers-'));
try {
  const report = await measureCorpora(documents, seconds, folder, (line) => process.stderr.write(`${line}\n`));
  console.log(values.json ? JSON.stringify(report, null, 2) : reportText(report));
} finally {
  await rm(folder, { recursive: true, force: true });
}
