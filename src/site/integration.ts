import { existsSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AstroInlineConfig, AstroIntegration } from 'astro';
import type { PageProps } from '../http/on-demand-pages.ts';
import type { Look } from '../schemas/appearance.ts';
import { PATHS } from '../schemas/paths.ts';
import { brandPlugin } from './brand/brand-plugin.ts';
import { compilerConfig, compilerPlugin, keepRenderer, runningCompilation } from './compilation.ts';
import { COMPONENTS, type ConfiguredComponents, overridePlugin } from './component-overrides.ts';
import { connectLive, liveServer, liveSite, PREVIEW_PATH } from './dev/live-site.ts';
import type { SiteContent } from './site-content.ts';
import { themePlugin } from './theme-plugin.ts';
import { virtualModules } from './virtual-modules.ts';

/** Pages that functions render: files in `on-demand/`. */
const ON_DEMAND_PAGES = ['order', 'session', 'cart', 'invoice', 'search', 'error'] as const satisfies readonly (keyof PageProps)[];

/** The pages that functions render as well where the pages of capsules are no files. */
const CAPSULE_PAGES = ['capsule', 'capsules', 'subjects'] as const satisfies readonly (keyof PageProps)[];

/** The markdown twins of those of them that are made of data: endpoints in `on-demand/`. */
const LIST_TWINS = ['capsules-markdown', 'subjects-markdown'] as const satisfies readonly (keyof PageProps)[];

/** Names by which Astro finds its configuration. */
export const ASTRO_CONFIG_FILES = ['mjs', 'js', 'ts', 'mts', 'cjs', 'cts'].map((ending) => `astro.config.${ending}`);

/** What astro.config.mjs may set. */
export interface SiteOptions {
  /** Files that replace components of the engine, by name; added to those in `components/`. */
  readonly components?: ConfiguredComponents;
}

/** Astro's configuration of a publication: its `astro.config.mjs` if it has one, or else the integration alone. */
export function astroConfig(root: string): AstroInlineConfig {
  const hasConfig = ASTRO_CONFIG_FILES.some((name) => existsSync(join(root, name)));
  return { root, ...(hasConfig ? {} : { configFile: false, integrations: [agentKnowledgeGateway()] }) };
}

type ConfigSetup = Parameters<NonNullable<AstroIntegration['hooks']['astro:config:setup']>>[0];

/** Settings of Astro for a publication; the integration adds them to those of its `astro.config.mjs`. */
function engineConfig(root: URL): Parameters<ConfigSetup['updateConfig']>[0] {
  return {
    srcDir: new URL('.', import.meta.url),
    output: 'static',
    trailingSlash: 'never',
    session: false,
    devToolbar: { enabled: false },
    vite: { server: liveServer(root) },
  };
}

/**
 * The engine as an integration of Astro, for the `astro.config.mjs` of a publication: its pages, their settings, and the components and style
 * sheet of the publication. Pages are compiled without content; the development server renders them itself.
 */
export function agentKnowledgeGateway({ components }: SiteOptions = {}): AstroIntegration {
  const compilation = runningCompilation();
  const live = liveSite();
  let root = new URL('.', import.meta.url);
  const integration: AstroIntegration = {
    name: 'agent-knowledge-gateway',
    hooks: {
      'astro:config:setup': async ({ command, config, injectRoute, injectScript, updateConfig }) => {
        if (command === 'build' && compilation === undefined)
          throw new Error('Astro alone makes no site of this publication; run "akg build", which runs Astro.');
        root = config.root;
        const { mode, capsulePages } = compilation?.templates ?? live?.current().site ?? { mode: 'edge', capsulePages: 'files' };
        const inject = (pattern: string, file: string, prerender: boolean): void =>
          injectRoute({ pattern, entrypoint: new URL(file, import.meta.url), prerender });
        const onDemand = [...ON_DEMAND_PAGES, ...(capsulePages === 'edge' ? CAPSULE_PAGES : [])];
        if (mode === 'edge') for (const name of onDemand) inject(`/on-demand/${name}`, `./on-demand/${name}.astro`, false);
        if (mode === 'edge' && capsulePages === 'edge')
          for (const name of LIST_TWINS) inject(`/on-demand/${name}`, `./on-demand/${name}${extname(import.meta.url)}`, false);
        if (mode === 'static' || command === 'dev')
          for (const path of [PATHS.invoice, PATHS.buyInvoice]) inject(path, './frontend-only/invoice.astro', true);
        if (mode === 'static') inject(PATHS.search, './frontend-only/search.astro', true);
        if (live !== undefined) {
          inject(PREVIEW_PATH, './dev/PreviewList.astro', false);
          inject(`${PREVIEW_PATH}/[...text]`, './dev/PreviewText.astro', false);
          injectScript(
            'page',
            `import ${JSON.stringify(fileURLToPath(new URL(`./dev/dev-client${extname(import.meta.url)}`, import.meta.url)))};`,
          );
        }
        updateConfig(engineConfig(root));
        if (compilation !== undefined) updateConfig(await compilerConfig(compilation));
        const folder = fileURLToPath(root);
        const current = (): Pick<SiteContent, 'interfaceLanguage'> & { readonly look: Look } => {
          if (compilation !== undefined) return compilation.templates;
          if (live === undefined) throw new Error('Astro alone makes no pages of this publication; run "akg dev", which runs Astro.');
          const { site, interfaceLanguage } = live.current();
          return { look: site.publisher.look, interfaceLanguage };
        };
        const plugins = [
          virtualModules(() => current().interfaceLanguage, live),
          overridePlugin(folder, components),
          themePlugin(folder, () => current().look),
        ];
        if (compilation !== undefined) plugins.push(compilerPlugin(folder, compilation));
        if (live !== undefined) plugins.push(brandPlugin(folder, () => live.current().site.publisher));
        updateConfig({ vite: { plugins } });
      },
      'astro:build:start': ({ setPrerenderer }) => {
        if (compilation !== undefined) setPrerenderer(keepRenderer(compilation));
      },
      'astro:server:setup': ({ server }) => {
        if (live !== undefined) connectLive(live, server);
      },
    },
  };
  return Object.assign(integration, { [COMPONENTS]: components ?? {} });
}
