import { rm } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Removes a folder of a publication that makes wrangler read another configuration than wrangler.toml. Astro's adapter writes it, for
 * Workers, so it is removed after a compilation, and before wrangler runs, because a compilation may have been killed.
 */
export async function removeDeployRedirect(root: string): Promise<void> {
  await rm(join(root, '.wrangler/deploy'), { recursive: true, force: true });
}
