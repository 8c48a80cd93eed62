import { changePages, GROWTH, LIST_SIZES, pageBytes } from '../../src/build/corpus-blocks/divide-records-into-pages.ts';
import { FREE_PLAN } from '../../src/schemas/limits.ts';
import { below, type Random, seededRandom } from '../eval/random.ts';
import { announceCampaign, newCampaign, newSeed } from '../support/campaign.ts';
import { costOf, MONTH_SECONDS, type QueryTrace, simulateIsolates } from './isolate-life.ts';

/**
 * Bytes of a capsule in each kind of block, and in the bundle: the averages of 20,000 real documentation pages built by
 * `npm run bench:build -- 20000`.
 */
const CAPSULE_BYTES = { documents: 3_260, lineages: 1_540, articles: 2_460, changes: 354, bundle: 3_650 } as const;

/** What a signature adds to the lineage of a capsule with one version, there and in the bundle: a record and a head are signed. */
const SIGNED_BYTES = 960;

/**
 * Bytes of a capsule in the index, and the blocks of the index that a query reads. Beyond some 100,000 capsules an index has no pairs of
 * words, and lists of common words have blocks of their own of about 256 KiB (`npm run simulate:traffic`).
 */
const INDEX = { wholeMax: 200_000, whole: 600, pruned: 186, blocksOfQuery: 6, shardBlocks: 1_024, partBytes: 256 * 1024 } as const;

const BUNDLE_PART_BYTES = 5 * 2 ** 20;

/** CPU of a query, in milliseconds, as `npm run simulate:traffic` measures it for 100,000 capsules. */
const QUERY_CPU_MS = 1;

const RESULTS = 10;

const { queries, seed = newSeed() } = newCampaign(
  'simulate:growth',
  'Follow corpora of 20,000 to ten million capsules through the limits of the platform: keys and bytes of KV, files, money a month.',
)
  .option('--queries <number>', 'distinct queries', Number, 4_000)
  .parse()
  .opts();
announceCampaign('simulate:growth', seed, { queries });

/** Pages of one kind of record, with the lists that name them where they are many. */
function pagesOf(bytes: number, growth: number): { readonly pages: number; readonly lists: number; readonly pageBytes: number } {
  const size = pageBytes(bytes, growth);
  const pages = Math.ceil(bytes / size);
  return { pages, lists: pages > LIST_SIZES.inlineMax ? Math.ceil(pages / LIST_SIZES.listLength) : 0, pageBytes: size };
}

function indexOf(capsules: number): { readonly bytes: number; readonly blocks: number } {
  if (capsules <= INDEX.wholeMax) {
    const bytes = capsules * INDEX.whole;
    return { bytes, blocks: bytes <= 12 * 2 ** 20 ? 3 : bytes <= 64 * 2 ** 20 ? 11 : 67 };
  }
  const bytes = capsules * INDEX.pruned;
  return { bytes, blocks: INDEX.shardBlocks + Math.ceil(bytes / 2 / INDEX.partBytes) };
}

function generationOf(capsules: number) {
  const documents = pagesOf(capsules * CAPSULE_BYTES.documents, GROWTH.inOrder);
  const lineages = pagesOf(capsules * (CAPSULE_BYTES.lineages + SIGNED_BYTES), GROWTH.byHash);
  const articles = pagesOf(capsules * CAPSULE_BYTES.articles, GROWTH.byHash);
  const index = indexOf(capsules);
  // Only the number of events counts.
  const changes = changePages(new Array(capsules).fill(undefined)).length;
  const kinds = [documents, lineages, articles];
  const keys = kinds.reduce(
    (sum, { pages, lists }) => sum + pages + lists,
    index.blocks + changes + Math.ceil(changes / LIST_SIZES.listLength) + 1,
  );
  const bytes =
    capsules * (CAPSULE_BYTES.documents + CAPSULE_BYTES.lineages + SIGNED_BYTES + CAPSULE_BYTES.articles + CAPSULE_BYTES.changes) +
    index.bytes;
  return { documents, lineages, index, keys, bytes };
}

/** Blocks that distinct queries read: some of the index, and the pages of their results with the lists of these. */
function tracesOf({ documents, index }: ReturnType<typeof generationOf>, random: Random): QueryTrace[] {
  const indexBlock = index.bytes / index.blocks;
  return Array.from({ length: queries }, () => {
    const blocks = new Map<string, number>();
    for (let at = 0; at < Math.min(INDEX.blocksOfQuery, index.blocks); at += 1)
      blocks.set(`index ${below(random, index.blocks)}`, indexBlock);
    for (let at = 0; at < RESULTS; at += 1) {
      const page = below(random, documents.pages);
      blocks.set(`page ${page}`, documents.pageBytes);
      if (documents.lists > 0) blocks.set(`list ${Math.floor(page / LIST_SIZES.listLength)}`, 60_000);
    }
    return [...blocks].map(([name, bytes]) => ({ name, bytes }));
  });
}

const number = (value: number, digits = 0): string => value.toLocaleString('en', { maximumFractionDigits: digits });
for (const capsules of [20_000, 100_000, 1_000_000, 10_000_000]) {
  const generation = generationOf(capsules);
  const { documents, lineages, index, keys, bytes } = generation;
  const bundle = capsules * (CAPSULE_BYTES.bundle + SIGNED_BYTES);
  console.log(`\n${number(capsules)} capsules, signed`);
  console.log(
    `  KV: ${number(keys)} keys, ${number(bytes / 1e9, 2)} GB; first publish ${number(Math.ceil(keys / FREE_PLAN.kvWritesADay))} days on the free plan; renewal of a month ${number(Math.ceil(lineages.pages / 3))} keys`,
  );
  console.log(
    `  pages of documents: ${number(documents.pages)} of ${number(documents.pageBytes / 1e3)} kB; index: ${number(index.blocks)} blocks, ${number(index.bytes / 1e6)} MB`,
  );
  console.log(`  bundle: ${number(bundle / 1e9, 2)} GB in ${number(Math.ceil(bundle / BUNDLE_PART_BYTES))} parts`);
  const traces = tracesOf(generation, seededRandom(seed));
  const read = traces.reduce((sum, trace) => sum + trace.reduce((all, block) => all + block.bytes, 0), 0) / traces.length;
  console.log(
    `  a query in an empty isolate reads ${number(traces.reduce((sum, { length }) => sum + length, 0) / traces.length, 1)} blocks, ${number(read / 1e6, 1)} MB`,
  );
  for (const rate of [10, 1_000, 100_000]) {
    const { ofIsolates, ofLocations } = simulateIsolates(traces, rate, seededRandom(seed));
    const requests = rate * MONTH_SECONDS;
    const dollars = (reads: number): string =>
      number(costOf({ requests, cpuMs: requests * QUERY_CPU_MS, kvReads: requests * reads, storedBytes: bytes }).total);
    console.log(
      `  ${number(rate).padStart(7)} queries/s: ${ofIsolates.blocks.toFixed(2).padStart(6)} blocks and ${(ofIsolates.bytes / 1e6).toFixed(2).padStart(6)} MB a query from outside the isolate, ${ofLocations.blocks.toFixed(4)} from KV; a month $${dollars(ofLocations.blocks)} ($${dollars(ofIsolates.blocks)} without caches of locations)`,
    );
  }
}
