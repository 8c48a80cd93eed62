import { GENERATION_FORMAT, type GenerationManifest, type StoredVersion } from '../../schemas/knowledge/generation.ts';
import { IndexFormatError } from '../../search/format/index-block.ts';
import { Kernel } from '../../search/kernel/kernel.ts';
import { warmUp } from '../../search/query/warm-up.ts';
import { LruCache } from '../lru-cache.ts';
import type { BlockStore, Clock } from '../ports.ts';
import { ok, outage, type Result, refuse } from '../result.ts';
import { Generation } from './generation.ts';
import { BlockBrokenError, type BlockCache, BlockLoader, BlockUnavailableError } from './load-block.ts';
import type { RecentRecords } from './record-page.ts';
import { ResultRenderer } from './result-renderer.ts';

/** The manifest that travels with a deploy, and its digest. */
export interface DeployedGeneration {
  readonly version: string;
  readonly manifest: GenerationManifest;
}

/** A generation of which a block is missing or corrupt in the store. */
export interface BrokenGeneration {
  readonly version: string;
  /** Digest of the missing or corrupt block, where it is known. */
  readonly block: string | undefined;
}

/**
 * Encoded bytes of the records of pages that are kept as values: some three hundred capsules of a thousand words. With what is found out
 * about their texts they take about seven times as much, some 14 of the 128 MB that an isolate has.
 */
const RECORDS_MAX_BYTES = 2_000_000;

/**
 * How long an incomplete generation is skipped, in milliseconds: KV caches a missing key for about a minute
 * (developers.cloudflare.com/kv/concepts/how-kv-works).
 */
const SKIP_MS = 60_000;

/** Reads generations of the corpus through a block store and keeps what it read within a bound. */
export class Corpus {
  readonly #deployed: DeployedGeneration;
  readonly #loader: BlockLoader;
  readonly #ranking: Ranking;
  readonly #clock: Clock | undefined;
  readonly #opened = new Map<string, Generation>();
  /** Incomplete generations, and when each was found. */
  readonly #broken = new Map<string, { readonly block: string | undefined; readonly foundMs: number }>();
  /** Of any generation. */
  readonly #records: RecentRecords = new LruCache(RECORDS_MAX_BYTES);
  /** What was found out about a record is kept as long as the record is. */
  readonly #renderers = new WeakMap<StoredVersion, ResultRenderer>();

  /**
   * @param ranking Ranks queries.
   * @param clock Bounds how long an incomplete generation is skipped; without it each read tries the newest first.
   */
  constructor(deployed: DeployedGeneration, blocks: BlockStore, cache: BlockCache, ranking: Ranking, clock?: Clock) {
    this.#deployed = deployed;
    this.#ranking = ranking;
    this.#clock = clock;
    this.#loader = new BlockLoader(blocks, cache);
  }

  /** Version of the newest generation. */
  get version(): string {
    return this.#deployed.version;
  }

  /** What the newest generation consists of, which is known before it is opened. */
  get manifest(): GenerationManifest {
    return this.#deployed.manifest;
  }

  /**
   * The newest generation; opening it reads nothing.
   *
   * @throws {IndexFormatError | BlockBrokenError} If its manifest does not fit this code or itself.
   */
  get newest(): Generation {
    return this.#open(this.#deployed.version, this.#deployed.manifest);
  }

  /** Renders a capsule of a generation as query results; one renderer for each stored version. */
  renderer(stored: StoredVersion): ResultRenderer {
    let capsule = this.#renderers.get(stored);
    if (capsule === undefined) {
      capsule = new ResultRenderer(stored);
      this.#renderers.set(stored, capsule);
    }
    return capsule;
  }

  /** Versions that still answer, newest first. */
  get listed(): readonly string[] {
    return [this.#deployed.version, ...this.#deployed.manifest.previous];
  }

  /** Generations that are skipped at present because a block of them is missing or corrupt, newest first. */
  get skippedGenerations(): readonly BrokenGeneration[] {
    return this.listed.flatMap((version) => {
      const found = this.#broken.get(version);
      return found && this.#isSkipped(version) ? [{ version, block: found.block }] : [];
    });
  }

  /**
   * A generation by its version. One that is not listed is refused without touching the store.
   *
   * @throws {BlockBrokenError} If the store does not have a listed generation's manifest whole.
   * @throws {BlockUnavailableError} If the store does not answer.
   */
  async generation(version: string | undefined): Promise<Result<Generation>> {
    if (version === undefined || version === this.#deployed.version) return ok(this.newest);
    if (!this.#deployed.manifest.previous.includes(version))
      return refuse('corpus_superseded', `The corpus version ${version} is not kept any more; the newest is ${this.#deployed.version}.`);
    const opened = this.#opened.get(version);
    if (opened) return ok(opened);
    const manifest = await this.#loader.load(
      { sha256: version },
      'sha256',
      (bytes) => JSON.parse(new TextDecoder().decode(bytes)) as GenerationManifest,
    );
    if (manifest.format !== GENERATION_FORMAT)
      return refuse('corpus_superseded', `The corpus version ${version} has a layout that this deployment does not read any more.`);
    return ok(this.#open(version, manifest));
  }

  /**
   * Runs a read on one generation: on the named one, or else on the newest that is complete. A read that meets a missing or corrupt block
   * is repeated on the generation before. A store that does not respond is no reason to: it would not respond for older blocks either.
   *
   * @param version Pinned generation; no other answers in its place.
   * @param onFallback Called if an earlier generation than the newest gave the answer; without it the newest alone is asked.
   * @throws {BlockUnavailableError | IndexFormatError} If the store does not answer, or has no generation whole.
   */
  async read<T>(
    version: string | undefined,
    read: (generation: Generation) => Promise<Result<T>>,
    onFallback?: () => void,
  ): Promise<Result<T>> {
    if (version === undefined && onFallback !== undefined) return this.#readWhole(read, onFallback);
    const generation = await this.generation(version);
    return generation.ok ? read(generation.value) : generation;
  }

  async #readWhole<T>(read: (generation: Generation) => Promise<Result<T>>, onFallback: () => void): Promise<Result<T>> {
    const broken = new Map<string, unknown>();
    const skippedGenerations = this.listed.filter((version) => this.#isSkipped(version));
    for (const version of [...this.listed.filter((one) => !skippedGenerations.includes(one)), ...skippedGenerations]) {
      try {
        const generation = await this.generation(version);
        if (!generation.ok) continue;
        const answer = await read(generation.value);
        this.#remember(version, broken);
        if (answer.ok && version !== this.version) onFallback();
        return answer;
      } catch (error) {
        if (!(error instanceof BlockBrokenError || error instanceof IndexFormatError)) throw error;
        await this.evictCorruptBlocks(error);
        broken.set(version, error);
      }
    }
    throw broken.get(this.version);
  }

  /** Evicts cached index blocks that are corrupt after an index could not be read, so that they are read again. */
  async evictCorruptBlocks(error: unknown): Promise<void> {
    if (!(error instanceof IndexFormatError)) return;
    for (const generation of this.#opened.values()) await generation.evictCorruptIndexBlocks();
  }

  #isSkipped(version: string): boolean {
    const found = this.#broken.get(version);
    if (found === undefined || this.#clock === undefined) return false;
    const age = this.#clock.nowMs() - found.foundMs;
    // A clock that was set back extends no skip.
    return age >= 0 && age < SKIP_MS;
  }

  /** Records which generation was complete, and which were not. */
  #remember(whole: string, broken: ReadonlyMap<string, unknown>): void {
    this.#broken.delete(whole);
    if (this.#clock === undefined) return;
    const foundMs = this.#clock.nowMs();
    for (const [version, error] of broken)
      this.#broken.set(version, { block: error instanceof BlockBrokenError ? error.sha256 : undefined, foundMs });
  }

  #open(version: string, manifest: GenerationManifest): Generation {
    let generation = this.#opened.get(version);
    if (generation === undefined) {
      generation = new Generation(version, manifest, this.#loader, this.#records, this.#ranking);
      this.#opened.set(version, generation);
    }
    return generation;
  }
}

/** Runs a read of a corpus; an unavailable or unreadable block is the refusal `index_unavailable`. */
export async function withCorpus<T>(corpus: Corpus, read: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await read();
  } catch (error) {
    await corpus.evictCorruptBlocks(error);
    if (error instanceof BlockUnavailableError || error instanceof IndexFormatError) return indexUnavailable();
    throw error;
  }
}

/** Refusal of a read that needs an unavailable block. */
export function indexUnavailable() {
  return outage('index_unavailable', 'The capsule index could not be read.');
}

/** What ranks the queries of an isolate, of all generations of its corpus. */
export type Ranking = Kernel;

/**
 * Prepares ranking, so that the first query takes no longer than others. Call it while an isolate starts, before a request pays for the
 * CPU.
 *
 * @param module The compiled `src/search/kernel/kernel.wasm`.
 * @param documents Of the index that will be searched, for which memory is reserved.
 */
export function startRanking(module: WebAssembly.Module, documents = 0): Ranking {
  const kernel = new Kernel(module);
  // It awaits no I/O, so it ends before the first request. An error recurs in the first query, which reports it.
  warmUp(kernel, documents).catch(() => undefined);
  return kernel;
}
