import { BlockKind } from '../../src/build/kv/block-namespace.ts';
import { formatBytes } from '../../src/build/kv/publish-blocks.ts';
import { wholeNumber } from '../../src/cli/define-command.ts';
import { newScript } from '../support/campaign.ts';
import { makeChangeableCorpus } from './measure-change.ts';

const [count] = newScript('bench:change', 'Count the keys that publishing writes to KV after a change of one capsule, by kind.')
  .argument('[capsules]', 'capsules of the corpus', wholeNumber(1), 10_000)
  .parse().processedArgs;

const corpus = await makeChangeableCorpus(count, 1);
const row = (values: readonly (string | number)[]): string =>
  values.map((value, at) => (at === 0 ? String(value).padEnd(30) : String(value).padStart(10))).join('');
const kinds = BlockKind.options;
const all = kinds.map((kind) => corpus.blocks[kind]);
console.log(row([`${count} capsules`, ...kinds, 'keys', 'size']));
console.log(row(['first publish', ...all, all.reduce((sum, blocks) => sum + blocks, 0)]));
for await (const { name, keys, bytes, byKind } of corpus.changes())
  console.log(row([name, ...kinds.map((kind) => byKind[kind] ?? 0), keys, formatBytes(bytes)]));
