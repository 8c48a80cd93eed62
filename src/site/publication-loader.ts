import type { Loader } from 'astro/loaders';
import type { PageContent } from '../publication/publication.ts';
import { forgetPublication, publication } from './publication.ts';

interface Entry {
  readonly id: string;
}

/**
 * Astro loader for one list of the publication. While `astro dev` runs, a change below `content/` loads it again.
 *
 * @param pick The list, taken from the publication.
 */
export function fromPublication(pick: (publication: PageContent) => readonly Entry[]): Loader {
  return {
    name: 'publication',
    load: async ({ store, watcher, logger, generateDigest }) => {
      const fill = async (): Promise<void> => {
        const entries = pick(await publication());
        store.clear();
        for (const entry of entries) {
          const data: Record<string, unknown> = { ...entry };
          store.set({ id: entry.id, data, digest: generateDigest(data) });
        }
      };
      await fill();
      watcher?.on('all', (_event, path) => {
        if (!/[\\/]content[\\/]/.test(path)) return;
        forgetPublication();
        fill().catch((error: unknown) => logger.error(error instanceof Error ? error.message : String(error)));
      });
    },
  };
}
