import { formatBytes } from '../../src/publish/kv-budget.ts';
import { makeChangeableCorpus } from './measure-change.ts';

/**
 * Keys that publishing writes to KV after a change of one capsule, by kind.
 *
 * Use: npm run bench:change [capsules]
 */
const [count = 10_000] = process.argv.slice(2).map(Number);

const corpus = await makeChangeableCorpus(count, 1);
const row = (values: readonly (string | number)[]): string =>
  values.map((value, at) => (at === 0 ? String(value).padEnd(30) : String(value).padStart(10))).join('');
console.log(row([`${count} capsules`, 'index', 'documents', 'history', 'lineages', 'manifest', 'keys', 'size']));
const { index, documents, history, lineages, manifest } = corpus.blocks;
console.log(row(['first publish', index, documents, history, lineages, manifest, index + documents + history + lineages + manifest]));
for await (const { name, keys, bytes, byKind } of corpus.changes())
  console.log(
    row([
      name,
      byKind.index ?? 0,
      byKind.documents ?? 0,
      byKind.history ?? 0,
      byKind.lineages ?? 0,
      byKind.manifest ?? 0,
      keys,
      formatBytes(bytes),
    ]),
  );
