import type { Publisher } from '../../schemas/publisher.ts';
import type { VitePlugin } from '../component-overrides.ts';
import { type BrandFiles, readBrand } from './read-brand.ts';

const MODULE = 'virtual:brand';

/** Media types of the files that the engine makes. */
const MEDIA_TYPES: Readonly<Record<string, string>> = { svg: 'image/svg+xml', png: 'image/png', ico: 'image/x-icon' };

/** Provides `virtual:brand` to the development server, which serves the files that the engine makes for it. */
export function brandPlugin(root: string, readPublisher: () => Publisher): VitePlugin {
  let last: { readonly settings: string; readonly made: Promise<BrandFiles> } | undefined;
  const brand = async (): Promise<BrandFiles> => {
    const publisher = readPublisher();
    const settings = JSON.stringify([publisher.name, publisher.base_url, publisher.look]);
    if (last?.settings !== settings) last = { settings, made: readBrand(root, publisher) };
    return last.made;
  };
  return {
    name: 'brand',
    resolveId: (id: string) => (id === MODULE ? `\0${MODULE}` : undefined),
    load: async (id: string) => (id === `\0${MODULE}` ? `export const brand = ${JSON.stringify((await brand()).brand)};` : undefined),
    configureServer(server) {
      server.middlewares.use((request, response, next) => {
        const path = (request.url ?? '').replace(/\?.*$/, '');
        const type = MEDIA_TYPES[path.slice(path.lastIndexOf('.') + 1)];
        if (type === undefined) return next();
        brand().then(({ files }) => {
          const file = files.get(path);
          if (file === undefined) return next();
          response.setHeader('Content-Type', type);
          return response.end(file);
        }, next);
      });
    },
  };
}
