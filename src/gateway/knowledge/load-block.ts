import { sha256Hex } from '../../provenance/bytes.ts';
import type { BlockReference } from '../../schemas/knowledge/generation.ts';
import { IndexBlock } from '../../search/format/index-block.ts';
import type { BlockStore } from '../ports.ts';
import type { BlockCache } from './block-cache.ts';

/** Thrown when a block cannot be had; callers turn it into the error `index_unavailable`. */
export class BlockUnavailableError extends Error {
  override readonly name: string = 'BlockUnavailableError';
}

/** Thrown when the store answers and lacks a block, or has another in its place: its generation is not whole. */
export class BlockBrokenError extends BlockUnavailableError {
  override readonly name = 'BlockBrokenError';
  /** Digest of the block, where one is known. */
  readonly sha256: string | undefined;

  constructor(message: string, sha256?: string, options?: ErrorOptions) {
    super(message, options);
    this.sha256 = sha256;
  }
}

/**
 * How a block is checked before it is decoded: against the digest that is its name, or by its length alone. The latter is for blocks of
 * the index, of which a query needs a small part: `IndexBlock` checks the digest of each section before its bytes are used.
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
   * @throws {BlockBrokenError} If the store does not have it whole.
   * @throws {BlockUnavailableError} If the store does not answer.
   */
  load<T>(reference: BlockName, check: BlockCheck, decode: (bytes: Uint8Array) => T | Promise<T>): Promise<T> {
    return this.#cache.get(reference.sha256, async () =>
      decodeBlock(reference, await orUnavailable(reference, this.#blocks.read(reference.sha256)), check, decode),
    );
  }

  /**
   * The decoded values of blocks of text, in the order asked for. Those that are not in the cache are read together, in one
   * operation where the store can; their digests are compared.
   *
   * @throws {BlockBrokenError} If the store does not have one of them whole.
   * @throws {BlockUnavailableError} If the store does not answer.
   */
  loadTexts<T>(references: readonly BlockReference[], decode: (bytes: Uint8Array) => T): Promise<T[]> {
    const { readMany } = this.#blocks;
    if (readMany === undefined) return Promise.all(references.map((reference) => this.load(reference, 'sha256', decode)));
    const wanted: BlockReference[] = [];
    let isAsked = false;
    // Runs after the loop below has found out what the cache lacks.
    const read = Promise.resolve().then(() => {
      isAsked = true;
      return wanted.length === 0 ? new Map<string, Uint8Array>() : readMany(wanted);
    });
    const bytesOf = (reference: BlockReference): Promise<Uint8Array | undefined> => {
      // One that was waited for in vain comes after the others were asked for.
      if (isAsked) return this.#blocks.read(reference.sha256);
      wanted.push(reference);
      return read.then((found) => found.get(reference.sha256));
    };
    return Promise.all(
      references.map((reference) =>
        this.#cache.get(reference.sha256, async () =>
          decodeBlock(reference, await orUnavailable(reference, bytesOf(reference)), 'sha256', decode),
        ),
      ),
    );
  }

  /** Forgets those blocks of an index that are not what their names say, so that they are read anew. */
  async evictCorrupt(references: readonly BlockReference[]): Promise<void> {
    for (const { sha256 } of references) {
      const block = await this.#cache.loaded(sha256);
      if (block instanceof IndexBlock && (await sha256Hex(block.bytes)) !== sha256) this.#cache.drop(sha256);
    }
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
  decode: (bytes: Uint8Array) => T | Promise<T>,
): Promise<{ value: T; bytes: number }> {
  if (bytes === undefined) throw new BlockBrokenError(`block ${sha256} is missing`, sha256);
  const whole = (length === undefined || bytes.length === length) && (check === 'length' || (await sha256Hex(bytes)) === sha256);
  if (!whole) throw new BlockBrokenError(`block ${sha256} is damaged`, sha256);
  try {
    return { value: await decode(bytes), bytes: bytes.length };
  } catch (error) {
    throw new BlockBrokenError(`block ${sha256} does not hold what the manifest says`, sha256, { cause: error });
  }
}
