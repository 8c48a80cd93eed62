import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { THEME_FILE } from '../publication/appearance/check-theme.ts';
import type { Look } from '../schemas/publisher.ts';
import type { VitePlugin } from './component-overrides.ts';
import { lookCss } from './look-css.ts';

/** Vite treats ids with this ending as style sheets, but not if they begin with `\0`. */
const LOOK_ID = '/@akg/look.css';
const NO_THEME_ID = '/@akg/no-theme.css';

/** Provides `virtual:look.css`, the colours and fonts of publisher.yaml, and `virtual:theme.css`, the publication's theme.css if it has one. */
export function themePlugin(root: string, readLook: () => Look): VitePlugin {
  const file = join(root, THEME_FILE);
  const ids = (): Readonly<Record<string, string>> => ({
    'virtual:look.css': LOOK_ID,
    'virtual:theme.css': existsSync(file) ? file : NO_THEME_ID,
  });
  return {
    name: 'theme',
    enforce: 'pre',
    resolveId: (id: string) => ids()[id],
    load(id: string) {
      if (id === LOOK_ID) return lookCss(readLook());
      return id === NO_THEME_ID ? '' : undefined;
    },
    configureServer(server) {
      server.watcher.add(file);
      server.watcher.on('all', (event, changed) => {
        if ((event !== 'add' && event !== 'unlink') || changed !== file) return;
        for (const environment of Object.values(server.environments)) environment.moduleGraph.invalidateAll();
        server.ws.send({ type: 'full-reload' });
      });
    },
  };
}
