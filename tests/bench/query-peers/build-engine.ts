import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CAPSULE_COLUMNS } from '../../../src/gateway/knowledge/capsule-filters.ts';
import { blockKey } from '../../../src/platform/block-stores.ts';
import { sha256Hex } from '../../../src/provenance/bytes-and-sha256.ts';
import type { BlockReference } from '../../../src/schemas/knowledge/generation-manifest.ts';
import { loadPeer, peerAnalyser } from '../../eval/peers/peer-analyser.ts';
import { miniSearchOptions, oramaOptions, type PeerDocument, peerDocument } from '../../eval/peers/peer-settings.ts';
import { buildSearchIndex, inBatches } from '../../support/build-search-index.ts';
import { BENCH_SEED, syntheticDocuments } from '../synthetic-corpus.ts';
import type { EngineKey } from './engines.ts';
import type { ProductIndex } from './workers/product.ts';
import { partKey } from './workers/stored-parts.ts';

export interface BuiltIndex {
  readonly bindings: Readonly<Record<string, unknown>>;
  readonly values: readonly { readonly key: string; readonly file: string; readonly bytes: number }[];
  /** Includes the generation of documents. */
  readonly wallSeconds: number;
}

export interface BuildTask {
  readonly engine: Exclude<EngineKey, 'd1-fts5'>;
  readonly documents: number;
  readonly folder: string;
}

type Built = Pick<BuiltIndex, 'bindings' | 'values'>;

/** A value of KV holds 25 MiB (developers.cloudflare.com/kv/platform/limits); the text is ASCII. */
const PART_MAX_LENGTH = 25 * 1024 * 1024;

const BATCH = 1_000;
const IDS_PER_PAGE = 256;

/** Builds the index of an engine in this process, which should be fresh, and writes its values to files. */
async function buildEngine(task: BuildTask): Promise<BuiltIndex> {
  const started = performance.now();
  const build = { product: buildProduct, minisearch: buildMiniSearch, orama: buildOrama }[task.engine];
  const built = await build(task);
  return { ...built, wallSeconds: (performance.now() - started) / 1_000 };
}

async function buildProduct({ documents: count, folder }: BuildTask): Promise<Built> {
  const ids: string[] = [];
  const recorded = (function* () {
    for (const document of syntheticDocuments(count, BENCH_SEED)) {
      ids.push(document.id);
      yield document;
    }
  })();
  const { head, blocks } = await buildSearchIndex(recorded, { columns: CAPSULE_COLUMNS });
  const values = new Map<string, BuiltIndex['values'][number]>();
  const write = async (bytes: Uint8Array): Promise<BlockReference> => {
    const sha256 = await sha256Hex(bytes);
    await writeFile(join(folder, sha256), bytes);
    values.set(sha256, { key: blockKey(sha256), file: sha256, bytes: bytes.length });
    return { sha256, bytes: bytes.length };
  };
  const references: BlockReference[] = [];
  for (const block of blocks) references.push(await write(block));
  const idPages: BlockReference[] = [];
  for (let at = 0; at < ids.length; at += IDS_PER_PAGE)
    idPages.push(await write(new TextEncoder().encode(JSON.stringify(ids.slice(at, at + IDS_PER_PAGE)))));
  const index: ProductIndex = { head, blocks: references, idPages, idsPerPage: IDS_PER_PAGE };
  return { bindings: { INDEX: index }, values: [...values.values()] };
}

async function buildMiniSearch({ documents, folder }: BuildTask): Promise<Built> {
  const Peer = await loadPeer<new (options: object) => { addAll(documents: readonly object[]): void }>('minisearch');
  const index = new Peer(miniSearchOptions(await peerAnalyser('en')));
  for (const batch of peerBatches(documents)) index.addAll(batch);
  return writeParts(JSON.stringify(index), folder);
}

async function buildOrama({ documents, folder }: BuildTask): Promise<Built> {
  const peer = await loadPeer<{
    create(options: object): object;
    insertMultiple(database: object, documents: readonly object[], batchSize: number): unknown;
    save(database: object): unknown;
  }>('@orama/orama');
  const database = peer.create(oramaOptions(await peerAnalyser('en')));
  for (const batch of peerBatches(documents)) await peer.insertMultiple(database, batch, BATCH);
  return writeParts(JSON.stringify(peer.save(database)), folder);
}

async function writeParts(text: string, folder: string): Promise<Built> {
  const count = Math.max(1, Math.ceil(text.length / PART_MAX_LENGTH));
  const parts = Array.from({ length: count }, (_, part) => text.slice(part * PART_MAX_LENGTH, (part + 1) * PART_MAX_LENGTH));
  const values = await Promise.all(
    parts.map(async (part, number) => {
      const file = partKey(number);
      await writeFile(join(folder, file), part);
      return { key: file, file, bytes: Buffer.byteLength(part) };
    }),
  );
  return { bindings: { PARTS: parts.length }, values };
}

export function* peerBatches(count: number): Generator<PeerDocument[]> {
  for (const batch of inBatches(syntheticDocuments(count, BENCH_SEED), BATCH))
    yield batch.map(({ id, title, headings, tags, summary, body, language }) =>
      peerDocument({ id, title, headings: [...headings], tags: [...tags], summary, text: body, language }),
    );
}

// Started as a process of its own, this file builds one index and returns it to its parent.
process.once('message', async (task: BuildTask) => {
  process.send?.(await buildEngine(task));
  process.disconnect();
});
