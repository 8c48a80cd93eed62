import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { sha256Hex } from '../../provenance/bytes.ts';
import { blockPath } from '../../schemas/paths.ts';
import type { BlockNamespace, NeededBlock, WrittenBlock } from '../publishing/block-namespace.ts';
import { formatBytes, MAX_VALUE_BYTES } from '../publishing/kv-budget.ts';
import { UserError } from '../user-error.ts';
import type { BuiltGeneration } from './generation.ts';
import { blocksOf, type GenerationStore } from './generation-store.ts';

/**
 * Size that one part of a write is aimed at, in bytes: a bulk request to Cloudflare may have 100 MB (developers.cloudflare.com/api, "Write
 * multiple key-value pairs"), base64 takes a third more, and no more is held in memory.
 */
const PART_BYTES = 48 * 1024 * 1024;

/**
 * Makes sure that blocks are here, whole and not too long.
 *
 * @throws {UserError} If one of them is not.
 */
export async function checkBlocks(blocks: readonly NeededBlock[], store: GenerationStore): Promise<void> {
  for (const block of blocks) {
    const { length } = await readBlock(block, store);
    if (length > MAX_VALUE_BYTES)
      throw new UserError(
        `block ${block.sha256} (${block.kind}) has ${formatBytes(length)}, and a value in KV has at most ${formatBytes(MAX_VALUE_BYTES)}. One capsule is too long for its page: divide it into several`,
      );
  }
}

/**
 * Writes blocks in their order, part by part, each with a note of the time. Of manifests each is dated a millisecond after the one before
 * it, so that the notes alone say which of them is the newest.
 */
export async function writeBlocks(
  blocks: readonly NeededBlock[],
  store: GenerationStore,
  namespace: BlockNamespace,
  now: Date,
): Promise<void> {
  let part: WrittenBlock[] = [];
  let bytes = 0;
  let manifests = 0;
  for (const block of blocks) {
    const value = await readBlock(block, store);
    const written = new Date(now.getTime() + (block.kind === 'manifest' ? manifests++ : 0)).toISOString();
    part.push({ sha256: block.sha256, value, note: { kind: block.kind, bytes: value.length, written } });
    bytes += value.length;
    if (bytes < PART_BYTES) continue;
    await namespace.write(part);
    part = [];
    bytes = 0;
  }
  if (part.length > 0) await namespace.write(part);
}

async function readBlock({ sha256, kind }: NeededBlock, store: GenerationStore): Promise<Uint8Array> {
  const value = await store.block(sha256);
  if (value === undefined || (await sha256Hex(value)) !== sha256)
    throw new UserError(
      `block ${sha256} (${kind}) is neither in the namespace nor whole on this machine. Run "npm run restore:kv" and "npm run build", then publish again`,
    );
  return value;
}

/**
 * Writes every block of a generation and of those that it lists into the folder of a site, where anybody can read them.
 *
 * @throws {UserError} If a block of an earlier generation is not here, or holds texts that are sold.
 * @returns How many there are.
 */
export async function writeAssetBlocks(folder: string, generation: BuiltGeneration, store: GenerationStore): Promise<number> {
  const history = await store.history();
  const earlier = history.filter(({ version }) => generation.manifest.previous.includes(version));
  const blocks = new Map([generation, ...earlier].flatMap(blocksOf).map((block) => [block.sha256, block.kind]));
  await mkdir(join(folder, dirname(blockPath(generation.version))), { recursive: true });
  for (const [sha256, kind] of blocks) {
    const bytes = generation.blocks.get(sha256) ?? (await store.block(sha256));
    if (bytes === undefined)
      throw new UserError(`block ${sha256} of an earlier generation is not on this machine: run "npm run restore:kv" and build again`);
    if (kind === 'texts')
      throw new UserError(
        'a capsule with "access: paid" would be a file that anybody can read: with such capsules, now or in a listed generation, only "storage: kv" will do',
      );
    if (kind === 'files')
      throw new UserError(
        'a file that an offer delivers would be a file that anybody can read: with such files, now or in a listed generation, only "storage: kv" will do',
      );
    await writeFile(join(folder, blockPath(sha256)), bytes);
  }
  return blocks.size;
}
