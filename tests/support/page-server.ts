import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Miniflare } from 'miniflare';
import { PAGE_SERVER_FILE } from '../../src/build/functions-worker.ts';
import type { RenderPage } from '../../src/http/page-props.ts';
import { PUBLICATION } from './paths.ts';

const SERVER = join(PUBLICATION, '.akg/server');

/** Renders the page that a request names, with its props, as `src/http/render-response.ts` does. */
const ENTRY = `import server from './${PAGE_SERVER_FILE}';
import { shown } from './generated.mjs';
export default {
  fetch: async (request, env) => {
    const { page, props } = await request.json();
    return server.fetch(new Request('https://pages.invalid/on-demand/' + page), env, { props: { ...shown, props }, waitUntil: () => undefined });
  },
};`;

/** Astro's server output in workerd. */
export async function startPageServer(): Promise<{ renderPage: RenderPage; stop: () => Promise<void> }> {
  const names = (await readdir(SERVER, { recursive: true })).filter((name) => name.endsWith('.mjs'));
  const files = await Promise.all(names.map(async (name) => [name, { type: 'esm', contents: await readFile(join(SERVER, name), 'utf8') }]));
  const generated = await readFile(join(SERVER, '../generated.js'), 'utf8');
  const miniflare = new Miniflare({
    cf: false,
    workers: [
      {
        config: {
          name: 'pages',
          compatibilityDate: '2026-10-01',
          manifest: {
            mainModule: 'render.mjs',
            modulesRoot: '/',
            modules: {
              'render.mjs': { type: 'esm', contents: ENTRY },
              'generated.mjs': { type: 'esm', contents: generated },
              ...Object.fromEntries(files),
            },
          },
        },
      },
    ],
  } as unknown as ConstructorParameters<typeof Miniflare>[0]);
  return {
    renderPage: async (page, props) => {
      const response = await miniflare.dispatchFetch('http://pages.invalid/', { method: 'POST', body: JSON.stringify({ page, props }) });
      if (response.status !== 200) throw new Error(`The page "${page}" was answered with ${response.status}: ${await response.text()}`);
      return response.text();
    },
    stop: () => miniflare.dispose(),
  };
}
