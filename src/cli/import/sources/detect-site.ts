import { lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../../build/user-error.ts';
import { type Generator, TEXT_MAX_BYTES } from '../source-page.ts';
import { openWithin } from './open-within.ts';

/** What the folder of a source was written for. */
export interface SiteLayout {
  readonly generator: Generator;
  /** Absolute path of the folder that all paths of the source are relative to. */
  readonly root: string;
}

/** A generator with a syntax of its own, which only it reads: how its site is built, and where the result is. */
interface ForeignGenerator {
  readonly name: string;
  /** Name of its settings. */
  readonly file: RegExp;
  /** What the settings contain, where other programs have files of the same name. */
  readonly mark?: RegExp;
  readonly build: string;
  readonly output: string;
}

const FOREIGN: readonly ForeignGenerator[] = [
  { name: 'MkDocs', file: /^mkdocs\.ya?ml$/, build: 'mkdocs build', output: 'site' },
  { name: 'Hugo', file: /^hugo\.(?:toml|ya?ml|json)$/, build: 'hugo', output: 'public' },
  { name: 'Hugo', file: /^config\.(?:toml|ya?ml|json)$/, mark: /baseURL|languageCode|\[?markup/i, build: 'hugo', output: 'public' },
  { name: 'Zola', file: /^config\.toml$/, mark: /^base_url\s*=/m, build: 'zola build', output: 'public' },
  { name: 'Jekyll', file: /^_config\.ya?ml$/, build: 'bundle exec jekyll build', output: '_site' },
  {
    name: 'Sphinx',
    file: /^conf\.py$/,
    mark: /^\s*(?:extensions|html_theme|project|source_suffix)\s*=/m,
    build: 'sphinx-build -b html . _build/html',
    output: '_build/html',
  },
  { name: 'VitePress', file: /^\.vitepress$/, build: 'npx vitepress build', output: '.vitepress/dist' },
  { name: 'Docusaurus', file: /^docusaurus\.config\.[cm]?[jt]s$/, build: 'npm run build', output: 'build' },
  { name: 'Starlight', file: /^astro\.config\.[cm]?[jt]s$/, mark: /starlight/, build: 'npm run build', output: 'dist' },
  { name: 'Mintlify', file: /^(?:docs|mint)\.json$/, mark: /"navigation"|mintlify/, build: '', output: '' },
  { name: 'mdBook', file: /^book\.toml$/, build: 'mdbook build', output: 'book' },
  { name: 'Quarto', file: /^_quarto\.ya?ml$/, build: 'quarto render', output: '_site' },
  { name: 'Antora', file: /^antora(?:-playbook)?\.ya?ml$/, build: 'npx antora antora-playbook.yml', output: 'build/site' },
  { name: 'Eleventy', file: /^(?:\.eleventy|eleventy\.config)\.[cm]?js$/, build: 'npx @11ty/eleventy', output: '_site' },
  { name: 'Nextra', file: /^next\.config\.[cm]?[jt]s$/, mark: /nextra|fumadocs/, build: 'npm run build', output: 'out' },
];

/** Settings of Obsidian, whose texts an import reads as they are. */
const OBSIDIAN = '.obsidian';

const IGNORED = /^(?:\.(?!vitepress$|obsidian$)|node_modules$|examples$)/;
const SEARCH_DEPTH = 3;
const PARENTS_MAX = 8;

/**
 * Finds out what generator a folder was written for: by a configuration file in it, above it up to the root of its repository, or below it.
 *
 * @param folder Absolute path.
 * @param given The generator, if the user named it.
 * @throws {UserError} If it was written for one whose syntax an import does not read.
 */
export function detectSite(folder: string, given?: Generator): SiteLayout {
  const found = given === undefined || given === 'obsidian' ? (above(folder) ?? below(folder)) : undefined;
  const isVault = found !== undefined && found.foreign === undefined;
  if (given === undefined && found?.foreign !== undefined) throw new UserError(buildFirst(folder, found.foreign, found.configFolder));
  return { generator: given ?? (isVault ? 'obsidian' : notesGenerator(folder)), root: isVault ? found.configFolder : folder };
}

/** Whether a folder has settings of a generator or of Obsidian. */
export function hasSettings(folder: string): boolean {
  return configIn(folder) !== undefined;
}

/** How to import what only its generator reads. */
function buildFirst(folder: string, { name, build, output }: ForeignGenerator, configFolder: string): string {
  const anyway = '--generator plain reads the files as plain markdown all the same, and reports what it does not know';
  if (build === '')
    return `${folder} is written for ${name}, whose components only ${name} shows: import its site by its address, such as "akg import https://docs.example.com"; ${anyway}`;
  return `${folder} is written for ${name}, whose syntax only ${name} reads: run "${build}" in ${configFolder}, then "akg import ${join(configFolder, output)}"; ${anyway}`;
}

interface FoundConfig {
  /** None for a vault of Obsidian. */
  readonly foreign?: ForeignGenerator;
  readonly configFolder: string;
}

function configIn(folder: string): FoundConfig | undefined {
  const names = namesIn(folder);
  if (names.includes(OBSIDIAN) && statSync(join(folder, OBSIDIAN)).isDirectory()) return { configFolder: folder };
  for (const foreign of FOREIGN) {
    const name = names.find((candidate) => foreign.file.test(candidate));
    if (name !== undefined && (foreign.mark === undefined || foreign.mark.test(textOf(join(folder, name)))))
      return { foreign, configFolder: folder };
  }
  return undefined;
}

function above(folder: string): FoundConfig | undefined {
  let at = folder;
  for (let count = 0; count < PARENTS_MAX; count += 1) {
    const found = configIn(at);
    if (found) return found;
    if (namesIn(at).includes('.git') || dirname(at) === at) return undefined;
    at = dirname(at);
  }
  return undefined;
}

/** The first configuration below a folder, level by level. */
function below(folder: string): FoundConfig | undefined {
  let level = [folder];
  for (let depth = 0; depth < SEARCH_DEPTH; depth += 1) {
    level = level.flatMap((parent) => subfolders(parent)).slice(0, 2_000);
    for (const candidate of level) {
      const found = configIn(candidate);
      if (found) return found;
    }
  }
  return undefined;
}

function subfolders(folder: string): string[] {
  return namesIn(folder)
    .filter((name) => !IGNORED.test(name) && lstatSync(join(folder, name)).isDirectory())
    .map((name) => join(folder, name))
    .sort();
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** What a folder of notes without settings comes from: names that end with ids are Notion's, links by name Obsidian's. */
function notesGenerator(folder: string): Generator {
  const notes = [folder, ...subfolders(folder)]
    .flatMap((path) => namesIn(path).map((name) => join(path, name)))
    .filter((path) => path.endsWith('.md') && lstatSync(path).isFile())
    .slice(0, 100);
  if (notes.length > 0 && notes.filter((note) => /[ -][0-9a-f]{32}\.md$/.test(note)).length * 2 >= notes.length) return 'notion';
  // Two brackets are also tables of TOML, in texts of Hugo.
  const linking = notes.filter((note) => /^(?![\s\S]*\{\{[<%])[\s\S]*\[\[[^[\]\n]+\]\]/.test(textOf(note).slice(0, 20_000)));
  return notes.length > 0 && linking.length * 4 >= notes.length ? 'obsidian' : 'plain';
}

/** The text of a file that must be in the folder that it seems to be in; empty if it cannot be read. */
function textOf(file: string): string {
  const opened = openWithin(dirname(file), basename(file), TEXT_MAX_BYTES);
  return opened && 'bytes' in opened ? opened.bytes.toString('utf8') : '';
}
