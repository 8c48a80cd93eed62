import type { GenerationManifest, StoredVersion } from '../../schemas/knowledge/generation-manifest.ts';
import { isKnownFormat } from '../../schemas/knowledge/kinds-and-levels.ts';
import type { SiteText } from '../../schemas/knowledge/result-kinds.ts';
import { IndexFormatError } from '../../search/format/index-block.ts';
import type { Kernel } from '../../search/scoring-wasm/kernel.ts';
import { entityTag } from '../digests-and-base62.ts';
import type { UnansweredQuestion } from '../insights.ts';
import { LruCache, remembered } from '../memory-caches.ts';
import type { BlockStore, Clock, LocationBlocks, TaggedDocument } from '../platform-ports.ts';
import { ok, type Result, refuse } from '../result.ts';
import { BlockBrokenError, type BlockCache, BlockLoader, BlockUnavailableError } from './load-block.ts';
import type { KeptAnswers } from './query-answer-formats.ts';
import { Generation } from './read-generation.ts';
import type { RecentRecords } from './record-pages.ts';
import { ResultRenderer } from './render-capsule-result.ts';
import { SiteResultRenderer } from './render-site-result.ts';

/** The manifest of a deploy; `version` is its digest. */
export interface DeployedGeneration {
  readonly version: string;
  readonly manifest: GenerationManifest;
}

/** Encoded bytes of decoded records in memory, about 300 capsules of 1,000 words: about 18 of an isolate's 128 MB once decoded. */
const RECORDS_MAX_BYTES = 2_000_000;

/** KV caches a missing key for about a minute (developers.cloudflare.com/kv/concepts/how-kv-works). */
const SKIP_MS = 60_000;

export class Corpus {
  readonly #deployed: DeployedGeneration;
  readonly #loader: BlockLoader;
  readonly #ranking: Kernel;
  readonly #clock: Clock | undefined;
  readonly #opened = new Map<string, Generation>();
  readonly #broken = new Map<string, { readonly block: string | undefined; readonly foundMs: number }>();
  readonly #records: RecentRecords = new LruCache(RECORDS_MAX_BYTES);
  readonly documents = new RecordDocuments();
  readonly #renderers = new WeakMap<StoredVersion, ResultRenderer>();
  readonly #siteRenderers = new WeakMap<SiteText, SiteResultRenderer>();
  /** By the site that they are for. */
  readonly answers = new WeakMap<object, KeptAnswers>();
  readonly onUnanswered: ((question: UnansweredQuestion) => void) | undefined;

  /** @param clock Bounds how long an incomplete generation is skipped; without it each read tries the newest first. */
  constructor(
    deployed: DeployedGeneration,
    blocks: BlockStore,
    cache: BlockCache,
    ranking: Kernel,
    clock?: Clock,
    location?: LocationBlocks,
    onUnanswered?: (question: UnansweredQuestion) => void,
  ) {
    this.onUnanswered = onUnanswered;
    this.#deployed = deployed;
    this.#ranking = ranking;
    this.#clock = clock;
    this.#loader = new BlockLoader(blocks, cache, location);
  }

  get version(): string {
    return this.#deployed.version;
  }

  get manifest(): GenerationManifest {
    return this.#deployed.manifest;
  }

  /** Opening it reads nothing. @throws {IndexFormatError | BlockBrokenError} If its manifest does not fit this code. */
  get newest(): Generation {
    return this.#open(this.#deployed.version, this.#deployed.manifest);
  }

  renderer(stored: StoredVersion): ResultRenderer {
    return remembered(this.#renderers, stored, () => new ResultRenderer(stored));
  }

  /** @param baseUrl The same at every call: that of the deployment. */
  async siteRenderer(text: SiteText, baseUrl: string): Promise<SiteResultRenderer> {
    const known = this.#siteRenderers.get(text);
    if (known !== undefined) return known;
    const renderer = await SiteResultRenderer.of(text, baseUrl);
    this.#siteRenderers.set(text, renderer);
    return renderer;
  }

  /** Versions that serve reads, newest first. */
  get listed(): readonly string[] {
    return [this.#deployed.version, ...this.#deployed.manifest.previous];
  }

  /** Generations that are currently skipped because a block is missing or corrupt, newest first. */
  get skippedGenerations(): readonly { readonly version: string; readonly block: string | undefined }[] {
    return this.listed.flatMap((version) => {
      const skip = this.#broken.get(version);
      return skip && this.#isSkipped(version) ? [{ version, block: skip.block }] : [];
    });
  }

  /** A generation by its version. An unlisted one is refused without reading the store. @throws {BlockUnavailableError} */
  async generation(version: string | undefined): Promise<Result<Generation>> {
    if (version === undefined || version === this.#deployed.version) return ok(this.newest);
    if (!this.#deployed.manifest.previous.includes(version))
      return refuse('corpus_superseded', `The corpus version ${version} is no longer available; the newest is ${this.#deployed.version}.`);
    const opened = this.#opened.get(version);
    if (opened) return ok(opened);
    const manifest = await this.#loader.load(
      { sha256: version },
      'sha256',
      (bytes) => JSON.parse(new TextDecoder().decode(bytes)) as GenerationManifest,
    );
    if (!isKnownFormat(manifest.format))
      return refuse('corpus_superseded', `The corpus version ${version} has a format that this deployment no longer reads.`);
    return ok(this.#open(version, manifest));
  }

  /**
   * Runs a read on the named generation, or on the newest complete one: a read that finds a missing or corrupt block is repeated on the previous
   * one. An unresponsive store triggers no fallback, because older blocks would fail too.
   *
   * @param onFallback Called if an earlier generation served the read; without it only the newest is read.
   * @throws {BlockUnavailableError | IndexFormatError} If the store does not respond, or no generation is complete.
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
    for (const version of this.listed.toSorted((a, b) => Number(this.#isSkipped(a)) - Number(this.#isSkipped(b)))) {
      try {
        const generation = await this.generation(version);
        if (!generation.ok) continue;
        const result = await read(generation.value);
        this.#remember(version, broken);
        if (result.ok && version !== this.version) onFallback();
        return result;
      } catch (error) {
        if (!(error instanceof BlockBrokenError || error instanceof IndexFormatError)) throw error;
        await this.evictCorruptBlocks(error);
        broken.set(version, error);
      }
    }
    throw broken.get(this.version);
  }

  /** Evicts corrupt index blocks from the cache after an {@link IndexFormatError}, so that they are read again. */
  async evictCorruptBlocks(error: unknown): Promise<void> {
    if (error instanceof IndexFormatError) await this.#loader.evictCorruptIndexBlocks();
  }

  #isSkipped(version: string): boolean {
    const skip = this.#broken.get(version);
    if (skip === undefined || this.#clock === undefined) return false;
    const age = this.#clock.nowMs() - skip.foundMs;
    // A clock that was set back must not extend the skip.
    return age >= 0 && age < SKIP_MS;
  }

  #remember(complete: string, broken: ReadonlyMap<string, unknown>): void {
    this.#broken.delete(complete);
    if (this.#clock === undefined) return;
    const foundMs = this.#clock.nowMs();
    for (const [version, error] of broken)
      this.#broken.set(version, { block: error instanceof BlockBrokenError ? error.sha256 : undefined, foundMs });
  }

  #open(version: string, manifest: GenerationManifest): Generation {
    return remembered(this.#opened, version, () => new Generation(version, manifest, this.#loader, this.#records, this.#ranking));
  }
}

/** Runs a read; an unavailable or unreadable block becomes the refusal `index_unavailable`. */
export async function withCorpus<T>(corpus: Corpus, read: () => Promise<Result<T>>): Promise<Result<T>> {
  try {
    return await read();
  } catch (error) {
    await corpus.evictCorruptBlocks(error);
    if (error instanceof BlockUnavailableError || error instanceof IndexFormatError) return indexUnavailable();
    throw error;
  }
}

export function indexUnavailable() {
  return refuse('index_unavailable', 'The capsule index could not be read.');
}

/** Documents of stored records, for as long as these are in memory. Values and no promises: no request may wait for the work of another. */
export class RecordDocuments {
  readonly #documents = new WeakMap<object, Map<string, TaggedDocument>>();

  /** @param name All else that the text follows from. */
  async of(record: object, name: string, contentType: string, write: () => string | Promise<string>): Promise<TaggedDocument> {
    const known = this.#documents.get(record)?.get(name);
    if (known !== undefined) return known;
    const body = await write();
    const document = { contentType, body, etag: await entityTag(body) };
    remembered(this.#documents, record, () => new Map<string, TaggedDocument>()).set(name, document);
    return document;
  }
}
