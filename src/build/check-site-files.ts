import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** What Cloudflare Pages takes (developers.cloudflare.com/pages/platform/limits): files of one deployment on the free plan, bytes of one file. */
export const PAGES_LIMITS = { files: 20_000, fileBytes: 25 * 1024 * 1024 } as const;

/** Says what of a built site the host would not take, and what to do; nothing if it takes all of it. */
export async function siteFileProblem(
  folder: string,
  limits: { readonly files: number; readonly fileBytes: number } = PAGES_LIMITS,
): Promise<string | undefined> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const named = (path: string): string => path.slice(folder.length);
  const blocks = files.filter((file) => named(file).startsWith('/_blocks/')).length;
  if (files.length > limits.files)
    return `the site has ${files.length} files, ${blocks} of them blocks of the corpus, and Pages takes ${limits.files} on the free plan${blocks > 0 ? '; with "storage: kv" in content/publisher.yaml the blocks are no files' : ''}`;
  for (const file of files) {
    const { size } = await stat(file);
    if (size > limits.fileBytes)
      return `${named(file)} has ${size} bytes, and Pages takes files of at most ${limits.fileBytes}; divide the longest capsules into several`;
  }
  return undefined;
}
