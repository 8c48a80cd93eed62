import { lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../../build/user-error.ts';
import { type Generator, TEXT_MAX_BYTES } from '../source-page.ts';
import { openWithin } from './open-within.ts';

/** What the folder of a source was written for, and the absolute path that all its paths are relative to. */
export type SiteLayout = ReturnType<typeof detectSite>;

/** A generator with a syntax of its own, which only it reads: how its site is built, and where the result is. */
interface ForeignGenerator {
  readonly name: string;
  readonly build: string;
  readonly output: string;
}

/** Generators with the name of their settings and, where other programs have files of that name, what the settings contain. */
const FOREIGN: readonly (readonly [name: string, file: RegExp, build: string, output: string, mark?: RegExp])[] = [
  ['MkDocs', /^mkdocs\.ya?ml$/, 'mkdocs build', 'site'],
  ['Hugo', /^hugo\.(?:toml|ya?ml|json)$/, 'hugo', 'public'],
  ['Hugo', /^config\.(?:toml|ya?ml|json)$/, 'hugo', 'public', /baseURL|languageCode|\[?markup/i],
  ['Zola', /^config\.toml$/, 'zola build', 'public', /^base_url\s*=/m],
  ['Jekyll', /^_config\.ya?ml$/, 'bundle exec jekyll build', '_site'],
  ['Sphinx', /^conf\.py$/, 'sphinx-build -b html . _build/html', '_build/html', /^\s*(?:extensions|html_theme|project|source_suffix)\s*=/m],
  ['VitePress', /^\.vitepress$/, 'npx vitepress build', '.vitepress/dist'],
  ['Docusaurus', /^docusaurus\.config\.[cm]?[jt]s$/, 'npm run build', 'build'],
  ['Starlight', /^astro\.config\.[cm]?[jt]s$/, 'npm run build', 'dist', /starlight/],
  ['Mintlify', /^(?:docs|mint)\.json$/, '', '', /"navigation"|mintlify/],
  ['mdBook', /^book\.toml$/, 'mdbook build', 'book'],
  ['Quarto', /^_quarto\.ya?ml$/, 'quarto render', '_site'],
  ['Antora', /^antora(?:-playbook)?\.ya?ml$/, 'npx antora antora-playbook.yml', 'build/site'],
  ['Eleventy', /^(?:\.eleventy|eleventy\.config)\.[cm]?js$/, 'npx @11ty/eleventy', '_site'],
  ['Nextra', /^next\.config\.[cm]?[jt]s$/, 'npm run build', 'out', /nextra|fumadocs/],
];

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
export function detectSite(folder: string, given?: Generator) {
  const found = given === undefined || given === 'obsidian' ? (above(folder) ?? below(folder)) : undefined;
  const isVault = found !== undefined && found.foreign === undefined;
  if (given === undefined && found?.foreign !== undefined) throw new UserError(buildFirst(folder, found.foreign, found.configFolder));
  return { generator: given ?? (isVault ? 'obsidian' : notesGenerator(folder)), root: isVault ? found.configFolder : folder };
}

/** Whether a folder has settings of a generator or of Obsidian. */
export function hasSettings(folder: string): boolean {
  return configIn(folder) !== undefined;
}

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
  for (const [name, settings, build, output, mark] of FOREIGN) {
    const file = names.find((candidate) => settings.test(candidate));
    if (file !== undefined && (mark === undefined || mark.test(textOf(join(folder, file)))))
      return { foreign: { name, build, output }, configFolder: folder };
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
