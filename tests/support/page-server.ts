import { join } from 'node:path';
import { build } from 'esbuild';
import { Miniflare } from 'miniflare';
import { engineModules, PAGE_SERVER_FILE } from '../../src/build/functions-worker.ts';
import type { RenderPage } from '../../src/http/on-demand-page-props.ts';
import { PUBLICATION } from './paths.ts';

const SERVER = join(PUBLICATION, '.akg/server');

/** Renders the page that a request names, with its props, as `src/http/render-response.ts` does. */
const ENTRY = `import server from './${PAGE_SERVER_FILE}';
import { shown } from '../generated.js';
export default {
  fetch: async (request, env) => {
    const { page, props } = await request.json();
    return server.fetch(new Request('https://pages.invalid/on-demand/' + page), env, { props: { ...shown, props }, waitUntil: () => undefined });
  },
};`;

export async function startPageServer(): Promise<{ renderPage: RenderPage; stop: () => Promise<void> }> {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: SERVER },
    write: false,
    bundle: true,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['cloudflare:*', 'node:*'],
    plugins: [engineModules()],
  });
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
            modules: { 'render.mjs': { type: 'esm', contents: outputFiles[0]?.text } },
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
