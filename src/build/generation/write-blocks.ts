import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DeployedGeneration } from '../../gateway/knowledge/corpus.ts';
import { sha256Hex } from '../../provenance/bytes.ts';
import { blockPath } from '../../schemas/paths.ts';
import type { BlockKind, BlockNamespace, NeededBlock, WrittenBlock } from '../publishing/block-namespace.ts';
import { formatBytes, MAX_VALUE_BYTES } from '../publishing/kv-budget.ts';
import { UserError } from '../user-error.ts';
import type { BuiltGeneration } from './generation.ts';
import { blocksOf, type GenerationStore } from './generation-store.ts';

/**
 * Target size of one bulk write, in bytes, and so of what is held in memory: a request to Cloudflare may have 100 MB
 * (developers.cloudflare.com/api, "Write multiple key-value pairs"), and base64 takes a third more.
 */
const PART_BYTES = 48 * 1024 * 1024;

/**
 * Checks that blocks are here, undamaged and not too long.
 *
 * @throws {UserError} For the first block that is not.
 */
export async function checkBlocks(blocks: readonly NeededBlock[], store: GenerationStore): Promise<void> {
  for (const block of blocks) {
    const { length } = await readBlock(block, store);
    if (length > MAX_VALUE_BYTES)
      throw new UserError(
        `block ${block.sha256} (${block.kind}) has ${formatBytes(length)}; a value in KV has at most ${formatBytes(MAX_VALUE_BYTES)}. Split the longest capsule into several`,
      );
  }
}

/**
 * Writes blocks in order, in several bulk writes, each block with a note of the time. Every manifest is dated a millisecond after the one
 * before it, so that the notes tell which is the newest.
 *
 * @param onWritten Told the number of keys of each bulk write.
 */
export async function writeBlocks(
  blocks: readonly NeededBlock[],
  store: GenerationStore,
  namespace: BlockNamespace,
  now: Date,
  onWritten: (keys: number) => void = () => undefined,
): Promise<void> {
  let part: WrittenBlock[] = [];
  let bytes = 0;
  let manifests = 0;
  const writePart = async (): Promise<void> => {
    await namespace.write(part);
    onWritten(part.length);
  };
  for (const block of blocks) {
    const value = await readBlock(block, store);
    const written = new Date(now.getTime() + (block.kind === 'manifest' ? manifests++ : 0)).toISOString();
    part.push({ sha256: block.sha256, value, note: { kind: block.kind, bytes: value.length, written } });
    bytes += value.length;
    if (bytes < PART_BYTES) continue;
    await writePart();
    part = [];
    bytes = 0;
  }
  if (part.length > 0) await writePart();
}

async function readBlock({ sha256, kind }: NeededBlock, store: GenerationStore): Promise<Uint8Array> {
  const value = await store.block(sha256);
  if (value === undefined || (await sha256Hex(value)) !== sha256)
    throw new UserError(
      `block ${sha256} (${kind}) is missing in KV and on this machine. Run "npm run restore:kv" and "npm run build", then publish again`,
    );
  return value;
}

/** The kind of every block of a generation and of those that it lists, by digest. */
export async function servedBlocks(
  generation: BuiltGeneration,
  history: readonly DeployedGeneration[],
  store: GenerationStore,
): Promise<ReadonlyMap<string, BlockKind>> {
  const earlier = history.filter(({ version }) => generation.manifest.previous.includes(version));
  const blocks = [
    await blocksOf(generation, async (sha256) => generation.blocks.get(sha256)),
    ...(await Promise.all(earlier.map((one) => store.blocksOf(one)))),
  ];
  return new Map(blocks.flat().map(({ sha256, kind }) => [sha256, kind]));
}

/**
 * Writes every block of a generation and of those that it lists as public files of a site.
 *
 * @returns Their number.
 * @throws {UserError} If a block of an earlier generation is missing, or holds something that is sold.
 */
export async function writeAssetBlocks(folder: string, generation: BuiltGeneration, store: GenerationStore): Promise<number> {
  const blocks = await servedBlocks(generation, await store.history(), store);
  await mkdir(join(folder, dirname(blockPath(generation.version))), { recursive: true });
  for (const [sha256, kind] of blocks) {
    const bytes = generation.blocks.get(sha256) ?? (await store.block(sha256));
    if (bytes === undefined)
      throw new UserError(`block ${sha256} of an earlier generation is not on this machine: run "npm run restore:kv", then build again`);
    if (kind === 'texts' || kind === 'files')
      throw new UserError(
        `${kind === 'texts' ? 'a capsule with "access: paid"' : 'a file that an offer delivers'} would be a public file, because it is in this or a listed generation; use "storage: kv" in content/publisher.yaml`,
      );
    await writeFile(join(folder, blockPath(sha256)), bytes);
  }
  return blocks.size;
}
