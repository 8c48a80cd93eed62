import { sha256Hex } from '../../provenance/bytes.ts';
import type { BlockNamespace, NeededBlock, WrittenBlock } from '../publishing/block-namespace.ts';
import type { GenerationStore } from './generation-store.ts';
import { formatBytes, MAX_VALUE_BYTES } from '../publishing/kv-budget.ts';
import { PublishRefusedError } from '../publishing/publish-refused-error.ts';

/**
 * Size that one part of a write is aimed at, in bytes: a bulk request to Cloudflare may have 100 MB
 * (developers.cloudflare.com/api, "Write multiple key-value pairs"), base64 takes a third more, and no more is held in memory.
 */
const PART_BYTES = 48 * 1024 * 1024;

/**
 * Makes sure that blocks are here, whole and not too long.
 *
 * @throws {PublishRefusedError} If one of them is not.
 */
export async function checkBlocks(blocks: readonly NeededBlock[], store: GenerationStore): Promise<void> {
  for (const block of blocks) {
    const { length } = await readBlock(block, store);
    if (length > MAX_VALUE_BYTES)
      throw new PublishRefusedError(
        `block ${block.sha256} (${block.kind}) has ${formatBytes(length)}, and a value in KV has at most ${formatBytes(MAX_VALUE_BYTES)}. One capsule is too long for its page: divide it into several`,
      );
  }
}

/**
 * Writes blocks in the order given, part by part, each with the note that it was written now. Of manifests each is noted a
 * millisecond after the one before it, so that the notes alone say which of them is the newest.
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
    throw new PublishRefusedError(
      `block ${sha256} (${kind}) is neither in the namespace nor whole on this machine. Run "npm run restore:kv" and "npm run build", then publish again`,
    );
  return value;
}
