import { hash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DeployedGeneration } from '../../gateway/knowledge/corpus.ts';
import { isList } from '../../gateway/knowledge/record-pages.ts';
import { sha256Hex } from '../../provenance/bytes-and-sha256.ts';
import { canonicalJson } from '../../provenance/canonical-json.ts';
import type { LoggedChange } from '../../provenance/change-log.ts';
import { UserError } from '../../publication/content-problem.ts';
import { replaceFile } from '../../publication/read/content-files.ts';
import { GenerationManifest, type PageReference } from '../../schemas/knowledge/generation-manifest.ts';
import { blockPath } from '../../schemas/paths.ts';
import { STEMMERS } from '../../search/analysis/analysers.ts';
import type { IndexHead } from '../../search/format/index-block.ts';
import { BlockKind, type NeededBlock } from '../kv/block-namespace.ts';
import type { BlockCollection, Blocks, BuiltGeneration } from './build-generation.ts';
import { withListedPages } from './divide-records-into-pages.ts';

/** Git-ignored folder of everything that a build writes besides the site. */
export const BUILD_FOLDER = '.akg';

/** File with the versions of the generations, newest first, relative to the folder of a build. */
export const GENERATIONS_FILE = join(BUILD_FOLDER, 'generations.json');

/** Generations and their blocks on disk, from earlier builds, so that the next build can list them. */
export class GenerationStore {
  readonly #root: string;
  readonly #folder: string;
  readonly #blocks: string;

  constructor(root: string) {
    this.#root = root;
    this.#folder = join(root, BUILD_FOLDER);
    this.#blocks = join(this.#folder, 'blocks');
  }

  /** Generations that this code can read, newest first. Some may have only a manifest. */
  async history(): Promise<DeployedGeneration[]> {
    const text = await readFile(join(this.#root, GENERATIONS_FILE), 'utf8').catch(() => '[]');
    const generations = await Promise.all(
      (JSON.parse(text) as string[]).map(async (version) => {
        const manifest = parseManifest(await this.block(version));
        return manifest ? [{ version, manifest }] : [];
      }),
    );
    return generations.flat();
  }

  /** Change log of the newest of {@link history}. @throws {UserError} If a page of it is missing. */
  async changes(): Promise<LoggedChange[]> {
    const [newest] = await this.history();
    if (newest === undefined) return [];
    const references = await withListedPages(newest.manifest.blocks.changes, (sha256) => this.block(sha256));
    const pages = await Promise.all(references.filter((reference) => !isList(reference)).map(({ sha256 }) => this.block(sha256)));
    try {
      return pages.flatMap((page) => JSON.parse(new TextDecoder().decode(page)) as LoggedChange[]);
    } catch (error) {
      throw new UserError(
        `a page of the change log of generation ${newest.version.slice(0, 12)} is missing in ${this.#folder}: run "npm run restore:kv", or build again`,
        { cause: error },
      );
    }
  }

  /** The analysers of the texts of some generations; all if the head of an index is not here. */
  async analysersOf(generations: readonly Pick<DeployedGeneration, 'manifest'>[]): Promise<Set<string>> {
    const analysers = new Set<string>();
    for (const { manifest } of generations) {
      const { index, site } = manifest;
      const stored = 'head' in index ? await this.block(index.head.sha256) : undefined;
      const head = 'head' in index ? stored && (JSON.parse(new TextDecoder().decode(stored)) as IndexHead) : index;
      if (head === undefined) return new Set(STEMMERS.keys());
      for (const analyser of [...head.readings, ...(site?.readings ?? [])]) analysers.add(analyser);
    }
    return analysers;
  }

  /** The generations of {@link history} whose blocks are all here. */
  async wholeHistory(): Promise<DeployedGeneration[]> {
    const here = new Set(await this.#names());
    const whole: DeployedGeneration[] = [];
    for (const generation of await this.history())
      if ((await this.blocksOf(generation)).every(({ sha256 }) => here.has(sha256))) whole.push(generation);
    return whole;
  }

  /** The newest generation and those that it lists, newest first; empty before the first build. */
  async listed(): Promise<DeployedGeneration[]> {
    const [newest, ...earlier] = await this.history();
    return newest === undefined ? [] : [newest, ...earlier.filter(({ version }) => newest.manifest.previous.includes(version))];
  }

  /** A place for the blocks of a new generation, which has them here before {@link prepare}. */
  newBlocks(): StoredBlocks {
    return new StoredBlocks(this.#blocks);
  }

  /** Writes the blocks of a generation beside earlier ones, and the history with it into the folder of a build, where it takes effect. */
  async prepare(generation: BuiltGeneration, staged: string): Promise<void> {
    if (!(generation.blocks instanceof StoredBlocks && generation.blocks.folder === this.#blocks)) await this.#write(generation.blocks);
    const listed = (await this.history()).filter(({ version }) => generation.manifest.previous.includes(version));
    await writeHistory(staged, [generation, ...listed]);
  }

  /** Deletes blocks that no generation of the history needs, and what a killed build left of others. */
  async collectGarbage(): Promise<void> {
    const blocks = await Promise.all((await this.history()).map((generation) => this.blocksOf(generation)));
    const needed = new Set(blocks.flat().map(({ sha256 }) => sha256));
    for (const name of await this.#names()) if (!needed.has(name)) await rm(join(this.#blocks, name));
  }

  /** Replaces the history by these generations, newest first. Blocks that are here already may be left out. */
  async restore(generations: readonly DeployedGeneration[], blocks: ReadonlyMap<string, Uint8Array>): Promise<void> {
    await this.#write(blocks);
    await writeHistory(this.#root, generations);
    await this.collectGarbage();
  }

  blocksOf(generation: DeployedGeneration): Promise<NeededBlock[]> {
    return blocksOf(generation, (sha256) => this.block(sha256));
  }

  async block(sha256: string): Promise<Uint8Array | undefined> {
    const bytes = await readFile(join(this.#blocks, sha256)).catch(() => undefined);
    return bytes !== undefined && (await sha256Hex(bytes)) === sha256 ? new Uint8Array(bytes) : undefined;
  }

  async #write(blocks: Blocks): Promise<void> {
    for (const [sha256, bytes] of blocks) await replaceFile(join(this.#blocks, sha256), bytes);
  }

  #names(): Promise<string[]> {
    return readdir(this.#blocks).catch(() => []);
  }
}

async function writeHistory(folder: string, generations: readonly DeployedGeneration[]): Promise<void> {
  await replaceFile(join(folder, GENERATIONS_FILE), `${JSON.stringify(generations.map(({ version }) => version))}\n`);
}

/** The blocks of a generation, its manifest last. Of a list of pages that `read` lacks, only the list itself is returned. */
export async function blocksOf(
  { version, manifest }: DeployedGeneration,
  read: (sha256: string) => Promise<Uint8Array | undefined>,
): Promise<NeededBlock[]> {
  const blocks: NeededBlock[] = 'head' in manifest.index ? [{ ...manifest.index.head, kind: 'index' }] : [];
  for (const kind of BlockKind.exclude(['lists', 'manifest']).options)
    for (const reference of await withListedPages((manifest.blocks[kind] ?? []) as readonly PageReference[], read)) {
      const { sha256, bytes } = reference;
      blocks.push({ sha256, bytes, kind: isList(reference) ? 'lists' : kind });
    }
  return [...blocks, { sha256: version, bytes: new TextEncoder().encode(canonicalJson(manifest)).length, kind: 'manifest' }];
}

/** The manifest in some bytes; `undefined` if they are missing, damaged or of an unknown format. */
export function parseManifest(bytes: Uint8Array | undefined): GenerationManifest | undefined {
  if (bytes === undefined) return undefined;
  try {
    return GenerationManifest.safeParse(JSON.parse(new TextDecoder().decode(bytes))).data;
  } catch {
    return undefined;
  }
}

/** The blocks of a generation that is being built, in a folder with those of earlier ones instead of in memory. */
class StoredBlocks implements BlockCollection {
  readonly folder: string;
  readonly #names = new Set<string>();

  constructor(folder: string) {
    this.folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  get size(): number {
    return this.#names.size;
  }

  has(sha256: string): boolean {
    return this.#names.has(sha256);
  }

  get(sha256: string): Uint8Array | undefined {
    return this.#names.has(sha256) ? this.#read(sha256) : undefined;
  }

  set(sha256: string, bytes: Uint8Array): this {
    this.#names.add(sha256);
    const present = this.#read(sha256);
    if (present !== undefined && Buffer.compare(present, bytes) === 0) return this;
    // A rename is atomic: under its name a block is never partial.
    const path = join(this.folder, sha256);
    const temporary = `${path}.${randomBytes(4).toString('hex')}.new`;
    writeFileSync(temporary, bytes);
    renameSync(temporary, path);
    return this;
  }

  reuse(sha256: string): boolean {
    const bytes = this.#read(sha256);
    if (bytes === undefined || hash('sha256', bytes) !== sha256) return false;
    this.#names.add(sha256);
    return true;
  }

  keys(): SetIterator<string> {
    return this.#names.values();
  }

  *[Symbol.iterator](): MapIterator<[string, Uint8Array]> {
    for (const name of this.#names) {
      const bytes = this.#read(name);
      if (bytes !== undefined) yield [name, bytes];
    }
  }

  #read(sha256: string): Uint8Array | undefined {
    try {
      const bytes = readFileSync(join(this.folder, sha256));
      return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    } catch {
      return undefined;
    }
  }
}

/** The kind of every block of a generation and of those that it lists, by digest. */
export async function servedBlocks(
  generation: BuiltGeneration,
  history: readonly DeployedGeneration[],
  store: GenerationStore,
): Promise<ReadonlyMap<string, BlockKind>> {
  const earlier = history.filter(({ version }) => generation.manifest.previous.includes(version));
  const blocks = [
    await blocksOf(generation, async (sha256) => generation.blocks.get(sha256)),
    ...(await Promise.all(earlier.map((one) => store.blocksOf(one)))),
  ];
  return new Map(blocks.flat().map(({ sha256, kind }) => [sha256, kind]));
}

/**
 * Writes every block of a generation and of those that it lists as public files of a site. Returns their number.
 *
 * @throws {UserError} If a block of an earlier generation is missing, or holds something that is sold.
 */
export async function writeAssetBlocks(folder: string, generation: BuiltGeneration, store: GenerationStore): Promise<number> {
  const blocks = await servedBlocks(generation, await store.history(), store);
  await mkdir(join(folder, dirname(blockPath(generation.version))), { recursive: true });
  for (const [sha256, kind] of blocks) {
    const bytes = generation.blocks.get(sha256) ?? (await store.block(sha256));
    if (bytes === undefined)
      throw new UserError(`block ${sha256} of an earlier generation is not on this machine: run "npm run restore:kv", then build again`);
    if (kind === 'texts' || kind === 'files')
      throw new UserError(
        `${kind === 'texts' ? 'a capsule with "access: paid"' : 'a file that an offer delivers'} would be a public file, because it is in this or a listed generation; use "storage: kv" in content/publisher.yaml`,
      );
    await writeFile(join(folder, blockPath(sha256)), bytes);
  }
  return blocks.size;
}
