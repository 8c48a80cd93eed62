import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeployedGeneration } from '../gateway/knowledge/corpus.ts';
import { GenerationManifest } from '../schemas/generation.ts';
import { type BuiltGeneration, EARLIER_GENERATIONS } from './generation.ts';

/** Git-ignored folder of everything that a build makes besides the site itself. */
export const BUILD_FOLDER = '.akg';

/** Generations and their blocks on disk: what earlier builds made, so that the next one can list them. */
export class GenerationStore {
  readonly #folder: string;

  /** @param root Folder of the project. */
  constructor(root: string) {
    this.#folder = join(root, BUILD_FOLDER);
  }

  /** Earlier generations that this code can read, newest first. */
  async history(): Promise<DeployedGeneration[]> {
    const text = await readFile(join(this.#folder, 'generations.json'), 'utf8').catch(() => '[]');
    const versions = JSON.parse(text) as string[];
    const found = await Promise.all(
      versions.map(async (version) => {
        const bytes = await this.block(version);
        const manifest = bytes && GenerationManifest.safeParse(JSON.parse(new TextDecoder().decode(bytes)));
        return manifest?.success ? [{ version, manifest: manifest.data }] : [];
      }),
    );
    return found.flat();
  }

  /** Writes a generation and forgets blocks that no kept generation lists. */
  async save(generation: BuiltGeneration): Promise<void> {
    const blocks = join(this.#folder, 'blocks');
    await mkdir(blocks, { recursive: true });
    for (const [sha256, bytes] of generation.blocks) await writeFile(join(blocks, sha256), bytes);
    const earlier = (await this.history()).filter(({ version }) => version !== generation.version);
    const kept: DeployedGeneration[] = [generation, ...earlier].slice(0, EARLIER_GENERATIONS + 1);
    await writeFile(join(this.#folder, 'generations.json'), `${JSON.stringify(kept.map(({ version }) => version))}\n`);
    const needed = new Set(kept.flatMap(blocksOf));
    for (const name of await readdir(blocks)) if (!needed.has(name)) await rm(join(blocks, name));
  }

  /** Digests of every block that the kept generations consist of. */
  async neededBlocks(): Promise<string[]> {
    return [...new Set((await this.history()).flatMap(blocksOf))].sort();
  }

  /** Bytes of a block, if it is here. */
  async block(sha256: string): Promise<Uint8Array | undefined> {
    return readFile(join(this.#folder, 'blocks', sha256)).then(
      (bytes) => new Uint8Array(bytes),
      () => undefined,
    );
  }
}

/** Digests of a generation's blocks, its manifest included. */
function blocksOf({ version, manifest }: DeployedGeneration): string[] {
  const { index, summaries, pages, lineages } = manifest.blocks;
  return [version, ...[index, summaries, ...pages, ...lineages].map(({ sha256 }) => sha256)];
}
