import { buildGeneration } from '../../src/build/generation/build-generation.ts';
import { wholeNumber } from '../../src/cli/define-command.ts';
import { Corpus } from '../../src/gateway/knowledge/corpus.ts';
import { BlockCache } from '../../src/gateway/knowledge/load-block.ts';
import { readLineage } from '../../src/gateway/knowledge/read-lineage.ts';
import { expectValue } from '../../src/gateway/result.ts';
import { publishCapsules } from '../../src/publication/publish/published-capsules.ts';
import { Lineage } from '../../src/schemas/knowledge/lineage.ts';
import { cpuMs } from '../eval/cpu-clock.ts';
import { seededRandom } from '../eval/random.ts';
import { newScript } from '../support/campaign.ts';
import { testRanking } from '../support/compiled-kernel.ts';
import { contentOf, syntheticCapsule, syntheticCapsules } from './capsule-corpus.ts';
import { syntheticDocuments } from './synthetic-corpus.ts';

/**
 * Cost of the lineage of a capsule with many relatives, compared with few: store operations and bytes of a cold isolate, CPU of the first and
 * of later responses, and the size of the response. All pages of the graph are read once, and all relatives counted.
 */
const [relatives] = newScript(
  'bench:lineage',
  'Measure what the lineage of a capsule with many relatives costs, compared with one that has few.',
)
  .argument('[relatives]', 'how many relatives', wholeNumber(1), 10_000)
  .parse().processedArgs;
const SEED = 1;
const OTHERS = 1_000;
const TIMES = 30;
const HUB = 'hub';

const random = seededRandom(SEED);
const documents = [...syntheticDocuments(relatives + OTHERS, SEED)];
const hub = { ...syntheticCapsules(1, SEED + 1)[0], id: HUB } as ReturnType<typeof syntheticCapsule>;
const dependants = documents.slice(0, relatives).map((document) => {
  const capsule = syntheticCapsule(document, random, []);
  return { ...capsule, frontMatter: { ...capsule.frontMatter, derived_from: [HUB] } };
});
const others = documents.slice(relatives).map((document) => syntheticCapsule(document, random, []));
const pair = others[1];
if (pair !== undefined && others[0] !== undefined)
  others[1] = { ...pair, frontMatter: { ...pair.frontMatter, derived_from: [others[0].id] } };
console.error(`building a corpus of ${relatives + OTHERS + 1} capsules`);
const generation = await buildGeneration(await publishCapsules(contentOf([hub, ...dependants, ...others])), []);

let operations = 0;
let bytes = 0;
const count = (found: Uint8Array | undefined): Uint8Array | undefined => {
  bytes += found?.length ?? 0;
  return found;
};
const freshCorpus = (): Corpus =>
  new Corpus(
    generation,
    {
      read: async (sha256) => {
        operations += 1;
        return count(generation.blocks.get(sha256));
      },
      readMany: async (references) => {
        operations += 1;
        return new Map(references.flatMap(({ sha256 }) => [[sha256, count(generation.blocks.get(sha256)) as Uint8Array] as const]));
      },
    },
    new BlockCache(Number.MAX_SAFE_INTEGER),
    testRanking(),
  );
const read = async (corpus: Corpus, id: string, cursor?: string): Promise<string> =>
  expectValue(await readLineage({ id, cursor, hasCursors: true }, corpus));

/** Measures the cost of one response. */
async function measure(name: string, id: string, cursor?: string): Promise<void> {
  let [first, later] = [0, 0];
  let length = 0;
  operations = 0;
  bytes = 0;
  for (let time = 0; time < TIMES; time += 1) {
    const corpus = freshCorpus();
    const start = cpuMs();
    length = (await read(corpus, id, cursor)).length;
    const middle = cpuMs();
    await read(corpus, id, cursor);
    first += middle - start;
    later += cpuMs() - middle;
  }
  const column = (value: string): string => value.padStart(12);
  console.log(
    name.padEnd(34) +
      column((operations / TIMES).toFixed(0)) +
      column(`${(bytes / TIMES / 1_000).toFixed(0)} kB`) +
      column(`${(first / TIMES).toFixed(2)} ms`) +
      column(`${(later / TIMES).toFixed(2)} ms`) +
      column(`${(length / 1_000).toFixed(1)} kB`),
  );
}

const cursors: string[] = [];
const seen = new Set<string>();
const following = freshCorpus();
for (let cursor: string | undefined; ; ) {
  const { graph } = Lineage.parse(JSON.parse(await read(following, HUB, cursor)));
  for (const { capsule_id } of graph.nodes) seen.add(capsule_id);
  if (graph.next_cursor === null) break;
  cursor = graph.next_cursor;
  cursors.push(cursor);
}
console.log(`${seen.size} capsules on ${cursors.length + 1} pages of the graph of one capsule; ${relatives + 1} expected\n`);
console.log(
  'lineage of'.padEnd(34) + ['operations', 'read', 'CPU first', 'CPU later', 'answer'].map((title) => title.padStart(12)).join(''),
);
await read(freshCorpus(), others[0]?.id ?? '');
await measure('a capsule with one relative', others[0]?.id ?? '');
await measure('a capsule derived from the hub', dependants[0]?.id ?? '');
await measure(`the capsule with ${relatives}, page 1`, HUB);
await measure('  page 2', HUB, cursors[0]);
await measure('  last page', HUB, cursors.at(-1));
