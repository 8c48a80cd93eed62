/** The modules `virtual:site`, `virtual:overview`, `virtual:brand` and `virtual:openapi`: pages read their values when they are rendered. */
import type { ApiDocument } from './api/api-document.ts';
import type { Brand } from './brand/read-brand.ts';
import type { CorpusOverview } from './corpus-overview.ts';
import { shownSite } from './shown-site.ts';
import type { Site } from './site-content.ts';

export const site: Site = readLate(() => shownSite().site);
export const overview: CorpusOverview = readLate(() => shownSite().overview);
export const brand: Brand = readLate(() => shownSite().brand);

/** Description of the API; `undefined` without one. */
export function openApi(): ApiDocument | undefined {
  return shownSite().openApi;
}

/** An object whose members are read from another one at each access. */
function readLate<T extends object>(read: () => T | undefined): T {
  return new Proxy({} as T, { get: (_target, name) => Reflect.get(read() ?? {}, name) });
}
