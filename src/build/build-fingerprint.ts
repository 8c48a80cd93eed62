import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Everything that the outcome of a build depends on, besides its settings. */
const INPUTS = ['content', 'src', 'functions', 'public', 'astro.config.mjs', 'package-lock.json', 'wrangler.toml', 'CHANGELOG.md'];

/** Digest over all inputs of a build and its settings: the same fingerprint means that nothing needs to be built again. */
export async function buildFingerprint(root: string, settings: Readonly<Record<string, string | undefined>>): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(settings));
  for (const input of INPUTS) {
    const entries = await readdir(join(root, input), { recursive: true, withFileTypes: true }).catch(() => undefined);
    const files = entries
      ? entries
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .sort()
      : [join(root, input)];
    for (const file of files) hash.update(file.slice(root.length)).update(await readFile(file).catch(() => ''));
  }
  return hash.digest('hex');
}
