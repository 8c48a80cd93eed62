import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { blockPath } from '../../schemas/paths.ts';
import { BuildSettingError } from '../deployment.ts';
import type { BuiltGeneration } from './generation.ts';
import { blocksOf, type GenerationStore } from './generation-store.ts';

/**
 * Writes every block of a generation and of those that it lists into the folder of a site, where anybody can read them.
 *
 * @throws {BuildSettingError} If a block of an earlier generation is not here, or holds texts that are sold.
 * @returns How many there are.
 */
export async function writeAssetBlocks(folder: string, generation: BuiltGeneration, store: GenerationStore): Promise<number> {
  const history = await store.history();
  const earlier = history.filter(({ version }) => generation.manifest.previous.includes(version));
  const blocks = new Map([generation, ...earlier].flatMap(blocksOf).map((block) => [block.sha256, block.kind]));
  await mkdir(join(folder, dirname(blockPath(generation.version))), { recursive: true });
  for (const [sha256, kind] of blocks) {
    const bytes = generation.blocks.get(sha256) ?? (await store.block(sha256));
    if (bytes === undefined)
      throw new BuildSettingError(
        `block ${sha256} of an earlier generation is not on this machine: run "npm run restore:kv" and build again`,
      );
    if (kind === 'texts')
      throw new BuildSettingError(
        'a capsule with "access: paid" would be a file that anybody can read: with such capsules, now or in a listed generation, only "storage: kv" will do',
      );
    if (kind === 'files')
      throw new BuildSettingError(
        'a file that an offer delivers would be a file that anybody can read: with such files, now or in a listed generation, only "storage: kv" will do',
      );
    await writeFile(join(folder, blockPath(sha256)), bytes);
  }
  return blocks.size;
}
