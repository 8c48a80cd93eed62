import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AstroIntegration, AstroUserConfig } from 'astro';
import { type ContentProblem, fileProblem, InvalidContentError } from '../publication/content-problem.ts';
import { suggestName } from '../search/did-you-mean.ts';

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
  return new Map(files.flat().map((file) => [basename(file, '.astro'), file]));
}

/**
 * The files of a publication that replace components, by name, and mistakes in their names: those in `components/`, then the configured
 * ones. Subfolders of `components/` are for parts of the publisher's own.
 */
export async function readOverrides(root: string, configured: ConfiguredComponents = {}) {
  const known = [...(await engineComponents()).keys()];
  const folder = join(root, OVERRIDES_FOLDER);
  const found = existsSync(folder) ? (await readdir(folder)).filter((file) => file.endsWith('.astro')).sort() : [];
  const files = new Map<string, string>();
  const problems: ContentProblem[] = [];
  const missing = (name: string): string => {
    const nearest = suggestName(name, known);
    return `there is no component "${name}" to replace. ${nearest === undefined ? 'node_modules/agent-knowledge-gateway/docs/appearance.md lists all' : `Did you mean "${nearest}"?`}`;
  };
  for (const file of found) {
    const name = basename(file, '.astro');
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

const CONFIG_FILE = 'astro.config.mjs';

/** Where the integration of a configuration keeps its components: a registered symbol, because a module may be loaded twice. */
export const COMPONENTS = Symbol.for('agent-knowledge-gateway.components');

/** The components that `astro.config.mjs` names; none without such a file, or if it cannot be loaded, which the build reports. */
async function readConfiguredComponents(root: string): Promise<ConfiguredComponents> {
  const file = join(root, CONFIG_FILE);
  // Loading Astro takes a second.
  if (!(await readFile(file, 'utf8').catch(() => '')).includes('components')) return {};
  const { default: config } = (await import(/* @vite-ignore */ pathToFileURL(file).href).catch(() => ({ default: {} }))) as {
    readonly default: AstroUserConfig;
  };
  const integrations = (config.integrations ?? []).flat().filter((one) => one) as { readonly [COMPONENTS]?: ConfiguredComponents }[];
  return Object.assign({}, ...integrations.map((integration) => integration[COMPONENTS]));
}

/** In a file that replaces a component: the replaced one. */
const ORIGINAL = '@original';
/** Any component of the engine, or what replaces it. */
const BY_NAME = /^agent-knowledge-gateway\/(?:components|layouts)\/([A-Za-z]+)\.astro$/;

type Components = ReadonlyMap<string, string>;

/**
 * The file that an import of a component means: the publication's where it replaces the engine's, except for the file that replaces it.
 *
 * @throws {Error} If the import names a component that the engine does not have.
 */
export function resolveComponent(
  source: string,
  importer: string,
  { components, overrides }: { readonly components: Components; readonly overrides: Components },
): string | undefined {
  // Vite writes paths with slashes everywhere.
  const nameIn = (files: Components, file: string): string | undefined =>
    [...files].find(([, known]) => known.replaceAll('\\', '/') === file.replaceAll('\\', '/'))?.[0];
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
    const nearest = suggestName(name, [...components.keys()]);
    throw new Error(`${importer} imports ${source}, which does not exist${nearest === undefined ? '' : `. Did you mean "${nearest}"?`}`);
  }
  return name === replaced ? original : (overrides.get(name) ?? original);
}

type DevServer = Parameters<NonNullable<AstroIntegration['hooks']['astro:server:setup']>>[0]['server'];

/** Loads every page of the development server again when a file comes or goes that it is made of. */
export function reloadPages(server: DevServer, isPart: (file: string) => boolean | Promise<boolean>): void {
  server.watcher.on('all', async (event, file) => {
    if ((event !== 'add' && event !== 'unlink') || !(await isPart(file))) return;
    for (const environment of Object.values(server.environments)) environment.moduleGraph.invalidateAll();
    server.ws.send({ type: 'full-reload' });
  });
}

/** Lets files of the publication replace components of the engine, wherever these are imported. The development server sees files come and go. */
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
      importer === undefined ? undefined : resolveComponent(source, importer.replace(/\?.*$/s, ''), known),
    configureServer(server) {
      server.watcher.add(folder);
      reloadPages(server, async (file) => {
        if (dirname(file) !== folder) return false;
        await readAll().catch((error: unknown) => server.config.logger.error(error instanceof Error ? error.message : String(error)));
        return true;
      });
    },
  };
}

/** The part of Astro's compiler that is used: it reports what it cannot compile, with 1-based lines. */
interface AstroCompiler {
  transform(
    source: string,
    options: { readonly filename: string },
  ): { readonly diagnostics: readonly { severity: string; text: string; labels: readonly { line: number }[] }[] };
}

function hasDefaultSlot(source: string): boolean {
  return [...source.matchAll(/<slot\b([^<>]{0,500})>/g)].some(
    ([, attributes = '']) => !/\bname\b/.test(attributes) || /default/.test(attributes),
  );
}

const IMPORT = /^[ \t]*import\s(?:[^'";]*?\sfrom\s*)?["']([^"'\n]+)["']/gm;

/**
 * Mistakes in the components of a publication that show without a build: names that the engine does not have, missing files, files that do
 * not compile, imports that lead nowhere; as warnings replacements without the slot of the original.
 */
export async function checkComponents(root: string): Promise<ContentProblem[]> {
  const { files, problems } = await readOverrides(root, await readConfiguredComponents(root));
  const all = [...new Set([...(await componentFiles(root)), ...files.values()])];
  if (all.length === 0) return [...problems];
  const components = await engineComponents();
  const compiler = await loadCompiler();
  const found = await Promise.all(
    all.map(async (path): Promise<ContentProblem[]> => {
      const file = relative(root, path);
      const source = await readFile(path, 'utf8');
      const failures = compiler
        .transform(source, { filename: path })
        .diagnostics.filter(({ severity }) => severity === 'error')
        .map(({ text, labels }) => ({ file, field: '', ...compileFault(source, text, labels[0]?.line) }));
      if (failures.length > 0) return failures;
      const imports = [...source.matchAll(IMPORT)].flatMap(({ 0: { length }, 1: target = '', index }) => {
        const message = importProblem(root, target, path, { components, overrides: files });
        return message === undefined ? [] : [{ file, line: source.slice(0, index + length).split('\n').length, field: '', message }];
      });
      const name = [...files].find(([, replacing]) => replacing === path)?.[0];
      const original = name === undefined ? undefined : components.get(name);
      const showsContent = hasDefaultSlot(source) || source.includes('Astro.slots');
      if (showsContent || original === undefined || !hasDefaultSlot(await readFile(original, 'utf8'))) return imports;
      const message = `has no <slot />, so everything that ${name} encloses is missing on the pages; write <slot /> where it belongs`;
      return [...imports, { file, line: 1, field: '', message, level: 'warning' }];
    }),
  );
  return [...problems, ...found.flat()];
}

/** A message of the compiler, at a line that exists: it names the line below the last one where something is still open at the end. */
function compileFault(source: string, text: string, line: number | undefined): { readonly line: number; readonly message: string } {
  const lines = source.trimEnd().split('\n').length;
  if (line !== undefined && line <= lines) return { line, message: `does not compile: ${text}` };
  return { line: lines, message: `does not compile: ${text}. A tag, a bracket or a quote is still open at the end of the file; close it` };
}

function importProblem(root: string, target: string, importer: string, known: Parameters<typeof resolveComponent>[2]): string | undefined {
  const former = /^virtual:(site|brand|overview)$/.exec(target)?.[1];
  if (former !== undefined) return `imports ${target}, which no longer exists; write "const { ${former} } = Astro.locals;" instead`;
  try {
    if (resolveComponent(target, importer, known) !== undefined) return undefined;
  } catch (error) {
    return error instanceof Error ? error.message.replace(importer, '').trim() : String(error);
  }
  if (!/^\.{1,2}\//.test(target)) return undefined;
  const file = resolve(dirname(importer), target.replace(/[?#].*$/, ''));
  const isThere = ['', '.ts', '.js', '.mjs', '.json', '/index.ts', '/index.js'].some((ending) => existsSync(file + ending));
  return isThere ? undefined : `imports ${target}, and ${relative(root, file)} is missing`;
}

async function componentFiles(root: string): Promise<string[]> {
  const folder = join(root, OVERRIDES_FOLDER);
  return (await readdir(folder, { recursive: true }).catch(() => []))
    .filter((name) => name.endsWith('.astro'))
    .sort()
    .map((name) => join(folder, name));
}

async function loadCompiler(): Promise<AstroCompiler> {
  const astro = createRequire(import.meta.url).resolve('astro/package.json');
  const path = createRequire(astro).resolve('@astrojs/compiler-rs');
  return (await import(/* @vite-ignore */ pathToFileURL(path).href)) as AstroCompiler;
}

const ENGINE_SITE = import.meta.dirname;

/** The error of a build as a mistake in a component of the publication; `undefined` if none of its components is involved. */
export function componentError(root: string, error: unknown): InvalidContentError | undefined {
  if (!(error instanceof Error) || error instanceof InvalidContentError) return undefined;
  const place = namedPlace(root, error.message) ?? renderedPlace(root, error.stack ?? '');
  if (place === undefined) return undefined;
  // Stacks and advice to authors of plugins follow the first sentence.
  const reason =
    error.message
      .split('\n')
      .find((line) => line.trim() !== '' && !/^Build failed|^\[plugin/.test(line))
      ?.replace(/^(?:Error: )?(?:\[vite\]: )?/, '')
      .replaceAll(`${root}${sep}`, '') ?? error.message;
  return new InvalidContentError([
    { file: relative(root, place.file), line: place.line, field: '', message: `stops the build: ${reason}` },
  ]);
}

interface Place {
  readonly file: string;
  readonly line: number;
}

function namedPlace(root: string, message: string): Place | undefined {
  const ending = '.astro';
  for (const word of message.split(/[\s"'`()]/)) {
    const at = word.lastIndexOf(ending);
    const path = word.slice(0, at + ending.length);
    if (at === -1 || !isAbsolute(path) || !isOwn(root, path)) continue;
    const line = /^:(\d+)/.exec(word.slice(path.length))?.[1];
    const quoted = [...message.matchAll(/"([^"\n]+)"/g)].map(([, text = '']) => text).find((text) => text !== path);
    return { file: path, line: line === undefined ? lineWith(path, quoted) : Number(line) };
  }
  return undefined;
}

function renderedPlace(root: string, stack: string): Place | undefined {
  for (const { 1: url = '', 2: line, 3: column } of stack.matchAll(/\(?(file:\/\/[^\s():]+\.mjs):(\d+):(\d+)/g)) {
    const lines = readLines(fileURLToPath(url));
    // Astro ends each component with its file.
    const end = lines.slice(Number(line) - 1).find((text) => /^\}, ".*\.astro"/.test(text));
    const file = /^\}, "(.*\.astro)"/.exec(end ?? '')?.[1];
    if (file === undefined || !isOwn(root, file)) continue;
    const code = (lines[Number(line) - 1] ?? '').slice(Number(column) - 1);
    return { file, line: lineWith(file, /^\.?[\w$.]+/.exec(code)?.[0]) };
  }
  return undefined;
}

function isOwn(root: string, file: string): boolean {
  const path = relative(root, file);
  return !path.startsWith('..') && !path.split(sep).includes('node_modules') && relative(ENGINE_SITE, file).startsWith('..');
}

function lineWith(file: string, text: string | undefined): number {
  const index = text === undefined ? -1 : readLines(file).findIndex((line) => line.includes(text));
  return Math.max(0, index) + 1;
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split('\n');
  } catch {
    return [];
  }
}
