import { rm } from 'node:fs/promises';
import cloudflare from '@astrojs/cloudflare';
import { defineConfig } from 'astro/config';

const isStatic = process.env.AKG_MODE === 'static';
const outDir = isStatic ? './dist-static' : './dist';

/** Removes what the adapter leaves for Workers: on Pages `wrangler.json` would be public and `wrangler.toml` ignored. */
const removeWorkerLeftovers = {
  name: 'remove-worker-leftovers',
  hooks: {
    'astro:build:done': async ({ dir }) => {
      const leftovers = [new URL('wrangler.json', dir), new URL('.assetsignore', dir), new URL('.wrangler/deploy/', import.meta.url)];
      await Promise.all(leftovers.map((url) => rm(url, { recursive: true, force: true })));
    },
  },
};

export default defineConfig({
  srcDir: './src/site',
  outDir,
  output: 'static',
  trailingSlash: 'never',
  session: false,
  build: { format: 'file', client: './', server: '../.astro/server/', inlineStylesheets: 'never' },
  adapter: cloudflare({ prerenderEnvironment: 'node', imageService: 'passthrough' }),
  integrations: [removeWorkerLeftovers],
  devToolbar: { enabled: false },
  vite: { build: { assetsInlineLimit: 0 }, server: { proxy: { '/api': 'http://127.0.0.1:8788' } } },
});
