import { gzipSync } from 'node:zlib';
import { searchFiles } from '../../src/build/corpus-blocks/browser-search-index.ts';
import { buildGeneration } from '../../src/build/corpus-blocks/build-generation.ts';
import { compiledKernel, makeGeneration, openCorpus } from '../../src/build/make-publication.ts';
import { wholeNumber } from '../../src/cli/define-command.ts';
import { Corpus } from '../../src/gateway/knowledge/corpus.ts';
import { BlockCache } from '../../src/gateway/knowledge/load-block.ts';
import { readSearchAsTyped, readSearchPage } from '../../src/gateway/knowledge/search-results-page.ts';
import { freePart } from '../../src/publication/publish/published-capsules.ts';
import type { AnalysedBatch } from '../../src/search/build/analyse-batch.ts';
import { Kernel } from '../../src/search/scoring-wasm/kernel.ts';
import { mean, percentile } from '../eval/statistics.ts';
import { newScript } from '../support/campaign.ts';
import { BENCH_SEED } from './bench-corpus.ts';
import { contentOf, syntheticCapsules } from './capsule-corpus.ts';
import { syntheticQueries } from './synthetic-corpus.ts';

/** Bytes that a browser reads for searches of a site without functions, besides code, and whether it finds what functions find. */
const [count, queries] = newScript('bench:browser', 'Bytes that searches in browsers read, and whether they find what functions find.')
  .argument('[capsules]', 'capsules of the publication', wholeNumber(1), 20_000)
  .argument('[queries]', 'how many queries', wholeNumber(1), 100)
  .parse().processedArgs;

const site = { baseUrl: '', offers: [] };
const never = (): void => undefined;
const kilobytes = (bytes: number): string => `${(bytes / 1000).toFixed(1)} kB`;
const cache = { analyses: new Map<string, AnalysedBatch>() };
const made = await makeGeneration(contentOf(syntheticCapsules(count, BENCH_SEED)), { mode: 'static' }, { cache });
const files = await searchFiles(made.generation, made.capsules.map(freePart), 'static');
if (files === undefined) throw new Error('a site without functions has search files');
const { manifest, blocks } = files;
const ofFunctions = await openCorpus(await buildGeneration(made.capsules, [], { siteTexts: made.siteTexts, cache }));
const kernel = await compiledKernel();

/** A browser that has opened the search, and what it has read since. */
function newBrowser() {
  const read = { bytes: 0, files: 0 };
  const readBlock = async (sha256: string): Promise<Uint8Array | undefined> => {
    const bytes = blocks.get(sha256);
    read.files += 1;
    read.bytes += bytes === undefined ? 0 : gzipSync(bytes).length;
    return bytes;
  };
  const corpus = new Corpus(manifest, { read: readBlock }, new BlockCache(16 * 2 ** 20), new Kernel(kernel));
  return { read, corpus, readBlock };
}

const opening = gzipSync(JSON.stringify(manifest)).length;
const sizes = [...blocks.values()].map((bytes) => gzipSync(bytes).length);
console.log(
  `${count} capsules: ${blocks.size} files, ${kilobytes(sizes.reduce((sum, size) => sum + size, 0))}; to open ${kilobytes(opening)}`,
);

const answers = Object.entries(manifest.answers ?? {});
const firstKeys: number[] = [];
const letters = answers.length > 0 ? answers.map(([letter]) => letter) : [...'abcdefghijklmnopqrstuvwxyz'];
for (const letter of letters) {
  const { read, corpus, readBlock } = newBrowser();
  const answer = manifest.answers?.[letter];
  if (answer === undefined) await readSearchAsTyped(letter, undefined, corpus, site, never);
  else await readBlock(answer);
  firstKeys.push(opening + read.bytes);
}
console.log(`first key, with opening: median ${kilobytes(percentile(firstKeys, 0.5))}, at most ${kilobytes(Math.max(...firstKeys))}`);

const texts = [...syntheticQueries(queries, BENCH_SEED, count)].map(({ text }) => text);
const typed: number[] = [];
const first: number[] = [];
const later: number[] = [];
const one = newBrowser();
let equal = 0;
for (const query of texts) {
  const typing = newBrowser();
  await readSearchAsTyped(query.slice(0, 3), undefined, typing.corpus, site, never);
  typed.push(typing.read.bytes + opening);
  const fresh = newBrowser();
  const found = await readSearchPage({ query, page: 1 }, fresh.corpus, site, never);
  first.push(fresh.read.bytes + opening);
  const before = one.read.bytes;
  await readSearchPage({ query, page: 1 }, one.corpus, site, never);
  later.push(one.read.bytes - before);
  if (JSON.stringify(found) === JSON.stringify(await readSearchPage({ query, page: 1 }, ofFunctions, site, never))) equal += 1;
}
for (const [name, values] of [
  ['three letters, with opening', typed],
  ['a whole query, with opening', first],
  ['a further query', later.slice(1)],
] as const)
  console.log(
    `${name}: mean ${kilobytes(mean(values))}, median ${kilobytes(percentile(values, 0.5))}, 95 % ${kilobytes(percentile(values, 0.95))}`,
  );
console.log(`${equal} of ${texts.length} queries find the same as functions do, in the same order and with the same passages`);
