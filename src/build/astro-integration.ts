import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { extname, join, relative, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AstroInlineConfig, AstroIntegration, IntegrationResolvedRoute } from 'astro';
import type { PageProps } from '../http/on-demand-page-props.ts';
import { UserError } from '../publication/content-problem.ts';
import { LIMITS } from '../schemas/limits.ts';
import { basePathOf, PATHS } from '../schemas/paths.ts';
import type { SiteContent } from '../site/collection-entries.ts';
import { COMPONENTS, type ConfiguredComponents, overridePlugin, type VitePlugin } from '../site/component-overrides.ts';
import { connectLive, type LiveSite, liveServer, PREVIEW_PATH } from '../site/dev/dev-server.ts';
import { nativeModules, provideSite, stringModules, themePlugin } from '../site/virtual-modules.ts';
import { removeDeployRedirect } from './atomic-build-output.ts';
import type { StartedBuild } from './build-lifecycle.ts';
import { BUILD_FOLDER } from './corpus-blocks/generation-store.ts';
import { ENGINE_PACKAGE } from './engine-package.ts';
import { isUnreached, languageModule, leftOut, otherLanguage, ownerOfFunctions, sharedModule, unreachedFile } from './functions-worker.ts';

/** Pages that functions render: files in `on-demand/`. */
const ON_DEMAND_PAGES = [
  'order',
  'session',
  'cart',
  'test-checkout',
  'invoice',
  'contact',
  'search',
  'status',
  'error',
  'dashboard',
] as const satisfies readonly (keyof PageProps)[];

const SITE = new URL('../site/', import.meta.url);

const ROUTES = new URL('./routes/', SITE);

/** Names of files that are routes (docs.astro.build/en/basics/astro-pages/). */
const ROUTE_FILE = /\.(astro|mdx?|html|ts|js)$/;

const ASTRO_CONFIG_FILES = ['mjs', 'js', 'ts', 'mts', 'cjs', 'cts'].map((ending) => `astro.config.${ending}`);

export interface SiteOptions {
  /** Files that replace components of the engine, by name; added to those in `components/`. */
  readonly components?: ConfiguredComponents;
}

/** The integration by which `akg` hands what it has begun to the configuration of Astro, and its hook. */
const REQUEST = 'agent-knowledge-gateway/begun';
const BEGIN = 'agent-knowledge-gateway:begin';

type Begin = () => Promise<StartedBuild | LiveSite>;

/** Builds the publication at `root` with Astro, with its `astro.config.mjs` if it has one. */
export async function buildWithAstro(root: string, begin: () => Promise<StartedBuild>): Promise<void> {
  // Errors are thrown too, and reported once.
  await (await import('astro')).build({ ...astroConfig(root, begin), logLevel: 'silent' });
}

/** Opens Astro's development server for a live site of the publication at `root`, at a port of this machine. */
export async function openDevPages(root: string, port: number, live: LiveSite) {
  process.env['ASTRO_DISABLE_UPDATE_CHECK'] = 'true';
  // Loaded late: Astro is large.
  const { dev } = await import('astro');
  return dev({ ...astroConfig(root, async () => live), logLevel: 'error', server: { port, host: '127.0.0.1' } });
}

/** Astro's configuration of a publication: its `astro.config.mjs` if it has one, or else the integration alone. */
function astroConfig(root: string, begin: Begin): AstroInlineConfig {
  process.env['ASTRO_TELEMETRY_DISABLED'] = '1';
  const hasConfig = ASTRO_CONFIG_FILES.some((name) => existsSync(join(root, name)));
  const request = { name: REQUEST, hooks: { [BEGIN]: begin } };
  return { root, ...(hasConfig ? {} : { configFile: false }), integrations: [...(hasConfig ? [] : [agentKnowledgeGateway()]), request] };
}

type ConfigSetup = Parameters<NonNullable<AstroIntegration['hooks']['astro:config:setup']>>[0];
type ConfigUpdate = Parameters<ConfigSetup['updateConfig']>[0];

/**
 * The engine as an integration of Astro, for the `astro.config.mjs` of a publication: `astro build` makes its whole site from
 * its texts. `akg build` does so too, and keeps the last build until the new one is whole.
 *
 * @example
 * export default defineConfig({ integrations: [agentKnowledgeGateway({ components: { SiteFooter: './src/Footer.astro' } })] });
 */
export function agentKnowledgeGateway({ components }: SiteOptions = {}): AstroIntegration {
  let root: URL;
  let live: LiveSite | undefined;
  let routes: readonly IntegrationResolvedRoute[] = [];
  let started: StartedBuild | undefined;
  const integration: AstroIntegration = {
    name: 'agent-knowledge-gateway',
    hooks: {
      'astro:config:setup': async ({ addMiddleware, command, config, injectRoute, injectScript, updateConfig }) => {
        root = config.root;
        const folder = fileURLToPath(root);
        if (command === 'build') {
          started = await requestedBuild(config.integrations, folder);
          expectAstro(folder);
          await keepKey(folder);
        } else if (command === 'dev') {
          // Whatever the shell has set: with "test" or "production" Astro hears of no change (astro/dist/core/create-vite.js, `hmr`).
          process.env['NODE_ENV'] = 'development';
          live = await requestedSite(config, folder);
        }
        const source = started?.source ?? live?.source;
        if (source !== undefined) provideSite(source);
        const ownsSources = hasOwnSources(config);
        const current = (): Pick<SiteContent, 'site' | 'interfaceLanguage'> => {
          const shown = started?.shown ?? live?.current();
          if (shown === undefined) throw new Error('Nothing was read that could be shown.');
          return shown;
        };
        const site = started === undefined && live === undefined ? NO_SITE : current().site;
        const own = ownsSources ? (await routeFiles(new URL('pages/', config.srcDir))).map(routePattern) : [];
        const isDev = command === 'dev';
        for (const { pattern, file, isPrerendered } of await injectedPages(site, own, { isDev, isLive: live !== undefined }))
          injectRoute({ pattern, entrypoint: new URL(file, SITE), prerender: isPrerendered });
        addMiddleware({ entrypoint: new URL(`./middleware${extname(import.meta.url)}`, SITE), order: 'pre' });
        if (live !== undefined)
          injectScript('page', `import ${JSON.stringify(fileURLToPath(new URL(`./dev/dev-client${extname(import.meta.url)}`, SITE)))};`);
        updateConfig({
          ...(ownsSources ? {} : { srcDir: SITE }),
          cacheDir: new URL(`./${BUILD_FOLDER}/astro/`, root),
          output: 'static',
          trailingSlash: 'never',
          session: false,
          devToolbar: { enabled: false },
          vite: {
            server: liveServer(root),
            plugins: [
              nativeModules(),
              stringModules(() => ({ ...current().interfaceLanguage, questions: current().site.publisher?.home.questions })),
              overridePlugin(folder, components),
              themePlugin(folder, () => current().site.publisher.look),
            ],
          },
        });
        updateConfig(
          started === undefined ? { vite: { define: { 'import.meta.env.BASE_PATH': '""' } } } : await buildConfig(started, folder),
        );
      },
      'astro:routes:resolved': (resolved) => {
        routes = resolved.routes;
      },
      'astro:config:done': ({ config, injectTypes }) => {
        if (config.srcDir.href !== SITE.href) injectTypes({ filename: 'locals.d.ts', content: LOCALS_TYPES });
      },
      'astro:server:setup': (setup) => {
        if (live !== undefined) connectLive(live, setup);
      },
      'astro:server:done': async () => {
        await live?.close();
      },
      'astro:build:done': async ({ pages, assets }) => {
        if (started === undefined) return;
        await removeWorkerFiles(started, fileURLToPath(root));
        const own = routes
          .filter(({ origin, type }) => origin === 'project' && type === 'page')
          .flatMap(({ pattern }) => assets.get(pattern) ?? []);
        await started.finish(
          pages.map(({ pathname }) => `/${pathname}`),
          own.map((file) => fileURLToPath(file)),
        );
      },
    },
  };
  return Object.assign(integration, { [COMPONENTS]: components ?? {} });
}

type InjectingSite = Pick<SiteContent['site'], 'mode' | 'capsulePages' | 'sections'> & Partial<Pick<SiteContent['site'], 'publisher'>>;

/** What Astro's other commands, such as `astro sync`, take for the site. */
const NO_SITE: InjectingSite = { mode: 'edge', capsulePages: 'files' };

/** @param file Relative to the folder of the site. */
const prerendered = (pattern: string, file: string) => ({ pattern, file, isPrerendered: true });
const onDemand = (pattern: string, file: string) => ({ pattern, file, isPrerendered: false });

/** The pages of the engine that a site has, by the patterns of their addresses. @param own Patterns of the publication's own pages. */
async function injectedPages(
  { mode, capsulePages, sections, publisher }: InjectingSite,
  own: readonly string[],
  { isDev, isLive }: { readonly isDev: boolean; readonly isLive: boolean },
) {
  const isOnDemand = mode === 'edge' && capsulePages === 'edge';
  // The page of a paid capsule shows its text to the holder of a pass.
  const isCapsuleOnDemand = isOnDemand || publisher?.payments !== undefined;
  const names: (keyof PageProps)[] = [
    ...ON_DEMAND_PAGES,
    ...(isCapsuleOnDemand ? ['capsule' as const] : []),
    ...(isOnDemand ? ['list' as const] : []),
  ];
  const isWanted = (pattern: string): boolean =>
    !own.includes(pattern) && (sections !== undefined || isLive || !pattern.startsWith(PATHS.sections));
  const invoices = [PATHS.invoice, PATHS.buyInvoice].map((path) => prerendered(path, './without-functions/invoice.astro'));
  return [
    ...(mode === 'edge' ? names.map((name) => onDemand(`/on-demand/${name}`, `./on-demand/${name}.astro`)) : []),
    ...(isOnDemand ? [onDemand('/on-demand/list-markdown', `./on-demand/list-markdown${extname(import.meta.url)}`)] : []),
    ...(await routeFiles(ROUTES))
      .map((file) => prerendered(routePattern(file), `./routes/${file}`))
      .filter(({ pattern }) => isWanted(pattern)),
    ...(mode === 'static' || isDev ? invoices : []),
    ...(mode === 'static' ? [prerendered(PATHS.search, './without-functions/search.astro')] : []),
    ...(isLive
      ? [onDemand(PREVIEW_PATH, './dev/PreviewList.astro'), onDemand(`${PREVIEW_PATH}/[...text]`, './dev/PreviewText.astro')]
      : []),
  ];
}

async function routeFiles(folder: URL): Promise<string[]> {
  return (await readdir(fileURLToPath(folder), { recursive: true }).catch(() => []))
    .map((name) => name.split(sep).join('/'))
    .filter((name) => ROUTE_FILE.test(name))
    .sort();
}

/** The pattern of a route, as Astro reads it from the path of a file (docs.astro.build/en/guides/routing/). */
function routePattern(file: string): string {
  return `/${file.replace(ROUTE_FILE, '').replace(/(^|\/)index$/, '')}`;
}

/** What the middleware adds to `Astro.locals`, for the pages of a publication. */
const LOCALS_TYPES = `declare namespace App {
  type SiteLocals = import('agent-knowledge-gateway/content').SiteLocals;
  interface Locals extends SiteLocals {}
}
`;

/** Whether a publication has sources of its own for Astro. @throws {UserError} If it has pages and names no collections, as Astro asks. */
function hasOwnSources({ root, srcDir }: ConfigSetup['config']): boolean {
  const folder = relative(fileURLToPath(root), fileURLToPath(srcDir));
  if (['mjs', 'js', 'mts', 'ts'].some((ending) => existsSync(new URL(`content.config.${ending}`, srcDir)))) return true;
  if (existsSync(new URL('pages', srcDir)))
    throw new UserError(
      `${join(folder, 'pages')} has pages, but ${join(folder, 'content.config.ts')} is missing; create it with the line: export { collections } from '${ENGINE_PACKAGE}/content';`,
    );
  return false;
}

/** Begins the build that `akg` has asked for, or else one that replaces the last at once. */
async function requestedBuild(integrations: readonly AstroIntegration[], root: string): Promise<StartedBuild> {
  const begun = requested(integrations);
  if (begun !== undefined) return begun() as Promise<StartedBuild>;
  return (await import('./build-lifecycle.ts')).beginPlainBuild(root, process.env);
}

/** The site that `akg` has opened, or else one for `astro dev` alone. */
async function requestedSite({ integrations, server }: ConfigSetup['config'], root: string): Promise<LiveSite> {
  const begun = requested(integrations);
  if (begun !== undefined) return begun() as Promise<LiveSite>;
  const { beginDev } = await import('./dev/start-dev-server.ts');
  const host = typeof server.host === 'string' ? server.host : 'localhost';
  const site = await beginDev(root, process.env, `http://${host}:${server.port}`, (line) => console.log(line));
  return site as LiveSite;
}

function requested(integrations: readonly AstroIntegration[]): Begin | undefined {
  return (integrations.find(({ name }) => name === REQUEST)?.hooks as { readonly [BEGIN]: Begin } | undefined)?.[BEGIN];
}

/** Astro finds its own modules from the publication. */
function expectAstro(root: string): void {
  try {
    createRequire(join(root, 'package.json')).resolve('astro/package.json');
  } catch {
    throw new UserError(`${root} cannot be built, because Astro is not installed there; run "npm install" in it`);
  }
}

/** Lets Astro encrypt the props of server islands with the same key in each build, so that the same sources make the same files. */
async function keepKey(root: string): Promise<void> {
  if (process.env['ASTRO_KEY']) return;
  const file = join(root, BUILD_FOLDER, 'astro-key');
  let key = await readFile(file, 'utf8').catch(() => '');
  if (key === '') {
    key = randomBytes(32).toString('base64');
    await mkdir(join(root, BUILD_FOLDER), { recursive: true });
    await writeFile(file, key, { mode: 0o600 });
  }
  process.env['ASTRO_KEY'] = key;
}

async function buildConfig({ folder, server, analysers, shown }: StartedBuild, root: string): Promise<ConfigUpdate> {
  const sharesModules = (await ownerOfFunctions(join(root, 'functions'))) === 'engine';
  const output = folderUrl(folder);
  const { publisher, mode } = shown.site;
  const base = basePathOf(publisher.base_url);
  const format = mode === 'edge' ? 'file' : publisher.static_form;
  const build = { format, client: output, server: folderUrl(server), inlineStylesheets: 'never' } as const;
  const vite = {
    build: { assetsInlineLimit: 0 },
    define: { 'import.meta.env.BASE_PATH': JSON.stringify(base) },
    plugins: [bundlePlugin(analysers, sharesModules)],
  };
  const image = { service: { entrypoint: 'astro/assets/services/noop' } };
  if (mode === 'static') return { ...(base === '' ? {} : { base }), outDir: output, build, image, vite };
  // Loaded late: it brings wrangler.
  const { default: cloudflare } = await import('@astrojs/cloudflare');
  const adapter = cloudflare({ prerenderEnvironment: 'node', imageService: 'passthrough' });
  // An adapter that an integration sets must also be among the integrations, or its hooks do not run.
  return { outDir: output, build, adapter, integrations: [adapter], vite };
}

/** Prefix of modules that stand in for libraries which a publication never uses. */
const LEFT_OUT = '\0left-out:';

/** Files of Astro and its adapter, and modules that they make up. */
const OF_ASTRO = /^\0|[\\/]node_modules[\\/](?:astro|@astrojs[\\/]cloudflare)[\\/]/;

/** Puts all packages but the engine into one chunk. Style sheets follow the chunks of components, and pages from functions share theirs with pages that are files. */
const PACKAGES_CHUNK = { name: 'packages', test: /[\\/]node_modules[\\/](?!agent-knowledge-gateway[\\/])/ };

/** The adapter's first line of each file, which is for the server. A banner of the publication takes its place. */
const ADAPTER_BANNER = 'globalThis.process ??= {}; globalThis.process.env ??= {};';

/** Folder of the engine, as Vite names files. */
const ENGINE = fileURLToPath(new URL('../', import.meta.url))
  .split(sep)
  .join('/');

/** What settings of Vite say about the files of one environment. */
interface WithOutput {
  readonly build?: { readonly rolldownOptions?: { readonly output?: Banner | readonly Banner[] } };
}
interface Banner {
  readonly banner?: unknown;
}

/** @param sharesModules Whether Astro's server leaves what functions have too to the Worker's bundle. */
export function bundlePlugin(analysers: readonly string[], sharesModules: boolean): VitePlugin {
  const languages = new Set(analysers.map(languageModule));
  return {
    name: 'agent-knowledge-gateway-bundles',
    enforce: 'pre',
    async resolveId(id: string, importer: string | undefined) {
      // Pages and browsers search in the languages of this publication.
      const other = otherLanguage(id, importer, languages);
      if (other !== undefined) return LEFT_OUT + other;
      // A page of the publication may import the same library, or a file with the same name.
      const isOurs = this.environment.name === 'client' ? importer?.startsWith(ENGINE) === true : OF_ASTRO.test(importer ?? '\0');
      if (isOurs && isUnreached(id, this.environment.name)) return LEFT_OUT + id;
      if (this.environment.name !== 'ssr') return undefined;
      if (!sharesModules || importer === undefined) return undefined;
      const file = (await this.resolve(id, importer, { skipSelf: true }))?.id;
      const shared = file && sharedModule(id, file);
      return shared && { id: shared, external: true };
    },
    load(id: string) {
      // Scripts of pages load others without Vite's 1.4 kB for styles and modules that these import: Astro links such styles in the page, and the dialog
      // of the search imports no other file.
      if (id === '\0vite/preload-helper.js') return 'export const __vitePreload = (load) => load();';
      if (id.startsWith(LEFT_OUT)) return leftOut(id.slice(LEFT_OUT.length));
      return sharesModules && this.environment.name === 'ssr' ? unreachedFile(id) : undefined;
    },
    transform(code: string, id: string) {
      return this.environment.name === 'client' && id.startsWith(ENGINE) ? shortened(code, id) : undefined;
    },
    // Astro reads collections in a server of Vite, for which the adapter has hundreds of packages bundled that no build uses.
    configResolved: ({ environments }) => {
      for (const { optimizeDeps } of Object.values(environments)) Object.assign(optimizeDeps, { noDiscovery: true, include: [] });
    },
    configEnvironment: (name: string, { build }: WithOutput) => {
      const treeshake = { manualPureFunctions: ['z'] };
      // The build copies `public/` over the pages.
      if (name === 'client') {
        const isOfAdapter = [build?.rolldownOptions?.output].flat().some((output) => output?.banner === ADAPTER_BANNER);
        return { build: { copyPublicDir: false, rolldownOptions: { treeshake, ...(isOfAdapter ? { output: { banner: '' } } : {}) } } };
      }
      // Drops unused schemas from the server output.
      if (name === 'ssr')
        return {
          resolve: { noExternal: true },
          define: { 'import.meta.env.FUNCTIONS': 'true' },
          build: {
            minify: true,
            rolldownOptions: { treeshake, output: { codeSplitting: { groups: [PACKAGES_CHUNK] } } },
          },
        };
      return undefined;
    },
  };
}

/**
 * A module of the engine for browsers without what no script of a page reads: these read few limits and sections of sentences, and a bundle keeps
 * objects whole. `undefined` if it has all of it.
 */
function shortened(code: string, id: string): string | undefined {
  // What begins with "@" is for translators.
  if (id.endsWith('-documents.json')) return JSON.stringify(JSON.parse(code, (name, of) => (name.startsWith('@') ? undefined : of)));
  const limits: Readonly<Record<string, number>> = LIMITS;
  const sections = code.replace(/^import (\w+)(?= from ['"][^'"]+-documents\.json['"])/m, 'import * as $1');
  const short = /\/schemas\/limits\.[jt]s['"]/.test(code)
    ? sections.replaceAll(/\bLIMITS\.(\w+)/g, (member, name: string) => String(limits[name] ?? member))
    : sections;
  // Whatever is wrong with the index, a page says the same of it.
  const silent = short.replaceAll(/(?<=new (?:IndexFormatError|Block\w+Error)\(|\brefuse\('\w+', )(?:'[^'\n]*'|`[^`\n]*`)(?=[,)])/g, "''");
  return silent === code ? undefined : silent;
}

/** Removes what the adapter writes for Workers: Pages would publish `wrangler.json` and ignore `wrangler.toml`. Headers are the build's. */
async function removeWorkerFiles({ folder, server }: StartedBuild, root: string): Promise<void> {
  const leftovers = ['wrangler.json', '.assetsignore', '_headers'].map((name) => join(folder, name));
  await Promise.all([...leftovers.map((path) => rm(path, { force: true })), removeDeployRedirect(root)]);
  await removeBuildPath(server, root);
}

/** Removes the paths of publication and engine, by which modules name their sources: a build must not depend on where it runs. */
async function removeBuildPath(folder: string, root: string): Promise<void> {
  if (!existsSync(folder)) return;
  const engine = fileURLToPath(new URL('../../', import.meta.url));
  for (const name of await readdir(folder, { recursive: true })) {
    const file = join(folder, name);
    if (name.endsWith('.mjs')) await writeFile(file, (await readFile(file, 'utf8')).replaceAll(root, '/').replaceAll(engine, '/'));
    else if (/\.(map|json)$/.test(name)) await rm(file);
  }
}

function folderUrl(folder: string): URL {
  return pathToFileURL(`${folder}/`);
}
