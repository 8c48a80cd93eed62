import { sha256Hex } from '../../provenance/digest.ts';
import type { CapsuleSummary } from '../../schemas/capsule.ts';
import {
  type BlockReference,
  type CapsulePage,
  GENERATION_FORMAT,
  type GenerationManifest,
  type LineagePage,
  pageOf,
  type StoredVersion,
  type SummaryTable,
} from '../../schemas/generation.ts';
import { decodeIndex } from '../../search/decode-index.ts';
import type { SearchIndex } from '../../search/types.ts';
import type { BlockStore } from '../ports.ts';
import { ok, outage, type Result, refuse } from '../result.ts';
import type { BlockCache } from './block-cache.ts';

/** One generation of the corpus, opened: every read of it sees the same content. */
export interface Generation {
  /** Digest of the manifest. */
  readonly version: string;
  readonly manifest: GenerationManifest;
  readonly summaries: () => Promise<SummaryTable>;
  readonly index: () => Promise<SearchIndex>;
  /** All versions of a capsule, oldest first, or `undefined` if there is none with this id. */
  readonly versions: (id: string) => Promise<readonly StoredVersion[] | undefined>;
  /** Exact text of a capsule's lineage document, or `undefined` if there is no such capsule. */
  readonly lineage: (id: string) => Promise<string | undefined>;
}

/** Thrown when a block cannot be had whole; callers turn it into the error `index_unavailable`. */
export class BlockUnavailableError extends Error {
  override readonly name = 'BlockUnavailableError';
}

/** The manifest that travels with a deploy, and its digest. */
export interface DeployedGeneration {
  readonly version: string;
  readonly manifest: GenerationManifest;
}

/** Reads generations of the corpus through a block store and keeps what it read within a bound. */
export class Corpus {
  readonly #deployed: DeployedGeneration;
  readonly #blocks: BlockStore;
  readonly #cache: BlockCache;

  constructor(deployed: DeployedGeneration, blocks: BlockStore, cache: BlockCache) {
    this.#deployed = deployed;
    this.#blocks = blocks;
    this.#cache = cache;
  }

  /** Version of the newest generation. */
  get version(): string {
    return this.#deployed.version;
  }

  /** The newest generation; opening it reads nothing. */
  get newest(): Generation {
    return this.#open(this.#deployed);
  }

  /** Versions that still answer, newest first. */
  get listed(): readonly string[] {
    return [this.#deployed.version, ...this.#deployed.manifest.previous];
  }

  /**
   * A generation by its version. One that is not listed is refused without touching the store.
   *
   * @throws {BlockUnavailableError} If a listed generation's manifest cannot be read.
   */
  async generation(version: string | undefined): Promise<Result<Generation>> {
    if (version === undefined || version === this.#deployed.version) return ok(this.newest);
    if (!this.#deployed.manifest.previous.includes(version))
      return refuse('corpus_superseded', `The corpus version ${version} is not kept any more; the newest is ${this.#deployed.version}.`);
    const manifest = await this.#load(version, (bytes) => JSON.parse(new TextDecoder().decode(bytes)) as GenerationManifest);
    if (manifest.format !== GENERATION_FORMAT)
      return refuse('corpus_superseded', `The corpus version ${version} has a layout that this deployment does not read any more.`);
    return ok(this.#open({ version, manifest }));
  }

  #open({ version, manifest }: DeployedGeneration): Generation {
    const json = <T>(reference: BlockReference | undefined): Promise<T> => {
      if (reference === undefined) throw new BlockUnavailableError('the manifest names no such block');
      return this.#load(reference.sha256, (bytes) => JSON.parse(new TextDecoder().decode(bytes)) as T);
    };
    const entry = async <T>(id: string, references: readonly BlockReference[]): Promise<T | undefined> => {
      const page = await json<Record<string, T>>(references[pageOf(id, references.length)]);
      return Object.hasOwn(page, id) ? page[id] : undefined;
    };
    return {
      version,
      manifest,
      summaries: () => json<SummaryTable>(manifest.blocks.summaries),
      index: () => this.#load(manifest.blocks.index.sha256, decodeIndex),
      versions: (id) => entry<CapsulePage[string]>(id, manifest.blocks.pages),
      lineage: (id) => entry<LineagePage[string]>(id, manifest.blocks.lineages),
    };
  }

  /** A block's decoded value, from the cache or the store; bytes that do not fit their name are never used. */
  #load<T>(sha256: string, decode: (bytes: Uint8Array) => T): Promise<T> {
    return this.#cache.get(sha256, async () => {
      const bytes = await this.#blocks.read(sha256).catch((error: unknown) => {
        throw new BlockUnavailableError(`block ${sha256} could not be read`, { cause: error });
      });
      if (bytes === undefined) throw new BlockUnavailableError(`block ${sha256} is missing`);
      if ((await sha256Hex(bytes)) !== sha256) throw new BlockUnavailableError(`block ${sha256} is damaged`);
      return { value: decode(bytes), bytes: bytes.length };
    });
  }
}

/** Runs a read of the corpus and turns an unavailable block into a refusal. */
export async function withCorpus<T>(read: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof BlockUnavailableError) return outage('index_unavailable', 'The capsule index could not be read.');
    throw error;
  }
}

/** Order in which states are listed in results: what stands comes before what does not. */
const STATUS_ORDER: Readonly<Record<CapsuleSummary['status'], number>> = { current: 0, superseded: 1, retracted: 2 };

/** Compares two capsules by their state. */
export function compareStatus(a: CapsuleSummary, b: CapsuleSummary): number {
  return STATUS_ORDER[a.status] - STATUS_ORDER[b.status];
}
