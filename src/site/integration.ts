import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import cloudflare from '@astrojs/cloudflare';
import type { AstroConfig, AstroIntegration } from 'astro';
import type { PageProps } from '../http/on-demand-pages.ts';
import type { Look } from '../schemas/appearance.ts';
import { PATHS } from '../schemas/paths.ts';
import { type ConfiguredComponents, overridePlugin, type VitePlugin } from './component-overrides.ts';
import { readSiteContent, type SiteContent } from './site-content.ts';
import { themePlugin } from './theme-plugin.ts';

/** Pages that functions render: files in `on-demand/`. */
const ON_DEMAND_PAGES = ['order', 'session', 'cart', 'invoice', 'error'] as const satisfies readonly (keyof PageProps)[];

/** Folder of the server output, relative to the project; functions import it as `#pages`. */
export const SERVER_FOLDER = '.akg/server';

const PLUGIN_NAME = 'site-content';

/** Names by which Astro finds its configuration. */
const ASTRO_CONFIG_FILES = ['mjs', 'js', 'ts', 'mts', 'cjs', 'cts'].map((ending) => `astro.config.${ending}`);

const RUNNING_BUILD = Symbol.for('agent-knowledge-gateway.running-build');

/** The `api` of our Vite plugin, through which the Astro build reads the content. */
interface ContentApi {
  readonly content: () => Promise<SiteContent>;
}

/** What astro.config.mjs may set. */
export interface SiteOptions {
  /** Files that replace components of the engine, by name; added to those in `components/`. */
  readonly components?: ConfiguredComponents;
}

/** What one build publishes, and where: `buildSite` provides it to the integration of the publication's configuration. */
export interface SiteBuildInput {
  readonly content: SiteContent;
  /** Folder of the site. */
  readonly outputFolder: string;
}

/** The build that is running. A global, because Astro may load the configuration, and with it this module, a second time. */
const running = globalThis as { [RUNNING_BUILD]?: SiteBuildInput };

/**
 * Runs Astro's build of the publication at `root`, with its `astro.config.mjs` if it has one: files into the output folder, pages on demand
 * into `.akg/server`. One build runs at a time.
 */
export async function buildPages(root: string, input: SiteBuildInput): Promise<void> {
  process.env['ASTRO_TELEMETRY_DISABLED'] = '1';
  // Loaded late: Astro is large, and most mistakes are found before.
  const { build } = await import('astro');
  const hasConfig = ASTRO_CONFIG_FILES.some((name) => existsSync(join(root, name)));
  running[RUNNING_BUILD] = input;
  try {
    await build({ root, logLevel: 'error', ...(hasConfig ? {} : { configFile: false, integrations: [agentKnowledgeGateway()] }) });
  } finally {
    delete running[RUNNING_BUILD];
  }
}

type ConfigSetup = Parameters<NonNullable<AstroIntegration['hooks']['astro:config:setup']>>[0];

/** Settings of Astro for a publication; the integration adds them to those of its `astro.config.mjs`. */
function engineConfig(root: URL, outputFolder: string): Parameters<ConfigSetup['updateConfig']>[0] {
  const outDir = pathToFileURL(`${outputFolder}/`);
  const adapter = cloudflare({ prerenderEnvironment: 'node', imageService: 'passthrough' });
  return {
    srcDir: new URL('.', import.meta.url),
    outDir,
    output: 'static',
    trailingSlash: 'never',
    session: false,
    build: { format: 'file', client: outDir, server: new URL(`${SERVER_FOLDER}/`, root), inlineStylesheets: 'never' },
    // An adapter that an integration sets must also be among the integrations, or its hooks do not run.
    adapter,
    integrations: [adapter],
    vite: { build: { assetsInlineLimit: 0 }, server: { proxy: { '/api': 'http://127.0.0.1:8788' } } },
  };
}

/** The content that Astro's configuration was made with. */
export function contentOf({ vite }: Pick<AstroConfig, 'vite'>): Promise<SiteContent> {
  const plugins = (vite.plugins ?? []).flat() as { readonly name?: string; readonly api?: ContentApi }[];
  const api = plugins.find((plugin) => plugin?.name === PLUGIN_NAME)?.api;
  if (api === undefined) throw new Error('astro.config.mjs has no integration agentKnowledgeGateway()');
  return api.content();
}

/**
 * The engine as an integration of Astro, for the `astro.config.mjs` of a publication. It brings the pages and their settings; the content
 * is that of the running build, or else read from the publication, again after each change.
 */
export function agentKnowledgeGateway({ components }: SiteOptions = {}): AstroIntegration {
  const build = running[RUNNING_BUILD];
  let current: Promise<SiteContent> | undefined;
  let root = new URL('.', import.meta.url);
  const content = (): Promise<SiteContent> => {
    current ??= build === undefined ? readSiteContent(fileURLToPath(root)) : Promise.resolve(build.content);
    return current;
  };
  return {
    name: 'agent-knowledge-gateway',
    hooks: {
      'astro:config:setup': async ({ command, config, injectRoute, updateConfig }) => {
        root = config.root;
        const { site } = await content();
        const inject = (pattern: string, file: string, prerender: boolean): void =>
          injectRoute({ pattern, entrypoint: new URL(file, import.meta.url), prerender });
        if (site.mode === 'edge') for (const name of ON_DEMAND_PAGES) inject(`/on-demand/${name}`, `./on-demand/${name}.astro`, false);
        if (site.mode === 'static' || command === 'dev')
          for (const path of [PATHS.invoice, PATHS.buyInvoice]) inject(path, './frontend-only/invoice.astro', true);
        updateConfig(engineConfig(root, build?.outputFolder ?? fileURLToPath(new URL('dist', root))));
        const folder = fileURLToPath(root);
        const look = async (): Promise<Look> => (await content()).site.publisher.look;
        updateConfig({ vite: { plugins: [virtualModules(content), overridePlugin(folder, components), themePlugin(folder, look)] } });
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

/**
 * Modules that Node imports as they are while pages are made. In a bundle, what renders texts would bring every grammar and drawing library
 * that a text may need. Pages on demand must not import them.
 */
const NATIVE_MODULES: Readonly<Record<string, string>> = {
  'virtual:render-markdown': './markdown/render-markdown',
  'virtual:published-text': './markdown/published-text',
};

/** The modules of env.d.ts, and {@link ContentApi}. */
function virtualModules(content: () => Promise<SiteContent>): VitePlugin & { readonly api: ContentApi } {
  const modules: Readonly<Record<string, (content: SiteContent) => readonly [name: string, value: unknown]>> = {
    'virtual:site': ({ site }) => ['site', site],
    'virtual:openapi': ({ openApi }) => ['openApi', openApi],
  };
  return {
    name: PLUGIN_NAME,
    api: { content },
    // Drops unused schemas from the server output.
    configEnvironment: (name: string, _config: unknown, { command }: { readonly command: string }) =>
      name === 'ssr' && command === 'build'
        ? { resolve: { noExternal: true }, build: { minify: true, rolldownOptions: { treeshake: { manualPureFunctions: ['z'] } } } }
        : undefined,
    resolveId: (id: string) => {
      const native = NATIVE_MODULES[id];
      if (native !== undefined)
        return { id: new URL(native + extname(import.meta.url), import.meta.url).href, external: 'absolute' as const };
      return Object.hasOwn(modules, id) ? `\0${id}` : undefined;
    },
    async load(id: string) {
      const select = id.startsWith('\0') ? modules[id.slice(1)] : undefined;
      if (select === undefined) return undefined;
      const [name, value] = select(await content());
      return `export const ${name} = ${value === undefined ? 'undefined' : JSON.stringify(value)};`;
    },
  };
}
