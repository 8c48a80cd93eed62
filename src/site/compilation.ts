import { existsSync, readFileSync } from 'node:fs';
import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, extname, join, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AstroIntegration } from 'astro';
import type { Look } from '../schemas/appearance.ts';
import type { VitePlugin } from './component-overrides.ts';
import { removeDeployRedirect } from './deploy-redirect.ts';
import type { Site, SiteContent } from './site-content.ts';

/** What is compiled into pages. They take everything else from `shown-site.ts` when they are rendered. */
export interface SiteTemplates extends Pick<Site, 'mode' | 'capsulePages'>, Pick<SiteContent, 'interfaceLanguage'> {
  readonly look: Look;
}

/** What a compilation makes, and where. */
export interface Compilation {
  readonly templates: SiteTemplates;
  /** Folder of style sheets, scripts and fonts. */
  readonly assets: string;
  /** Folder of the pages on demand. */
  readonly server: string;
  /** Folder of the pages that are files, as modules for Node, with {@link RENDERER_FILE}. */
  readonly renderer: string;
  /** Files of the publication that are compiled, as absolute paths. */
  readonly files: Set<string>;
}

/** The module in the folder of the renderer that exports what `site-renderer.ts` does. */
export const RENDERER_FILE = 'renderer.mjs';

const COMPILATION = Symbol.for('agent-knowledge-gateway.compilation');

/** A global, because Astro may load the configuration, and with it this module, a second time. */
const running = globalThis as { [COMPILATION]?: Compilation };

/** The compilation of this process; `undefined` while no pages are compiled. */
export function runningCompilation(): Compilation | undefined {
  return running[COMPILATION];
}

/** Sets the compilation that Astro's integration runs for. */
export function setCompilation(compilation: Compilation): void {
  running[COMPILATION] = compilation;
}

/** Further settings of a compilation. The development server needs none of them: it renders every page in its own process. */
export async function compilerConfig({ assets, server }: Compilation): Promise<ConfigUpdate> {
  // Loaded late: it brings wrangler.
  const { default: cloudflare } = await import('@astrojs/cloudflare');
  const adapter = cloudflare({ prerenderEnvironment: 'node', imageService: 'passthrough' });
  const output = folderUrl(assets);
  return {
    outDir: output,
    build: { format: 'file', client: output, server: folderUrl(server), inlineStylesheets: 'never' },
    // An adapter that an integration sets must also be among the integrations, or its hooks do not run.
    adapter,
    integrations: [adapter],
    vite: { build: { assetsInlineLimit: 0 } },
  };
}

type ConfigUpdate = Parameters<Parameters<NonNullable<AstroIntegration['hooks']['astro:config:setup']>>[0]['updateConfig']>[0];
type Prerenderer = Parameters<Parameters<NonNullable<AstroIntegration['hooks']['astro:build:start']>>[0]['setPrerenderer']>[0];

/** Keeps the modules that render pages, in place of rendering: Astro deletes them when it is done. */
export function keepRenderer({ renderer, assets, server }: Compilation): Prerenderer {
  return {
    name: 'keep-renderer',
    setup: async () => {
      const modules = [server, assets].map((folder) => join(folder, '.prerender')).find((folder) => existsSync(folder));
      if (modules === undefined) throw new Error('Astro has compiled no pages.');
      await cp(modules, renderer, { recursive: true });
      const entry = (await readdir(renderer)).find((name) => name.startsWith('prerender-entry'));
      await writeFile(join(renderer, RENDERER_FILE), `export * from './${entry}';\n`);
    },
    getStaticPaths: async () => [],
    render: () => Promise.reject(new Error('Pages are not rendered while they are compiled.')),
  };
}

/** Another file in a style sheet: of an `@import`, or of a picture or font. */
const STYLE_SHEET_LINK = /(?:@import\s+|url\(\s*)(?:url\()?["']?([^"')\s;]+)/g;

/** Bundles `site-renderer.ts` as the entry of the pages that are files, and notes which files of the publication are compiled. */
export function compilerPlugin(root: string, { files }: Compilation): VitePlugin {
  const note = (id: string): void => {
    const file = id.replace(/[?#].*$/s, '');
    if (
      files.has(file) ||
      !file.startsWith(root) ||
      file.startsWith(import.meta.dirname) ||
      file.includes(`${sep}node_modules${sep}`) ||
      !existsSync(file)
    )
      return;
    files.add(file);
    // What a style sheet imports is no module.
    if (file.endsWith('.css'))
      for (const [, target = ''] of readFileSync(file, 'utf8').matchAll(STYLE_SHEET_LINK)) note(resolve(dirname(file), target));
  };
  return {
    name: 'compiler',
    configEnvironment: (name: string) => {
      // The build copies `public/`, which may change without a compilation.
      if (name === 'client') return { build: { copyPublicDir: false } };
      if (name === 'prerender')
        return {
          build: { rolldownOptions: { input: fileURLToPath(new URL(`./site-renderer${extname(import.meta.url)}`, import.meta.url)) } },
        };
      // Drops unused schemas from the server output.
      if (name === 'ssr')
        return { resolve: { noExternal: true }, build: { minify: true, rolldownOptions: { treeshake: { manualPureFunctions: ['z'] } } } };
      return undefined;
    },
    buildEnd() {
      for (const id of this.getModuleIds()) note(id);
    },
  };
}

/** Takes out of a compilation what must not be deployed, after the last integration has added its files. */
export async function finishCompilation({ assets, server }: Pick<Compilation, 'assets' | 'server'>, root: string): Promise<void> {
  // Files of the adapter for Workers: Pages would publish `wrangler.json` and ignore `wrangler.toml`. Headers are the build's.
  const leftovers = ['wrangler.json', '.assetsignore', '_headers'].map((name) => join(assets, name));
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
