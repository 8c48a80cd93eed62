import type { ContentProblem } from '../../publication/content-problem.ts';
import { readOverrides } from '../../site/component-overrides.ts';

/**
 * Mistakes in the names of files in `components/`, each of which replaces a component of the engine. Files that `astro.config.mjs` names
 * are checked by the build alone, because only Astro reads that file.
 */
export async function checkComponents(root: string): Promise<readonly ContentProblem[]> {
  return (await readOverrides(root)).problems;
}
