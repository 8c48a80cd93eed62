import { existsSync } from 'node:fs';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import cloudflare from '@astrojs/cloudflare';
import type { AstroConfig, AstroInlineConfig, AstroIntegration } from 'astro';
import type { PageProps } from '../http/on-demand-pages.ts';
import type { ENGLISH } from '../publication/strings/interface-strings.ts';
import type { Look } from '../schemas/appearance.ts';
import { PATHS } from '../schemas/paths.ts';
import { brandPlugin } from './brand/brand-plugin.ts';
import { componentError } from './component-error.ts';
import { COMPONENTS, type ConfiguredComponents, overridePlugin, type VitePlugin } from './component-overrides.ts';
import { type LiveSite, liveSite, PREVIEW_PATH } from './live-site.ts';
import { readSiteContent, type SiteContent } from './site-content.ts';
import { themePlugin } from './theme-plugin.ts';
import { verifyStrings } from './verify-strings.ts';

/** Pages that functions render: files in `on-demand/`. */
const ON_DEMAND_PAGES = ['order', 'session', 'cart', 'invoice', 'error'] as const satisfies readonly (keyof PageProps)[];

/** The pages that functions render as well where the pages of capsules are no files. */
const CAPSULE_PAGES = ['capsule', 'capsules', 'subjects'] as const satisfies readonly (keyof PageProps)[];

/** Folder of the pages on demand, relative to the output of a build; the function of the publication imports it. */
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
  /** Folder of the pages on demand. */
  readonly serverFolder: string;
}

/** The build that is running. A global, because Astro may load the configuration, and with it this module, a second time. */
const running = globalThis as { [RUNNING_BUILD]?: SiteBuildInput };

/**
 * Runs Astro's build of the publication at `root`, with its `astro.config.mjs` if it has one: files into the output folder, pages on demand
 * into the server folder. One build runs at a time.
 */
export async function buildPages(root: string, input: SiteBuildInput): Promise<void> {
  process.env['ASTRO_TELEMETRY_DISABLED'] = '1';
  // Loaded late: Astro is large, and most mistakes are found before.
  const { build } = await import('astro');
  running[RUNNING_BUILD] = input;
  try {
    // Errors are thrown too, and reported once.
    await build({ ...astroConfig(root), logLevel: 'silent' });
  } catch (error) {
    throw componentError(root, error) ?? error;
  } finally {
    delete running[RUNNING_BUILD];
  }
}

/** Astro's configuration of a publication: its `astro.config.mjs` if it has one, or else the integration alone. */
function astroConfig(root: string): AstroInlineConfig {
  const hasConfig = ASTRO_CONFIG_FILES.some((name) => existsSync(join(root, name)));
  return { root, ...(hasConfig ? {} : { configFile: false, integrations: [agentKnowledgeGateway()] }) };
}

/** A development server of Astro. */
export interface DevPages {
  readonly stop: () => Promise<void>;
}

/** Opens Astro's development server of the publication at `root`, for the live site of this process, at a port of this machine. */
export async function openDevPages(root: string, port: number): Promise<DevPages> {
  process.env['ASTRO_TELEMETRY_DISABLED'] = '1';
  process.env['ASTRO_DISABLE_UPDATE_CHECK'] = 'true';
  // Whatever the shell has set: with "test" or "production" Astro hears of no change (astro/dist/core/create-vite.js, `hmr`).
  process.env['NODE_ENV'] = 'development';
  const { dev } = await import('astro');
  return dev({ ...astroConfig(root), logLevel: 'error', server: { port, host: '127.0.0.1' } });
}

type ConfigSetup = Parameters<NonNullable<AstroIntegration['hooks']['astro:config:setup']>>[0];

/** Settings of Astro for a publication; the integration adds them to those of its `astro.config.mjs`. */
function engineConfig(root: URL, output: URL, server: URL, live: LiveSite | undefined): Parameters<ConfigSetup['updateConfig']>[0] {
  // The development server of the engine renders every page in its own process, which needs no adapter.
  const adapter = live === undefined ? cloudflare({ prerenderEnvironment: 'node', imageService: 'passthrough' }) : undefined;
  return {
    srcDir: new URL('.', import.meta.url),
    outDir: output,
    output: 'static',
    trailingSlash: 'never',
    session: false,
    build: { format: 'file', client: output, server, inlineStylesheets: 'never' },
    // An adapter that an integration sets must also be among the integrations, or its hooks do not run.
    ...(adapter === undefined ? {} : { adapter, integrations: [adapter] }),
    devToolbar: { enabled: false },
    vite: { build: { assetsInlineLimit: 0 }, ...(live === undefined ? {} : { server: liveServer(root) }) },
  };
}

/** Folders below a publication that Vite need not watch: our own watch reports the content, and the others are written by programs. */
const UNWATCHED = ['content', 'dist', 'dist-static', '.akg', '.astro', '.wrangler'];

/** Settings of Vite's server. Scripts and styles of pages come from the publication and from the engine. */
function liveServer(root: URL) {
  return {
    strictPort: true,
    watch: { ignored: UNWATCHED.map((folder) => `${fileURLToPath(new URL(folder, root))}/**`) },
    fs: { allow: [root, new URL('../..', import.meta.url)].map((folder) => fileURLToPath(folder)) },
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
  const live = liveSite();
  let current: Promise<SiteContent> | undefined;
  let root = new URL('.', import.meta.url);
  let brand: ReturnType<typeof brandPlugin> | undefined;
  const content = (): Promise<SiteContent> => {
    if (live !== undefined) return Promise.resolve(live.current());
    current ??= build === undefined ? readSiteContent(fileURLToPath(root)) : Promise.resolve(build.content);
    return current;
  };
  const serverFolder = (): URL => (build === undefined ? new URL(`${SERVER_FOLDER}/`, root) : folderUrl(build.serverFolder));
  const integration: AstroIntegration = {
    name: 'agent-knowledge-gateway',
    hooks: {
      'astro:config:setup': async ({ command, config, injectRoute, injectScript, updateConfig }) => {
        root = config.root;
        const { site } = await content();
        const inject = (pattern: string, file: string, prerender: boolean): void =>
          injectRoute({ pattern, entrypoint: new URL(file, import.meta.url), prerender });
        const onDemand = [...ON_DEMAND_PAGES, ...(site.capsulePages === 'edge' ? CAPSULE_PAGES : [])];
        if (site.mode === 'edge') for (const name of onDemand) inject(`/on-demand/${name}`, `./on-demand/${name}.astro`, false);
        if (site.mode === 'static' || command === 'dev')
          for (const path of [PATHS.invoice, PATHS.buyInvoice]) inject(path, './frontend-only/invoice.astro', true);
        if (live !== undefined) {
          inject(PREVIEW_PATH, './dev/PreviewList.astro', false);
          inject(`${PREVIEW_PATH}/[...text]`, './dev/PreviewText.astro', false);
          injectScript(
            'page',
            `import ${JSON.stringify(fileURLToPath(new URL(`./dev/dev-client${extname(import.meta.url)}`, import.meta.url)))};`,
          );
        }
        updateConfig(
          engineConfig(root, build === undefined ? new URL('dist/', root) : folderUrl(build.outputFolder), serverFolder(), live),
        );
        const folder = fileURLToPath(root);
        brand = brandPlugin(folder, async () => (await content()).site.publisher);
        const look = async (): Promise<Look> => (await content()).site.publisher.look;
        updateConfig({
          vite: { plugins: [virtualModules(content, live), brand.plugin, overridePlugin(folder, components), themePlugin(folder, look)] },
        });
      },
      'astro:build:done': async ({ dir }) => {
        await brand?.write(dir);
        await removeWorkerLeftovers(dir, root);
        await removeKeepFiles(dir, root);
        await removeBuildPath(serverFolder(), root);
      },
      'astro:server:setup': ({ server, refreshContent, logger }) => {
        if (live !== undefined) return connectLive(live, server);
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
  return Object.assign(integration, { [COMPONENTS]: components ?? {} });
}

function folderUrl(folder: string): URL {
  return pathToFileURL(`${folder}/`);
}

type ViteServer = Parameters<NonNullable<AstroIntegration['hooks']['astro:server:setup']>>[0]['server'];

/** Puts a live site before Astro, and lets it tell Astro and browsers about changes. */
function connectLive(live: LiveSite, server: ViteServer): void {
  server.middlewares.use(live.handle);
  const rendering = [server.environments.ssr, server.environments['prerender']].filter((environment) => environment !== undefined);
  live.connect({
    refresh: (isSettings) => {
      for (const { moduleGraph, hot } of rendering) {
        // Astro clears its lists of pages on this event.
        hot.send('astro:content-changed', {});
        if (!isSettings) continue;
        moduleGraph.invalidateAll();
        hot.send({ type: 'full-reload' });
      }
      if (isSettings) server.environments.client.moduleGraph.invalidateAll();
    },
    send: (event, data) => server.environments.client.hot.send(event, data),
  });
}

/** Removes files of the adapter for Workers: Pages would publish `wrangler.json` and ignore `wrangler.toml`. */
async function removeWorkerLeftovers(site: URL, root: URL): Promise<void> {
  const leftovers = [new URL('wrangler.json', site), new URL('.assetsignore', site), new URL('.wrangler/deploy/', root)];
  await Promise.all(leftovers.map((url) => rm(url, { recursive: true, force: true })));
}

/** Removes the files that keep empty folders of `public/` in git, which Astro copies. */
async function removeKeepFiles(site: URL, root: URL): Promise<void> {
  const names = await readdir(new URL('public/', root), { recursive: true }).catch(() => []);
  const kept = names.filter((name) => basename(name) === '.gitkeep');
  await Promise.all(kept.map((name) => rm(join(fileURLToPath(site), name), { force: true })));
}

/** Removes the paths of publication and engine, by which modules name their sources: a build must not depend on where it runs. */
async function removeBuildPath(folder: URL, root: URL): Promise<void> {
  if (!existsSync(folder)) return;
  const engine = fileURLToPath(new URL('../../', import.meta.url));
  for (const name of await readdir(folder, { recursive: true })) {
    const file = new URL(name, folder);
    if (name.endsWith('.mjs'))
      await writeFile(file, (await readFile(file, 'utf8')).replaceAll(fileURLToPath(root), '/').replaceAll(engine, '/'));
    else if (/\.(map|json)$/.test(name)) await rm(file);
  }
}

/**
 * Modules that Node imports as they are while pages are made. In a bundle, what renders texts would bring every grammar and drawing library
 * that a text may need. Pages on demand must not import them.
 */
const NATIVE_MODULES: Readonly<Record<string, string>> = {
  'virtual:render-article': './markdown/render-article',
  'virtual:render-markdown': './markdown/render-markdown',
  'virtual:published-text': './markdown/published-text',
};

/** A module over a live site with one of the values of its content, whose members are read when a page is rendered. */
function liveModule(name: 'site' | 'overview'): string {
  return `import { liveSite } from ${JSON.stringify(fileURLToPath(new URL(`./live-site${extname(import.meta.url)}`, import.meta.url)))};
export const ${name} = new Proxy({}, { get: (_target, member) => Reflect.get(liveSite().current().${name}, member) });`;
}

/** The modules of env.d.ts, and {@link ContentApi}. */
function virtualModules(content: () => Promise<SiteContent>, live: LiveSite | undefined): VitePlugin & { readonly api: ContentApi } {
  const modules: Readonly<Record<string, (content: SiteContent) => object>> = {
    'virtual:site': ({ site }) => ({ site }),
    'virtual:overview': ({ overview }) => ({ overview }),
    'virtual:openapi': ({ openApi }) => ({ openApi }),
    // For scripts, a module each: what two of them import becomes a file that both load.
    'virtual:copy-strings': ({ interfaceLanguage: { strings } }) => ({ copy: strings.frame.copy, copied: strings.frame.copied }),
    'virtual:verify-strings': ({ interfaceLanguage: { strings } }) => verifyStrings(strings.verification as typeof ENGLISH.verification),
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
    resolveId: (id: string) => {
      const native = NATIVE_MODULES[id];
      if (native !== undefined)
        return { id: new URL(native + extname(import.meta.url), import.meta.url).href, external: 'absolute' as const };
      return Object.hasOwn(modules, id) ? `\0${id}` : undefined;
    },
    async load(id: string) {
      const select = id.startsWith('\0') ? modules[id.slice(1)] : undefined;
      if (select === undefined) return undefined;
      if (live !== undefined && id === '\0virtual:site') return liveModule('site');
      if (live !== undefined && id === '\0virtual:overview') return liveModule('overview');
      if (live !== undefined && id === '\0virtual:openapi') return `export const openApi = ${JSON.stringify(await live.openApi())};`;
      return Object.entries(select(await content()))
        .map(([name, value]) => `export const ${name} = ${value === undefined ? 'undefined' : JSON.stringify(value)};`)
        .join('\n');
    },
  };
}
