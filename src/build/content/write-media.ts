import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { MediaFile } from '../../publication/media/media-file.ts';
import { BUILD_FOLDER } from '../generation/generation-store.ts';

/** Quality of smaller copies of photographs; drawings and screenshots would show its traces. */
const PHOTO_QUALITY = 80;
const DRAWING_QUALITY = 90;

/**
 * Writes the files that texts show or link to, and smaller copies of images, into the folder of a site. Copies are kept below `.akg`, so
 * that each is made once.
 *
 * @returns Number of files written.
 */
export async function writeMedia(root: string, folder: string, media: readonly MediaFile[]): Promise<number> {
  const cache = join(root, BUILD_FOLDER, 'media');
  const kept = new Set<string>();
  let count = 0;
  for (const { file, path, image } of media) {
    const source = join(root, file);
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await copyFile(source, join(folder, path));
    count += 1;
    for (const variant of image?.variants ?? []) {
      const name = basename(variant.path);
      const copy = join(cache, name);
      if (!existsSync(copy)) await resize(source, copy, variant.width);
      await copyFile(copy, join(folder, variant.path));
      kept.add(name);
      count += 1;
    }
  }
  for (const name of await readdir(cache).catch(() => [])) if (!kept.has(name)) await rm(join(cache, name));
  return count;
}

async function resize(source: string, target: string, width: number): Promise<void> {
  await mkdir(dirname(target), { recursive: true });
  // Loaded late, and only where it is installed: it is native code.
  const { default: sharp } = await import('sharp');
  const quality = /\.jpe?g$/i.test(source) ? PHOTO_QUALITY : DRAWING_QUALITY;
  await sharp(source).rotate().resize({ width, withoutEnlargement: true }).webp({ quality }).toFile(target);
}
