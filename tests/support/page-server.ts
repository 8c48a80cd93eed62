import { join } from 'node:path';
import { engineModules, PAGE_SERVER_FILE } from '../../src/build/functions-worker.ts';
import type { RenderPage } from '../../src/http/on-demand-page-props.ts';
import { PUBLICATION } from './paths.ts';
import { bundleWorker, startWorkerd } from './workerd.ts';

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
  const modules = await bundleWorker({ stdin: { contents: ENTRY, resolveDir: SERVER }, plugins: [engineModules()] });
  const miniflare = startWorkerd([{ name: 'pages', modules }]);
  return {
    renderPage: async (page, props) => {
      const response = await miniflare.dispatchFetch('http://pages.invalid/', { method: 'POST', body: JSON.stringify({ page, props }) });
      if (response.status !== 200) throw new Error(`The page "${page}" was answered with ${response.status}: ${await response.text()}`);
      return response.text();
    },
    stop: () => miniflare.dispose(),
  };
}
