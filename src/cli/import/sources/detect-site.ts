import { existsSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join, posix, relative, sep } from 'node:path';
import { type Generator, TEXT_MAX_BYTES } from '../source-page.ts';
import { openWithin } from './open-within.ts';

/** A folder of texts, and the route at which the site shows it. */
export interface ContentRoot {
  /** Path from the root of the site, with slashes; empty for the root itself. */
  readonly folder: string;
  /** Without a slash at the end; empty for the top of the site. */
  readonly route: string;
}

/** What the folder of a source was written for, and where its texts are. */
export interface SiteLayout {
  readonly generator: Generator;
  /** Absolute path of the folder that all paths of the source are relative to. */
  readonly root: string;
  /** Path of the folder with the configuration, from the root. */
  readonly site: string;
  readonly contentRoots: readonly ContentRoot[];
  /** Folders whose files are at the top of the site, from the root. */
  readonly publicFolders: readonly string[];
  /** Address that the configuration states. */
  readonly siteUrl: string | undefined;
  /** Base path of all routes, without a slash at the end. */
  readonly base: string;
}

/** Names of configuration files, by generator; the first match in a folder wins. */
const CONFIGS: readonly { readonly generator: Generator; readonly pattern: RegExp }[] = [
  { generator: 'docusaurus', pattern: /^docusaurus\.config\.[cm]?[jt]s$/ },
  { generator: 'starlight', pattern: /^astro\.config\.[cm]?[jt]s$/ },
  { generator: 'vitepress', pattern: /^\.vitepress$/ },
  { generator: 'mintlify', pattern: /^(?:docs|mint)\.json$/ },
  { generator: 'obsidian', pattern: /^\.obsidian$/ },
];

const IGNORED = /^(?:\.(?!vitepress$|obsidian$)|node_modules$)/;
const SEARCH_DEPTH = 3;
const PARENTS_MAX = 8;

/** A setting of a configuration file with a text as its value: `site: 'https://docs.example.com'`, `base = "/docs"`. */
const SETTING = /(?:^|[\s{,])["']?(\w+)["']?\s*[:=]\s*["'`]([^"'`\n]+)["'`]/g;

/**
 * Finds out what generator a folder was written for: by a configuration file in it, above it up to the root of its repository, or below it.
 *
 * @param folder Absolute path.
 * @param given The generator, if the user named it.
 */
export function detectSite(folder: string, given?: Generator): SiteLayout {
  const found = given === 'plain' ? undefined : (above(folder, given) ?? below(folder, given));
  if (found === undefined) {
    const generator = given ?? (looksLikeVault(folder) ? 'obsidian' : 'plain');
    return {
      generator,
      root: folder,
      site: '',
      contentRoots: [{ folder: '', route: '' }],
      publicFolders: ['', 'public', 'static'],
      siteUrl: undefined,
      base: '',
    };
  }
  const { generator, config, configFolder } = found;
  const text = statSync(config).isDirectory() ? configText(config) : textOf(config);
  const value = (name: string): string | undefined => [...text.matchAll(SETTING)].find(([, key]) => key === name)?.[2];
  const roots = contentRoots(generator, configFolder, text, value);
  const all = [configFolder, ...roots.map(({ folder: path }) => join(configFolder, path))];
  const root = all.reduce(commonFolder);
  const fromRoot = (path: string): string => relative(root, join(configFolder, path)).split(sep).join('/');
  const url =
    generator === 'starlight'
      ? (value('site') ?? /const site\s*=[^;]*?['"](https:[^'"]+)['"]/.exec(text)?.[1])
      : generator === 'docusaurus'
        ? value('url')
        : generator === 'vitepress'
          ? value('hostname')
          : undefined;
  const base =
    (generator === 'docusaurus' ? value('baseUrl') : generator === 'mintlify' || generator === 'obsidian' ? undefined : value('base')) ??
    '';
  return {
    generator,
    root,
    site: fromRoot(''),
    contentRoots: roots.map(({ folder: path, route }) => ({ folder: fromRoot(path), route })),
    publicFolders: [
      'public',
      'static',
      '',
      ...(generator === 'vitepress' ? roots.map(({ folder: path }) => posix.join(path, 'public')) : []),
    ].map(fromRoot),
    siteUrl: url !== undefined && /^https?:\/\/[^/]/.test(url) && URL.canParse(url) ? new URL(url).origin : undefined,
    base: base.replace(/(?<!\/)\/+$/, '').replace(/^\.$/, ''),
  };
}

interface FoundConfig {
  readonly generator: Generator;
  readonly config: string;
  readonly configFolder: string;
}

function configIn(folder: string, given: Generator | undefined): FoundConfig | undefined {
  let names: string[];
  try {
    names = readdirSync(folder);
  } catch {
    return undefined;
  }
  for (const { generator, pattern } of CONFIGS) {
    const name = given === undefined || given === generator ? names.find((candidate) => pattern.test(candidate)) : undefined;
    const config = name === undefined ? undefined : join(folder, name);
    if (config !== undefined && isConfig(generator, config)) return { generator, config, configFolder: folder };
  }
  return undefined;
}

/** An Astro site is one of Starlight's if it says so; `docs.json` has a meaning beyond Mintlify. */
function isConfig(generator: Generator, config: string): boolean {
  if (generator === 'starlight') return /starlight/.test(textOf(config)) || existsSync(join(dirname(config), 'src/content/docs'));
  if (generator === 'mintlify') return /"navigation"|mintlify/.test(textOf(config));
  return true;
}

function above(folder: string, given: Generator | undefined): FoundConfig | undefined {
  let at = folder;
  for (let count = 0; count < PARENTS_MAX; count += 1) {
    const found = configIn(at, given) ?? siblingConfig(at, folder, given);
    if (found) return found;
    if (existsSync(join(at, '.git')) || dirname(at) === at) return undefined;
    at = dirname(at);
  }
  return undefined;
}

/** A configuration in a subfolder whose texts are elsewhere, as in `website/` beside `docs/`: the one that names the given folder. */
function siblingConfig(parent: string, folder: string, given: Generator | undefined): FoundConfig | undefined {
  if (parent === folder) return undefined;
  return subfolders(parent).flatMap((candidate) => {
    const found = configIn(candidate, given);
    if (found?.generator !== 'docusaurus') return [];
    const text = textOf(found.config);
    const isNamed = [...text.matchAll(/path:\s*['"](\.\.\/[^'"\n]+)['"]/g)].some(({ 1: path = '' }) => {
      const named = join(candidate, path);
      return folder === named || folder.startsWith(named + sep);
    });
    return isNamed ? [found] : [];
  })[0];
}

/** The first configuration below a folder, level by level. */
function below(folder: string, given: Generator | undefined): FoundConfig | undefined {
  let level = [folder];
  for (let depth = 0; depth < SEARCH_DEPTH; depth += 1) {
    level = level.flatMap((parent) => subfolders(parent)).slice(0, 2_000);
    for (const candidate of level) {
      const found = configIn(candidate, given);
      if (found) return found;
    }
  }
  return undefined;
}

function subfolders(folder: string): string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !IGNORED.test(entry.name) && entry.name !== 'examples')
      .map((entry) => join(folder, entry.name))
      .sort();
  } catch {
    return [];
  }
}

/** Whether the notes of a folder link to each other by name, as in Obsidian. */
function looksLikeVault(folder: string): boolean {
  const notes = [folder, ...subfolders(folder)]
    .flatMap((path) =>
      readdirSync(path, { withFileTypes: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
        .map((entry) => join(path, entry.name)),
    )
    .slice(0, 100);
  const linking = notes.filter((note) => /\[\[[^[\]\n]+\]\]/.test(textOf(note).slice(0, 20_000)));
  return notes.length > 0 && linking.length * 4 >= notes.length;
}

function configText(folder: string): string {
  const name = readdirSync(folder).find((candidate) => /^config\.[cm]?[jt]s$/.test(candidate));
  return name === undefined ? '' : textOf(join(folder, name));
}

function contentRoots(generator: Generator, folder: string, text: string, value: (name: string) => string | undefined): ContentRoot[] {
  const existing = (roots: readonly ContentRoot[]): ContentRoot[] => {
    const unique = new Map(
      roots.filter(({ folder: path }) => existsSync(join(folder, path))).map((root) => [posix.normalize(root.folder), root]),
    );
    return unique.size === 0 ? [{ folder: '', route: '' }] : [...unique.values()];
  };
  switch (generator) {
    case 'starlight':
      return existing([{ folder: 'src/content/docs', route: '' }]);
    case 'vitepress':
      return existing([{ folder: value('srcDir') ?? '', route: '' }]);
    case 'docusaurus': {
      // `path` with the `routeBasePath` that stands near it, as presets and plugins have them.
      const paths = [...text.matchAll(/(?:^|[\s{,])path:\s*['"]([^'"\n]+)['"]/g)].map(({ 1: path = '', index }) => {
        const near = text.slice(Math.max(0, index - 300), index + 400);
        const route = /routeBasePath:\s*['"]([^'"\n]*)['"]/.exec(near)?.[1] ?? posix.basename(path);
        return { folder: path, route: routeOf(route) };
      });
      const only = paths.length === 0 ? /routeBasePath:\s*['"]([^'"\n]*)['"]/.exec(text)?.[1] : undefined;
      return existing([
        ...paths,
        { folder: 'docs', route: routeOf(only ?? 'docs') },
        { folder: 'blog', route: '/blog' },
        { folder: 'src/pages', route: '' },
      ]);
    }
    default:
      return [{ folder: '', route: '' }];
  }
}

function routeOf(path: string): string {
  const route = path.replace(/^\/+|(?<!\/)\/+$/g, '');
  return route === '' ? '' : `/${route}`;
}

function commonFolder(a: string, b: string): string {
  const [left, right] = [a.split(sep), b.split(sep)];
  let count = 0;
  while (count < left.length && left[count] === right[count]) count += 1;
  return left.slice(0, count).join(sep) || sep;
}

/** The text of a file that must be in the folder that it seems to be in; empty if it cannot be read. */
function textOf(file: string): string {
  const opened = openWithin(dirname(file), basename(file), TEXT_MAX_BYTES);
  return opened && 'bytes' in opened ? opened.bytes.toString('utf8') : '';
}
