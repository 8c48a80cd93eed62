import { sha256Hex } from '../../provenance/bytes.ts';
import type { BlockReference } from '../../schemas/knowledge/generation.ts';
import { IndexBlock } from '../../search/format/index-block.ts';
import type { BlockStore, Timers } from '../ports.ts';

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

/**
 * How long a caller waits for what another is loading, in milliseconds, before it loads the same itself: about as long as a store may
 * take (`src/platform/deadline.ts`). On Cloudflare whatever a request began is never over once its client went away.
 */
const PATIENCE_MS = 2_000;

interface Entry {
  readonly value: Promise<unknown>;
  /** Encoded length; 0 until it is loaded. */
  bytes: number;
  isLoaded: boolean;
}

/**
 * Decoded blocks in the memory of one isolate, the most recently used ones first, within a bound on their encoded bytes.
 * Blocks never change, so what is cached never changes an answer. A load that fails is not kept.
 */
export class BlockCache {
  readonly #maxBytes: number;
  readonly #timers: Timers | undefined;
  readonly #entries = new Map<string, Entry>();
  #bytes = 0;

  /**
   * @param maxBytes Most encoded bytes that are kept.
   * @param timers Bound the time for which one caller waits for another; without them it waits for ever.
   */
  constructor(maxBytes: number, timers?: Timers) {
    this.#maxBytes = maxBytes;
    this.#timers = timers;
  }

  /** The value under `key`, loaded once even when asked for many times at once. */
  get<T>(key: string, load: () => Promise<{ value: T; bytes: number }>): Promise<T> {
    const known = this.#entries.get(key);
    if (known === undefined) return this.#load(key, load);
    this.#entries.delete(key);
    this.#entries.set(key, known);
    const value = known.value as Promise<T>;
    return known.isLoaded || this.#timers === undefined ? value : this.#inTime(key, known, value, load, this.#timers);
  }

  /** The value under `key` if it is here, whole. */
  async loaded(key: string): Promise<unknown> {
    const known = this.#entries.get(key);
    return known?.isLoaded ? known.value : undefined;
  }

  /** Forgets what is under `key`, so that it is loaded anew. */
  drop(key: string): void {
    this.#bytes -= this.#entries.get(key)?.bytes ?? 0;
    this.#entries.delete(key);
  }

  #load<T>(key: string, load: () => Promise<{ value: T; bytes: number }>): Promise<T> {
    const loaded = load();
    const value = loaded.then((found) => found.value);
    const entry: Entry = { value, bytes: 0, isLoaded: false };
    this.#entries.set(key, entry);
    loaded.then(
      ({ bytes }) => {
        if (this.#entries.get(key) !== entry) return;
        entry.bytes = bytes;
        entry.isLoaded = true;
        this.#bytes += bytes;
        this.#evict(key);
      },
      () => {
        if (this.#entries.get(key) === entry) this.#entries.delete(key);
      },
    );
    return value;
  }

  /** What another caller is loading, or the same loaded anew if that takes too long. */
  async #inTime<T>(
    key: string,
    entry: Entry,
    value: Promise<T>,
    load: () => Promise<{ value: T; bytes: number }>,
    timers: Timers,
  ): Promise<T> {
    const waiting = timers.wait(PATIENCE_MS);
    try {
      const found = await Promise.race([value.then((loaded) => ({ loaded })), waiting.over]);
      if (found !== undefined) return found.loaded;
    } finally {
      waiting.cancel();
    }
    // Whoever gives up first loads it; the others wait for that.
    if (this.#entries.get(key) === entry) this.#entries.delete(key);
    return this.get(key, load);
  }

  #evict(keep: string): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= this.#maxBytes) return;
      if (key === keep || entry.bytes === 0) continue;
      this.#entries.delete(key);
      this.#bytes -= entry.bytes;
    }
  }
}
