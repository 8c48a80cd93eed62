import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { DeployedGeneration } from '../../gateway/knowledge/corpus.ts';
import { encodeRecordPage, isList } from '../../gateway/knowledge/paged-records.ts';
import { sha256Hex } from '../../provenance/bytes.ts';
import { canonicalJson } from '../../provenance/canonical-json.ts';
import type { freePart } from '../../publication/publish/published-capsules.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import type { GenerationManifest, PageReference } from '../../schemas/knowledge/generation.ts';
import { PATHS, searchBlockPath } from '../../schemas/paths.ts';
import { pagesInOrder } from '../assemble/paginate.ts';
import { type BuiltGeneration, newestRecord } from './build-generation.ts';

/** Target size of a page of texts, in bytes of JSON: a result costs a reader about 5 KB, compressed. */
const PAGE_BYTES = 16 * 1024;

/**
 * Largest index that browsers read where functions could search it, in bytes; compressed it has about half of that. A site without functions
 * has no other search.
 */
const INDEX_MAX_BYTES = 2 * 1024 * 1024;

/** The search index as files that browsers read: the manifest, and its blocks by digest. */
export interface SearchFiles {
  readonly manifest: DeployedGeneration;
  readonly blocks: ReadonlyMap<string, Uint8Array>;
}

/**
 * The part of a generation that the search in browsers reads: the same index, so that ranks are those of the API, and the texts of capsules on
 * smaller pages, so that the passages of a few results cost little. `undefined` if the index is too large, so that functions search it.
 */
export async function searchFiles(
  { manifest, blocks: built }: BuiltGeneration,
  capsules: readonly ReturnType<typeof freePart>[],
  mode: Deployment['mode'],
): Promise<SearchFiles | undefined> {
  const { index, site_index = [], site_texts = [] } = manifest.blocks;
  const indexBytes = [...index, ...site_index].reduce((sum, { bytes }) => sum + bytes, 0);
  if (mode === 'edge' && (indexBytes > INDEX_MAX_BYTES || 'head' in manifest.index)) return undefined;
  const blocks = new Map<string, Uint8Array>();
  const copy = (references: readonly PageReference[]): void => {
    for (const reference of references) {
      const bytes = built.get(reference.sha256);
      if (bytes === undefined) throw new Error(`block ${reference.sha256} of the index is missing`);
      blocks.set(reference.sha256, bytes);
      if (isList(reference)) copy(JSON.parse(new TextDecoder().decode(bytes)) as PageReference[]);
    }
  };
  copy([...('head' in manifest.index ? [manifest.index.head] : []), ...index, ...site_index, ...site_texts]);
  const documents: GenerationManifest['blocks']['documents'] = [];
  const sorted = [...capsules].sort((a, b) => (a.id < b.id ? -1 : 1)).map((capsule) => newestRecord(capsule));
  for (const page of pagesInOrder(sorted, PAGE_BYTES)) {
    const bytes = encodeRecordPage(page);
    const sha256 = await sha256Hex(bytes);
    blocks.set(sha256, bytes);
    documents.push({ sha256, bytes: bytes.length, first: page[0]?.id ?? '', documents: page.length });
  }
  const part: GenerationManifest = {
    ...manifest,
    blocks: { index, documents, site_index, site_texts, history: [], lineages: [], relatives: [], changes: [] },
    previous: [],
  };
  return { manifest: { version: await sha256Hex(new TextEncoder().encode(canonicalJson(part))), manifest: part }, blocks };
}

export async function writeSearchFiles(folder: string, { manifest, blocks }: SearchFiles): Promise<void> {
  await mkdir(join(folder, PATHS.searchBlocks), { recursive: true });
  for (const [sha256, bytes] of blocks) await writeFile(join(folder, searchBlockPath(sha256)), await promisify(gzip)(bytes));
  await writeFile(join(folder, PATHS.searchIndex), canonicalJson(manifest));
}
