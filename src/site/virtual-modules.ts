import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ENGLISH, InterfaceLanguage } from '../publication/strings/interface-strings.ts';
import type { VitePlugin } from './component-overrides.ts';
import type { LiveSite } from './dev/live-site.ts';
import { searchStrings } from './search/search-strings.ts';
import { verifyStrings } from './verify-strings.ts';

/**
 * Modules that Node imports as they are while pages are made. In a bundle, what renders texts would bring every grammar and drawing library
 * that a text may need. Pages on demand must not import them.
 */
const NATIVE_MODULES: Readonly<Record<string, string>> = {
  'virtual:render-article': './markdown/render-article',
  'virtual:render-markdown': './markdown/render-markdown',
  'virtual:text-labels': './markdown/text-labels',
  'virtual:published-text': './markdown/published-text',
};

/** Modules whose values pages read when they are rendered, so that none is compiled into them: all are `shown-values.ts`. */
const OPEN_API = 'virtual:openapi';
const SHOWN_VALUES = ['virtual:site', 'virtual:overview', 'virtual:brand', OPEN_API];

/** The modules of env.d.ts. In the development server a plugin of its own provides logo and icons, and only pages about the API wait for its description. */
export function virtualModules(language: () => InterfaceLanguage, live: LiveSite | undefined): VitePlugin {
  const modules: Readonly<Record<string, (language: InterfaceLanguage) => object>> = {
    // For scripts, a module each: what two of them import becomes a file that both load.
    'virtual:copy-strings': ({ strings }) => ({ copy: strings.frame.copy, copied: strings.frame.copied }),
    'virtual:search-strings': ({ tag, strings }) => ({ language: tag, ...searchStrings(strings.search as typeof ENGLISH.search) }),
    'virtual:verify-strings': ({ strings }) => verifyStrings(strings.verification as typeof ENGLISH.verification),
    // Each section is an export, so that a bundle contains only the sections that it uses.
    'virtual:strings': ({ tag, strings }) => ({ language: tag, ...strings }),
  };
  const liveModules = live === undefined ? [] : ['virtual:brand', OPEN_API];
  return {
    name: 'virtual-modules',
    resolveId: (id: string) => {
      const native = NATIVE_MODULES[id];
      if (native !== undefined) return { id: engineFile(native).href, external: 'absolute' as const };
      if (SHOWN_VALUES.includes(id) && !liveModules.includes(id)) return fileURLToPath(engineFile('./shown-values'));
      return Object.hasOwn(modules, id) || (live !== undefined && id === OPEN_API) ? `\0${id}` : undefined;
    },
    async load(id: string) {
      const name = id.startsWith('\0') ? id.slice(1) : '';
      if (live !== undefined && name === OPEN_API)
        return `const document = ${JSON.stringify(await live.openApi())};\nexport const openApi = () => document;`;
      const select = modules[name];
      if (select === undefined) return undefined;
      return Object.entries(select(language()))
        .map(([member, value]) => `export const ${member} = ${JSON.stringify(value)};`)
        .join('\n');
    },
  };
}

/** A file of this folder, as TypeScript or compiled. */
function engineFile(path: string): URL {
  return new URL(path + extname(import.meta.url), import.meta.url);
}
