import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { encodeRecordPage, isList } from '../../gateway/knowledge/record-pages.ts';
import { readSearchAsTyped, type SearchedGeneration } from '../../gateway/knowledge/search-results-page.ts';
import { expectValue } from '../../gateway/result.ts';
import { sha256Hex } from '../../provenance/bytes-and-sha256.ts';
import { canonicalJson } from '../../provenance/canonical-json.ts';
import type { freePart } from '../../publication/publish/published-capsules.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import type { GenerationManifest } from '../../schemas/knowledge/generation-manifest.ts';
import { GENERATION_FORMATS } from '../../schemas/knowledge/kinds-and-levels.ts';
import { PATHS, searchBlockPath } from '../../schemas/paths.ts';
import { openCorpus } from '../make-publication.ts';
import { type BuiltGeneration, newestRecord } from './build-generation.ts';
import { type AddBlock, addingTo, BROWSER_LIST_SIZES, pageLists, pagesInOrder, withListedPages } from './divide-records-into-pages.ts';

/** Target size of a page of texts, in bytes of JSON: a result costs a reader about 5 KB, compressed. */
const PAGE_BYTES = 16 * 1024;

/** Largest index that browsers read where functions could search it, in bytes; compressed it has about half of that. */
const INDEX_MAX_BYTES = 2 * 1024 * 1024;

/**
 * The part of a generation that the search in browsers reads: the same index, so that ranks are those of the API, and the texts of capsules on
 * smaller pages, so that the passages of a few results cost little. `undefined` if the index is too large, so that functions search it.
 */
export async function searchFiles(generation: BuiltGeneration, capsules: readonly ReturnType<typeof freePart>[], mode: Deployment['mode']) {
  const { manifest, blocks: built } = generation;
  const { index, site_index = [], site_texts = [] } = manifest.blocks;
  const indexBytes = [...index, ...site_index].reduce((sum, { bytes }) => sum + bytes, 0);
  if (mode === 'edge' && (indexBytes > INDEX_MAX_BYTES || 'head' in manifest.index)) return undefined;
  const blocks = new Map<string, Uint8Array>();
  const copied = [...('head' in manifest.index ? [manifest.index.head] : []), ...index, ...site_index, ...site_texts];
  for (const { sha256 } of await withListedPages(copied, async (sha256) => built.get(sha256))) {
    const bytes = built.get(sha256);
    if (bytes === undefined) throw new Error(`block ${sha256} of the index is missing`);
    blocks.set(sha256, bytes);
  }
  const add = addingTo(blocks);
  const sorted = [...capsules].sort((a, b) => (a.id < b.id ? -1 : 1)).map((capsule) => newestRecord(capsule));
  const pages = await Array.fromAsync(pagesInOrder(sorted, PAGE_BYTES), async (page) => ({
    ...(await add(encodeRecordPage(page))),
    first: page[0]?.id ?? '',
    documents: page.length,
  }));
  const documents = await pageLists(add, BROWSER_LIST_SIZES).documents(pages);
  const part: GenerationManifest = {
    ...manifest,
    ...(documents.some(isList) ? { format: GENERATION_FORMATS.withLists } : {}),
    blocks: { index, documents, site_index, site_texts, history: [], lineages: [], relatives: [], changes: [] },
    previous: [],
  };
  const answers = await firstAnswers(generation, add);
  const version = await sha256Hex(new TextEncoder().encode(canonicalJson(part)));
  return { manifest: { version, manifest: part, ...(answers === undefined ? {} : { answers }) }, blocks };
}

/** What is found as the first letter is typed: a letter has many completions, which a browser would read much of a large index for. */
async function firstAnswers(generation: BuiltGeneration, add: AddBlock): Promise<SearchedGeneration['answers']> {
  const corpus = await openCorpus(generation);
  const index = await corpus.newest.index();
  if (index.head.spellingStarts === undefined) return undefined;
  const words = (await index.spelling()).beginningWith('');
  const answers: Record<string, string> = {};
  for (const letter of new Set(words.map(({ word }) => String.fromCodePoint(word.codePointAt(0) ?? 0)))) {
    const found = expectValue(await readSearchAsTyped(letter, undefined, corpus, { baseUrl: '', offers: [] }, () => undefined));
    answers[letter] = (await add(new TextEncoder().encode(JSON.stringify(found)))).sha256;
  }
  return answers;
}

type SearchFiles = NonNullable<Awaited<ReturnType<typeof searchFiles>>>;

export async function writeSearchFiles(folder: string, { manifest, blocks }: SearchFiles): Promise<void> {
  await mkdir(join(folder, PATHS.searchBlocks), { recursive: true });
  for (const [sha256, bytes] of blocks) await writeFile(join(folder, searchBlockPath(sha256)), await promisify(gzip)(bytes));
  await writeFile(join(folder, PATHS.searchIndex), canonicalJson(manifest));
}
