import { sha256Hex } from '../../provenance/digest.ts';
import type { BlockReference } from '../../schemas/generation.ts';
import type { BlockStore } from '../ports.ts';
import type { BlockCache } from './block-cache.ts';

/** Thrown when a block cannot be had whole; callers turn it into the error `index_unavailable`. */
export class BlockUnavailableError extends Error {
  override readonly name = 'BlockUnavailableError';
}

/**
 * How a block is checked before it is used. Texts go out under their digests, so their bytes must be those that the name says.
 * A block of the index is large and only ranks: digesting it would cost a cold query more than all the rest, so its length is
 * compared, and its reader refuses what it cannot make sense of.
 */
export type BlockCheck = 'sha256' | 'length';

/** A block's name, and its length in bytes where that is known. */
export type BlockName = Pick<BlockReference, 'sha256'> & Partial<BlockReference>;

/** Loads blocks through a cache: each is read and decoded once, however many ask for it at once. */
export class BlockLoader {
  readonly #blocks: BlockStore;
  readonly #cache: BlockCache;

  constructor(blocks: BlockStore, cache: BlockCache) {
    this.#blocks = blocks;
    this.#cache = cache;
  }

  /**
   * A block's decoded value.
   *
   * @throws {BlockUnavailableError} If it cannot be had whole.
   */
  load<T>(reference: BlockName, check: BlockCheck, decode: (bytes: Uint8Array) => T): Promise<T> {
    return this.#cache.get(reference.sha256, async () =>
      decodeBlock(reference, await orUnavailable(reference, this.#blocks.read(reference.sha256)), check, decode),
    );
  }

  /**
   * The decoded values of blocks of text, in the order asked for. Those that are not in the cache are read together, in one
   * operation where the store can; their digests are compared.
   *
   * @throws {BlockUnavailableError} If one of them cannot be had whole.
   */
  loadTexts<T>(references: readonly BlockReference[], decode: (bytes: Uint8Array) => T): Promise<T[]> {
    const { readMany } = this.#blocks;
    if (readMany === undefined) return Promise.all(references.map((reference) => this.load(reference, 'sha256', decode)));
    const wanted: BlockReference[] = [];
    // Runs after the loop below has found out what the cache lacks.
    const read = Promise.resolve().then(() => (wanted.length === 0 ? new Map<string, Uint8Array>() : readMany(wanted)));
    return Promise.all(
      references.map((reference) =>
        this.#cache.get(reference.sha256, () => {
          wanted.push(reference);
          const bytes = read.then((found) => found.get(reference.sha256));
          return orUnavailable(reference, bytes).then((whole) => decodeBlock(reference, whole, 'sha256', decode));
        }),
      ),
    );
  }
}

function orUnavailable({ sha256 }: BlockName, read: Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined> {
  return read.catch((error: unknown) => {
    throw new BlockUnavailableError(`block ${sha256} could not be read`, { cause: error });
  });
}

async function decodeBlock<T>(
  { sha256, bytes: length }: BlockName,
  bytes: Uint8Array | undefined,
  check: BlockCheck,
  decode: (bytes: Uint8Array) => T,
): Promise<{ value: T; bytes: number }> {
  if (bytes === undefined) throw new BlockUnavailableError(`block ${sha256} is missing`);
  const whole = (length === undefined || bytes.length === length) && (check === 'length' || (await sha256Hex(bytes)) === sha256);
  if (!whole) throw new BlockUnavailableError(`block ${sha256} is damaged`);
  try {
    return { value: decode(bytes), bytes: bytes.length };
  } catch (error) {
    throw new BlockUnavailableError(`block ${sha256} does not hold what the manifest says`, { cause: error });
  }
}
