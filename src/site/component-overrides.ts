import { existsSync } from 'node:fs';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AstroUserConfig } from 'astro';
import { type ContentProblem, fileProblem, InvalidContentError } from '../publication/content-problem.ts';
import { nearestName } from '../search/format/spelling.ts';

/** A plugin of the Vite that Astro brings. */
export type VitePlugin = Exclude<
  NonNullable<NonNullable<AstroUserConfig['vite']>['plugins']>[number],
  false | null | undefined | unknown[] | Promise<unknown>
>;

/** Folder of a publication whose files replace components of the engine with the same name. */
export const OVERRIDES_FOLDER = 'components';

/** Files by the name of the component that each replaces, as in `{ SiteHeader: './components/SiteHeader.astro' }`. */
export type ConfiguredComponents = Readonly<Record<string, string>>;

/** Components and layouts of the engine that a publication may replace: absolute file by name. */
export async function engineComponents(): Promise<ReadonlyMap<string, string>> {
  const folders = ['./components/', './layouts/'].map((name) => fileURLToPath(new URL(name, import.meta.url)));
  const files = await Promise.all(
    folders.map(async (folder) => (await readdir(folder)).filter((file) => file.endsWith('.astro')).map((file) => join(folder, file))),
  );
  return new Map(files.flat().map((file) => [nameOf(file), file]));
}

/** The files of a publication that replace components, by name, and mistakes in their names. */
export interface ComponentOverrides {
  readonly files: ReadonlyMap<string, string>;
  readonly problems: readonly ContentProblem[];
}

/**
 * The files of a publication that replace components: those in `components/` by their names, then the configured ones. Subfolders of
 * `components/` are for parts of the publisher's own.
 */
export async function readOverrides(root: string, configured: ConfiguredComponents = {}): Promise<ComponentOverrides> {
  const known = [...(await engineComponents()).keys()];
  const folder = join(root, OVERRIDES_FOLDER);
  const found = existsSync(folder) ? (await readdir(folder)).filter((file) => file.endsWith('.astro')).sort() : [];
  const files = new Map<string, string>();
  const problems: ContentProblem[] = [];
  const missing = (name: string): string => {
    const nearest = nearestName(name, known);
    return `there is no component "${name}" to replace. ${nearest === undefined ? 'node_modules/agent-knowledge-gateway/docs/appearance.md lists all' : `Did you mean "${nearest}"?`}`;
  };
  for (const file of found) {
    const name = nameOf(file);
    const ownParts = `Parts of your own go into a subfolder such as ${OVERRIDES_FOLDER}/parts/`;
    if (known.includes(name)) files.set(name, await realpath(join(folder, file)));
    else problems.push(fileProblem(`${OVERRIDES_FOLDER}/${file}`, `${missing(name)} ${ownParts}`));
  }
  for (const [name, path] of Object.entries(configured)) {
    const file = resolve(root, path);
    if (!known.includes(name)) problems.push(fileProblem(CONFIG_FILE, missing(name)));
    else if (!file.endsWith('.astro'))
      problems.push(fileProblem(CONFIG_FILE, `components.${name} names ${relative(root, file)}; it must be an .astro file`));
    else if (!existsSync(file))
      problems.push(fileProblem(CONFIG_FILE, `components.${name} names ${relative(root, file)}, which is missing`));
    else files.set(name, await realpath(file));
  }
  return { files, problems };
}

/** Where components are configured. */
const CONFIG_FILE = 'astro.config.mjs';

/** Where the integration of a configuration keeps its components: a registered symbol, because a module may be loaded twice. */
export const COMPONENTS = Symbol.for('agent-knowledge-gateway.components');

/** The components that `astro.config.mjs` names; none without such a file, or if it cannot be loaded, which the build reports. */
export async function readConfiguredComponents(root: string): Promise<ConfiguredComponents> {
  const file = join(root, CONFIG_FILE);
  const text = await readFile(file, 'utf8').catch(() => '');
  // Loading Astro takes a second.
  if (!text.includes('components')) return {};
  const { default: config } = (await import(/* @vite-ignore */ pathToFileURL(file).href).catch(() => ({ default: {} }))) as {
    readonly default: AstroUserConfig;
  };
  const integrations = (config.integrations ?? []).flat() as readonly (
    | { readonly [COMPONENTS]?: ConfiguredComponents }
    | false
    | null
    | undefined
  )[];
  return Object.assign({}, ...integrations.map((integration) => (integration ? integration[COMPONENTS] : undefined)));
}

/** In a file that replaces a component: the replaced one. */
const ORIGINAL = '@original';
/** Any component of the engine, or what replaces it. */
const BY_NAME = /^agent-knowledge-gateway\/(?:components|layouts)\/([A-Za-z]+)\.astro$/;

/** Files by the name of the component. */
type Components = ReadonlyMap<string, string>;

/**
 * The file that an import of a component means: the publication's where it replaces the engine's, except for the file that replaces it.
 * `undefined` for imports of anything else.
 *
 * @throws {Error} If the import names a component that the engine does not have.
 */
export function resolveComponent(
  source: string,
  importer: string,
  { components, overrides }: { readonly components: Components; readonly overrides: Components },
): string | undefined {
  const nameIn = (files: Components, file: string): string | undefined => [...files].find(([, known]) => samePath(known, file))?.[0];
  const replaced = nameIn(overrides, importer);
  if (source === ORIGINAL) {
    const original = replaced === undefined ? undefined : components.get(replaced);
    if (original !== undefined) return original;
    throw new Error(
      `${importer} replaces no component, so it cannot import ${ORIGINAL}; import agent-knowledge-gateway/components/<name>.astro`,
    );
  }
  const isRelative = source.startsWith('.') && source.endsWith('.astro');
  const name = BY_NAME.exec(source)?.[1] ?? (isRelative ? nameIn(components, resolve(dirname(importer), source)) : undefined);
  if (name === undefined) return undefined;
  const original = components.get(name);
  if (original === undefined) {
    const nearest = nearestName(name, [...components.keys()]);
    throw new Error(`${importer} imports ${source}, which does not exist${nearest === undefined ? '' : `. Did you mean "${nearest}"?`}`);
  }
  return name === replaced ? original : (overrides.get(name) ?? original);
}

/**
 * Lets files of the publication replace components of the engine, wherever these are imported. In such a file `@original` is the replaced
 * component, and `agent-knowledge-gateway/components/<name>.astro` any other. The development server sees files come and go.
 */
export function overridePlugin(root: string, configured?: ConfiguredComponents): VitePlugin {
  const folder = join(root, OVERRIDES_FOLDER);
  let known: { readonly components: Components; readonly overrides: Components } = { components: new Map(), overrides: new Map() };
  const readAll = async (): Promise<void> => {
    const { files, problems } = await readOverrides(root, configured);
    if (problems.length > 0) throw new InvalidContentError(problems);
    known = { components: await engineComponents(), overrides: files };
  };
  return {
    name: 'component-overrides',
    enforce: 'pre',
    buildStart: readAll,
    resolveId: (source: string, importer: string | undefined) =>
      importer === undefined ? undefined : resolveComponent(source, withoutQuery(importer), known),
    configureServer(server) {
      server.watcher.add(folder);
      server.watcher.on('all', async (event, file) => {
        if ((event !== 'add' && event !== 'unlink') || dirname(file) !== folder) return;
        await readAll().catch((error: unknown) => server.config.logger.error(error instanceof Error ? error.message : String(error)));
        for (const environment of Object.values(server.environments)) environment.moduleGraph.invalidateAll();
        server.ws.send({ type: 'full-reload' });
      });
    },
  };
}

function nameOf(file: string): string {
  return basename(file, '.astro');
}

function withoutQuery(id: string): string {
  return id.replace(/\?.*$/s, '');
}

/** Vite writes paths with slashes everywhere. */
function samePath(one: string, other: string): boolean {
  return one.replaceAll('\\', '/') === other.replaceAll('\\', '/');
}
