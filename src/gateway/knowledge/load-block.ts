import { sha256Hex } from '../../provenance/bytes-and-sha256.ts';
import type { BlockReference } from '../../schemas/knowledge/generation-manifest.ts';
import { IndexBlock } from '../../search/format/index-block.ts';
import { LruCache } from '../memory-caches.ts';
import type { BlockStore, LocationBlocks, Timers } from '../platform-ports.ts';

/** Thrown when a block cannot be read; becomes the error `index_unavailable`. */
export class BlockUnavailableError extends Error {
  override readonly name: string = 'BlockUnavailableError';
}

/** Thrown when a block is missing or corrupt in the store: its generation is incomplete. */
export class BlockBrokenError extends BlockUnavailableError {
  override readonly name = 'BlockBrokenError';
  readonly sha256: string | undefined;

  constructor(message: string, sha256?: string, options?: ErrorOptions) {
    super(message, options);
    this.sha256 = sha256;
  }
}

/** Index blocks are verified by their length alone: `IndexBlock` verifies its sections when they are used. */
export type BlockCheck = 'sha256' | 'length';

export type BlockName = Pick<BlockReference, 'sha256'> & Partial<BlockReference>;

type Decode<T> = (bytes: Uint8Array) => T | Promise<T>;

export class BlockLoader {
  readonly #blocks: BlockStore;
  readonly #cache: BlockCache;
  readonly #location: LocationBlocks | undefined;

  constructor(blocks: BlockStore, cache: BlockCache, location?: LocationBlocks) {
    this.#blocks = blocks;
    this.#cache = cache;
    this.#location = location;
  }

  /**
   * @param isSold Whether it is sold: then only the store and the memory of the isolate ever hold it.
   * @throws {BlockBrokenError | BlockUnavailableError} If it is missing or corrupt, or the store does not respond.
   */
  load<T>(reference: BlockName, check: BlockCheck, decode: Decode<T>, isSold = false): Promise<T> {
    return this.#cache.get(reference.sha256, async () => {
      const location = isSold ? undefined : this.#location;
      const found = await readLocationBlock(reference, check, decode, location);
      if (found !== undefined) return found;
      return this.#decodeStored(reference, await orUnavailable(reference, this.#blocks.read(reference.sha256)), check, decode, location);
    });
  }

  loaded<T>({ sha256 }: BlockName): T | undefined {
    return this.#cache.loaded(sha256) as T | undefined;
  }

  /** Decoded blocks of text; uncached ones are read in one operation where the store supports it. Throws as {@link load} does. */
  async loadTexts<T>(references: readonly BlockReference[], decode: (bytes: Uint8Array) => T): Promise<T[]> {
    const loaded = references.map((reference) => this.loaded<T>(reference));
    if (loaded.every((block) => block !== undefined)) return loaded;
    const { readMany } = this.#blocks;
    if (readMany === undefined) return Promise.all(references.map((reference) => this.load(reference, 'sha256', decode)));
    const uncached: BlockReference[] = [];
    let isRead = false;
    // Runs after the loop below has collected the uncached blocks.
    const read = Promise.resolve().then(async () => {
      isRead = true;
      const found = await this.#readLocationTexts(uncached, decode);
      const missing = uncached.filter(({ sha256 }) => !found.has(sha256));
      return { found, stored: missing.length === 0 ? Promise.resolve(new Map<string, Uint8Array>()) : readMany(missing) };
    });
    const loadOne = async (reference: BlockReference): Promise<Decoded<T>> => {
      // A block whose other load timed out comes after the others were read.
      const isLate = isRead;
      if (!isLate) uncached.push(reference);
      const found = isLate ? undefined : (await read).found.get(reference.sha256);
      if (found !== undefined) return found;
      const bytes = isLate ? this.#blocks.read(reference.sha256) : read.then(async ({ stored }) => (await stored).get(reference.sha256));
      return this.#decodeStored(reference, await orUnavailable(reference, bytes), 'sha256', decode, this.#location);
    };
    return Promise.all(references.map((reference) => this.#cache.get(reference.sha256, () => loadOne(reference))));
  }

  async #readLocationTexts<T>(references: readonly BlockReference[], decode: Decode<T>): Promise<ReadonlyMap<string, Decoded<T>>> {
    if (this.#location === undefined) return new Map();
    const found = await Promise.all(references.map((reference) => readLocationBlock(reference, 'sha256', decode, this.#location)));
    return new Map(found.flatMap((block, at) => (block === undefined ? [] : [[references[at]?.sha256 ?? '', block] as const])));
  }

  async #decodeStored<T>(
    reference: BlockName,
    bytes: Uint8Array | undefined,
    check: BlockCheck,
    decode: Decode<T>,
    location: LocationBlocks | undefined,
  ): Promise<Decoded<T>> {
    const { sha256 } = reference;
    if (bytes === undefined) throw new BlockBrokenError(`block ${sha256} is missing`, sha256);
    if (!(await isIntact(reference, bytes, check))) throw new BlockBrokenError(`block ${sha256} is damaged`, sha256);
    try {
      const value = await decode(bytes);
      location?.write(sha256, bytes);
      return { value, bytes: bytes.length };
    } catch (error) {
      throw new BlockBrokenError(`block ${sha256} does not match the manifest`, sha256, { cause: error });
    }
  }

  /** Evicts damaged index blocks, so that they are read again: a damaged section shows only when a query needs it. */
  async evictCorruptIndexBlocks(): Promise<void> {
    for (const sha256 of this.#cache.keys()) {
      const block = this.#cache.loaded(sha256);
      if (!(block instanceof IndexBlock) || (await sha256Hex(block.bytes)) === sha256) continue;
      this.#cache.evict(sha256);
      await this.#location?.remove(sha256);
    }
  }
}

function orUnavailable({ sha256 }: BlockName, read: Promise<Uint8Array | undefined>): Promise<Uint8Array | undefined> {
  return read.catch((error: unknown) => {
    throw new BlockUnavailableError(`block ${sha256} could not be read`, { cause: error });
  });
}

interface Decoded<T> {
  readonly value: T;
  readonly bytes: number;
}

/** A block as the location has it; `undefined` if it has none, or a damaged one, which the one from the store will replace. */
async function readLocationBlock<T>(
  reference: BlockName,
  check: BlockCheck,
  decode: Decode<T>,
  location: LocationBlocks | undefined,
): Promise<Decoded<T> | undefined> {
  const bytes = await location?.read(reference.sha256);
  if (bytes === undefined || !(await isIntact(reference, bytes, check))) return undefined;
  try {
    return { value: await decode(bytes), bytes: bytes.length };
  } catch {
    return undefined;
  }
}

async function isIntact({ sha256, bytes: length }: BlockName, bytes: Uint8Array, check: BlockCheck): Promise<boolean> {
  return (length === undefined || bytes.length === length) && (check === 'length' || (await sha256Hex(bytes)) === sha256);
}

/** How long a caller waits for another one's load: on Cloudflare a load never ends if the client of its request has gone away. */
const PATIENCE_MS = 2_000;

interface CachedBlock {
  readonly value: Promise<unknown>;
  readonly loaded?: unknown;
}

/** Decoded blocks in the memory of one isolate, the most recently used ones, bounded by their encoded bytes. Failed loads are not kept. */
export class BlockCache {
  readonly #blocks: LruCache<string, CachedBlock>;
  readonly #timers: Timers | undefined;

  /** @param timers Bound how long a caller waits for another one; without them it waits indefinitely. */
  constructor(maxBytes: number, timers?: Timers) {
    this.#blocks = new LruCache(maxBytes);
    this.#timers = timers;
  }

  get<T>(key: string, load: () => Promise<Decoded<T>>): Promise<T> {
    const known = this.#blocks.get(key);
    if (known === undefined) return this.#load(key, load);
    const value = known.value as Promise<T>;
    return known.loaded !== undefined || this.#timers === undefined ? value : this.#inTime(key, known, value, load, this.#timers);
  }

  loaded(key: string): unknown {
    return this.#blocks.get(key)?.loaded;
  }

  keys(): string[] {
    return this.#blocks.keys();
  }

  evict(key: string): void {
    this.#blocks.delete(key);
  }

  #load<T>(key: string, load: () => Promise<Decoded<T>>): Promise<T> {
    const loading = load();
    const value = loading.then((loaded) => loaded.value);
    const entry: CachedBlock = { value };
    // Without weight until it is loaded, so that it is not evicted before.
    this.#blocks.set(key, entry, 0);
    const isCurrent = (): boolean => this.#blocks.get(key) === entry;
    loading.then(
      ({ value: loaded, bytes }) => isCurrent() && this.#blocks.set(key, { value, loaded }, bytes),
      () => isCurrent() && this.evict(key),
    );
    return value;
  }

  async #inTime<T>(key: string, entry: CachedBlock, value: Promise<T>, load: () => Promise<Decoded<T>>, timers: Timers): Promise<T> {
    const waiting = timers.wait(PATIENCE_MS);
    try {
      const inTime = await Promise.race([value.then((loaded) => ({ loaded })), waiting.over]);
      if (inTime !== undefined) return inTime.loaded;
    } finally {
      waiting.cancel();
    }
    // The first caller to give up loads the block, and the others wait for that load.
    if (this.#blocks.get(key) === entry) this.evict(key);
    return this.get(key, load);
  }
}
