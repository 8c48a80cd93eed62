import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DeployedGeneration } from '../../gateway/knowledge/corpus.ts';
import { sha256Hex } from '../../provenance/bytes.ts';
import type { LoggedChange } from '../../provenance/change-log.ts';
import { canonicalJson } from '../../provenance/digest.ts';
import { GenerationManifest } from '../../schemas/knowledge/generation.ts';
import type { NeededBlock } from '../publishing/block-namespace.ts';
import { UserError } from '../user-error.ts';
import type { BuiltGeneration } from './generation.ts';

/** Git-ignored folder of everything that a build writes besides the site. */
export const BUILD_FOLDER = '.akg';

/** File with the versions of the generations, newest first, relative to the folder of a build. */
export const GENERATIONS_FILE = join(BUILD_FOLDER, 'generations.json');

/** Generations and their blocks on disk, from earlier builds, so that the next build can list them. */
export class GenerationStore {
  readonly #root: string;
  readonly #folder: string;

  /** @param root Folder of the project. */
  constructor(root: string) {
    this.#root = root;
    this.#folder = join(root, BUILD_FOLDER);
  }

  /** Generations that this code can read, newest first. Some may have only a manifest. */
  async history(): Promise<DeployedGeneration[]> {
    const text = await readFile(join(this.#root, GENERATIONS_FILE), 'utf8').catch(() => '[]');
    const versions = JSON.parse(text) as string[];
    const generations = await Promise.all(
      versions.map(async (version) => {
        const manifest = parseManifest(await this.block(version));
        return manifest ? [{ version, manifest }] : [];
      }),
    );
    return generations.flat();
  }

  /**
   * Change log of the newest of {@link history}.
   *
   * @throws {UserError} If a page of it is missing.
   */
  async changes(): Promise<LoggedChange[]> {
    const [newest] = await this.history();
    if (newest === undefined) return [];
    const pages = await Promise.all(newest.manifest.blocks.changes.map(({ sha256 }) => this.block(sha256)));
    try {
      return pages.flatMap((page) => JSON.parse(new TextDecoder().decode(page)) as LoggedChange[]);
    } catch (error) {
      throw new UserError(
        `a page of the change log of generation ${newest.version.slice(0, 12)} is missing in ${this.#folder}: run "npm run restore:kv", or build again`,
        { cause: error },
      );
    }
  }

  /** The generations of {@link history} whose blocks are all here. */
  async wholeHistory(): Promise<DeployedGeneration[]> {
    const here = new Set(await this.#names());
    return (await this.history()).filter((generation) => blocksOf(generation).every(({ sha256 }) => here.has(sha256)));
  }

  /** The newest generation and those that it lists, newest first; empty before the first build. */
  async listed(): Promise<DeployedGeneration[]> {
    const [newest, ...earlier] = await this.history();
    return newest === undefined ? [] : [newest, ...earlier.filter(({ version }) => newest.manifest.previous.includes(version))];
  }

  /** Writes a generation, and deletes blocks that neither it nor a generation that it lists needs. */
  async save(generation: BuiltGeneration): Promise<void> {
    await this.prepare(generation, this.#root);
    await this.collectGarbage();
  }

  /**
   * Writes the blocks of a generation beside those of earlier ones, and the history with it into the folder of a build: it is the newest
   * generation once that history is in the place of this one.
   */
  async prepare(generation: BuiltGeneration, staged: string): Promise<void> {
    await this.#write(generation.blocks);
    const listed = (await this.history()).filter(({ version }) => generation.manifest.previous.includes(version));
    await writeHistory(staged, [generation, ...listed]);
  }

  /** Deletes blocks that no generation of the history needs, and what a killed build left of others. */
  async collectGarbage(): Promise<void> {
    const needed = new Set((await this.history()).flatMap(blocksOf).map(({ sha256 }) => sha256));
    for (const name of await this.#names()) if (!needed.has(name)) await rm(join(this.#folder, 'blocks', name));
  }

  /** Replaces the history by these generations, newest first. Blocks that are here already may be left out. */
  async restore(generations: readonly DeployedGeneration[], blocks: ReadonlyMap<string, Uint8Array>): Promise<void> {
    await this.#write(blocks);
    await writeHistory(this.#root, generations);
    await this.collectGarbage();
  }

  /** Every block of the newest generation and those that it lists, by digest. */
  async neededBlocks(): Promise<NeededBlock[]> {
    const blocks = new Map((await this.listed()).flatMap(blocksOf).map((block) => [block.sha256, block]));
    return [...blocks.values()].sort((a, b) => (a.sha256 < b.sha256 ? -1 : 1));
  }

  /** Bytes of a block; `undefined` if it is missing or damaged. */
  async block(sha256: string): Promise<Uint8Array | undefined> {
    const bytes = await readFile(join(this.#folder, 'blocks', sha256)).catch(() => undefined);
    return bytes !== undefined && (await sha256Hex(bytes)) === sha256 ? new Uint8Array(bytes) : undefined;
  }

  async #write(blocks: ReadonlyMap<string, Uint8Array>): Promise<void> {
    await mkdir(join(this.#folder, 'blocks'), { recursive: true });
    for (const [sha256, bytes] of blocks) {
      // A rename is atomic: under its name a block is never partial.
      const path = join(this.#folder, 'blocks', sha256);
      await writeFile(`${path}.new`, bytes);
      await rename(`${path}.new`, path);
    }
  }

  #names(): Promise<string[]> {
    return readdir(join(this.#folder, 'blocks')).catch(() => []);
  }
}

/** Replaces the list of generations in a folder at once. */
async function writeHistory(folder: string, generations: readonly DeployedGeneration[]): Promise<void> {
  const path = join(folder, GENERATIONS_FILE);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.new`, `${JSON.stringify(generations.map(({ version }) => version))}\n`);
  await rename(`${path}.new`, path);
}

/** The blocks of a generation, its manifest last. */
export function blocksOf({ version, manifest }: DeployedGeneration): NeededBlock[] {
  const { index, documents, history, lineages, relatives, changes, texts = [], articles = [], files = [] } = manifest.blocks;
  return [
    ...Object.entries({ index, documents, history, lineages, relatives, changes, texts, articles, files } as const).flatMap(
      ([kind, references]) =>
        references.map(({ sha256, bytes }): NeededBlock => ({ sha256, bytes, kind: kind as keyof GenerationManifest['blocks'] })),
    ),
    { sha256: version, bytes: new TextEncoder().encode(canonicalJson(manifest)).length, kind: 'manifest' },
  ];
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
