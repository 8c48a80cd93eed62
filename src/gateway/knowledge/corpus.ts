import { GENERATION_FORMAT, type GenerationManifest } from '../../schemas/generation.ts';
import { IndexFormatError } from '../../search/index-format.ts';
import type { BlockStore } from '../ports.ts';
import { ok, outage, type Result, refuse } from '../result.ts';
import { AnalysedTexts } from './analysed-texts.ts';
import type { BlockCache } from './block-cache.ts';
import { Generation } from './generation.ts';
import { BlockLoader, BlockUnavailableError } from './load-block.ts';
import type { Ranking } from './start-ranking.ts';

/** The manifest that travels with a deploy, and its digest. */
export interface DeployedGeneration {
  readonly version: string;
  readonly manifest: GenerationManifest;
}

/** Some four hundred texts of a thousand words: a few MB of the 128 that an isolate has. In UTF-16 code units. */
const ANALYSED_TEXTS_MAX_LENGTH = 2_000_000;

/** Reads generations of the corpus through a block store and keeps what it read within a bound. */
export class Corpus {
  readonly #deployed: DeployedGeneration;
  readonly #loader: BlockLoader;
  readonly #ranking: Ranking | undefined;
  readonly #opened = new Map<string, Generation>();
  /** Texts of any generation, analysed. */
  readonly texts = new AnalysedTexts(ANALYSED_TEXTS_MAX_LENGTH);

  /** @param ranking Ranks queries; without it they are ranked alike, and slower. */
  constructor(deployed: DeployedGeneration, blocks: BlockStore, cache: BlockCache, ranking?: Ranking) {
    this.#deployed = deployed;
    this.#ranking = ranking;
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
   * @throws {IndexFormatError | BlockUnavailableError} If its manifest does not fit this code or itself.
   */
  get newest(): Generation {
    return this.#open(this.#deployed.version, this.#deployed.manifest);
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

  #open(version: string, manifest: GenerationManifest): Generation {
    let generation = this.#opened.get(version);
    if (generation === undefined) {
      generation = new Generation(version, manifest, this.#loader, this.#ranking);
      this.#opened.set(version, generation);
    }
    return generation;
  }
}

/** Runs a read of the corpus and turns an unavailable or unreadable block into a refusal. */
export async function withCorpus<T>(read: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof BlockUnavailableError || error instanceof IndexFormatError)
      return outage('index_unavailable', 'The capsule index could not be read.');
    throw error;
  }
}
