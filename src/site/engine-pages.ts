import { site } from 'virtual:site';
import { pages } from 'virtual:strings';
import { type EnginePages, enginePages } from '../documents/page-registry.ts';

/** The pages of the engine except guides, with titles in the language of the interface. */
export const PAGES: EnginePages = new Proxy({} as EnginePages, {
  get: (_target, name) => Reflect.get(enginePages(pages, site.features), name),
});
