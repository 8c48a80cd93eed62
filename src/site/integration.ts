import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import cloudflare from '@astrojs/cloudflare';
import type { AstroConfig, AstroIntegration, AstroUserConfig } from 'astro';
import type { PageProps } from '../http/on-demand-pages.ts';
import { PATHS } from '../schemas/paths.ts';
import type { SiteContent } from './site-content.ts';

/** Pages that functions render: files in `on-demand/`. */
const ON_DEMAND_PAGES = ['order', 'session', 'cart', 'invoice', 'error'] as const satisfies readonly (keyof PageProps)[];

/** Folder of the server output, relative to the project; functions import it as `#pages`. */
export const SERVER_FOLDER = '.akg/server';

const PLUGIN_NAME = 'site-content';

/** The `api` of our Vite plugin, through which the Astro build reads the content. */
interface ContentApi {
  readonly content: () => Promise<SiteContent>;
}

type VitePlugin = Exclude<
  NonNullable<NonNullable<AstroUserConfig['vite']>['plugins']>[number],
  false | null | undefined | unknown[] | Promise<unknown>
>;

/**
 * The configuration of Astro for a publication.
 *
 * @param read Reads the content; `astro dev` calls it again after a change below `content/`.
 * @param outDir Folder of the site, relative to the project.
 */
export function siteConfig(read: () => Promise<SiteContent>, outDir: string): AstroUserConfig {
  return {
    srcDir: fileURLToPath(new URL('.', import.meta.url)),
    outDir,
    output: 'static',
    trailingSlash: 'never',
    session: false,
    build: { format: 'file', client: './', server: `../${SERVER_FOLDER}/`, inlineStylesheets: 'never' },
    adapter: cloudflare({ prerenderEnvironment: 'node', imageService: 'passthrough' }),
    integrations: [siteIntegration(read)],
    devToolbar: { enabled: false },
    vite: { build: { assetsInlineLimit: 0 }, server: { proxy: { '/api': 'http://127.0.0.1:8788' } } },
  };
}

/** The content that Astro's configuration was made with. */
export function contentOf({ vite }: Pick<AstroConfig, 'vite'>): Promise<SiteContent> {
  const plugins = (vite.plugins ?? []).flat() as { readonly name?: string; readonly api?: ContentApi }[];
  const api = plugins.find((plugin) => plugin?.name === PLUGIN_NAME)?.api;
  if (api === undefined) throw new Error('The configuration of Astro has no content. Make it with siteConfig.');
  return api.content();
}

function siteIntegration(read: () => Promise<SiteContent>): AstroIntegration {
  let current: Promise<SiteContent> | undefined;
  let root = new URL('.', import.meta.url);
  const content = (): Promise<SiteContent> => {
    current ??= read();
    return current;
  };
  return {
    name: 'agent-knowledge-gateway',
    hooks: {
      'astro:config:setup': async ({ command, injectRoute, updateConfig }) => {
        const { site } = await content();
        const inject = (pattern: string, file: string, prerender: boolean): void =>
          injectRoute({ pattern, entrypoint: new URL(file, import.meta.url), prerender });
        if (site.mode === 'edge') for (const name of ON_DEMAND_PAGES) inject(`/on-demand/${name}`, `./on-demand/${name}.astro`, false);
        if (site.mode === 'static' || command === 'dev')
          for (const path of [PATHS.invoice, PATHS.buyInvoice]) inject(path, './frontend-only/invoice.astro', true);
        updateConfig({ vite: { plugins: [virtualModules(content)] } });
      },
      'astro:config:done': ({ config }) => {
        root = config.root;
      },
      'astro:build:done': async ({ dir }) => {
        await removeWorkerLeftovers(dir, root);
        await removeBuildPath(new URL(`${SERVER_FOLDER}/`, root), root);
      },
      'astro:server:setup': ({ server, refreshContent, logger }) => {
        server.watcher.add('content').on('all', (_event, path) => {
          if (!/(^|[\\/])content[\\/]/.test(path)) return;
          current = undefined;
          server.moduleGraph.invalidateAll();
          refreshContent?.({ loaders: [PLUGIN_NAME] }).then(
            () => server.hot.send({ type: 'full-reload' }),
            (error: unknown) => logger.error(error instanceof Error ? error.message : String(error)),
          );
        });
      },
    },
  };
}

/** Removes files of the adapter for Workers: Pages would publish `wrangler.json` and ignore `wrangler.toml`. */
async function removeWorkerLeftovers(site: URL, root: URL): Promise<void> {
  const leftovers = [new URL('wrangler.json', site), new URL('.assetsignore', site), new URL('.wrangler/deploy/', root)];
  await Promise.all(leftovers.map((url) => rm(url, { recursive: true, force: true })));
}

/** Removes the path of the project, by which modules name their sources: a build must not depend on where it runs. */
async function removeBuildPath(folder: URL, root: URL): Promise<void> {
  if (!existsSync(folder)) return;
  for (const name of await readdir(folder, { recursive: true })) {
    const file = new URL(name, folder);
    if (name.endsWith('.mjs')) await writeFile(file, (await readFile(file, 'utf8')).replaceAll(fileURLToPath(root), '/'));
    else if (/\.(map|json)$/.test(name)) await rm(file);
  }
}

/** The modules of env.d.ts, and {@link ContentApi}. */
function virtualModules(content: () => Promise<SiteContent>): VitePlugin & { readonly api: ContentApi } {
  const modules: Readonly<Record<string, (content: SiteContent) => object>> = {
    'virtual:site': ({ site }) => ({ site }),
    'virtual:openapi': ({ openApi }) => ({ openApi }),
    // Each section is an export, so that a bundle contains only the sections that it uses.
    'virtual:strings': ({ interfaceLanguage: { tag, strings } }) => ({ language: tag, ...strings }),
  };
  return {
    name: PLUGIN_NAME,
    api: { content },
    // Drops unused schemas from the server output.
    configEnvironment: (name: string, _config: unknown, { command }: { readonly command: string }) =>
      name === 'ssr' && command === 'build'
        ? { resolve: { noExternal: true }, build: { minify: true, rolldownOptions: { treeshake: { manualPureFunctions: ['z'] } } } }
        : undefined,
    resolveId: (id: string) => (Object.hasOwn(modules, id) ? `\0${id}` : undefined),
    async load(id: string) {
      const select = id.startsWith('\0') ? modules[id.slice(1)] : undefined;
      if (select === undefined) return undefined;
      return Object.entries(select(await content()))
        .map(([name, value]) => `export const ${name} = ${value === undefined ? 'undefined' : JSON.stringify(value)};`)
        .join('\n');
    },
  };
}
