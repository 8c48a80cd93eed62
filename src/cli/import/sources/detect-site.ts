import { lstatSync, readdirSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UserError } from '../../../build/user-error.ts';
import type { Generator } from '../source-page.ts';
import { textWithin } from './open-within.ts';

/**
 * Generators with a syntax of their own, which only they read: the name of their settings, how a site is built, where the result is and, where other
 * programs have files of that name, what the settings contain.
 */
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
 * @throws {UserError} If it was written for one whose syntax an import does not read, and the user named none.
 */
export function detectSite(folder: string, given?: Generator) {
  const found = given === undefined || given === 'obsidian' ? (above(folder) ?? below([folder])) : undefined;
  const { foreign, configFolder } = found ?? {};
  if (given === undefined && foreign && configFolder) throw new UserError(buildFirst(folder, { foreign, configFolder }));
  const vault = foreign === undefined ? configFolder : undefined;
  return { generator: given ?? (vault === undefined ? notesGenerator(folder) : 'obsidian'), root: vault ?? folder };
}

function buildFirst(folder: string, { foreign: [name, , build, output], configFolder }: Required<FoundConfig>): string {
  const anyway = '--generator plain reads the files as plain markdown all the same, and reports what it does not know';
  return build === ''
    ? `${folder} is written for ${name}, whose components only ${name} shows: import its site by its address, such as "akg import https://docs.example.com"; ${anyway}`
    : `${folder} is written for ${name}, whose syntax only ${name} reads: run "${build}" in ${configFolder}, then "akg import ${join(configFolder, output)}"; ${anyway}`;
}

interface FoundConfig {
  /** None for a vault of Obsidian. */
  readonly foreign?: (typeof FOREIGN)[number];
  readonly configFolder: string;
}

/** The settings of a generator, or of Obsidian, that a folder has. */
export function configIn(folder: string): FoundConfig | undefined {
  const names = namesIn(folder);
  if (names.includes(OBSIDIAN) && statSync(join(folder, OBSIDIAN)).isDirectory()) return { configFolder: folder };
  const foreign = FOREIGN.find(([, settings, , , mark]) => {
    const file = names.find((candidate) => settings.test(candidate));
    return file !== undefined && (mark === undefined || mark.test(textWithin(folder, file)));
  });
  return foreign && { foreign, configFolder: folder };
}

function above(folder: string, parents = PARENTS_MAX): FoundConfig | undefined {
  const found = configIn(folder);
  if (found !== undefined || parents === 1 || namesIn(folder).includes('.git') || dirname(folder) === folder) return found;
  return above(dirname(folder), parents - 1);
}

function below(folders: readonly string[], depth = SEARCH_DEPTH): FoundConfig | undefined {
  const level = folders.flatMap(subfolders).slice(0, 2_000);
  const found = level.find((folder) => configIn(folder) !== undefined);
  if (found !== undefined) return configIn(found);
  return depth === 1 ? undefined : below(level, depth - 1);
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
  const texts = notes.map((note) => textWithin(dirname(note), basename(note)).slice(0, 20_000));
  const linking = texts.filter((text) => /^(?![\s\S]*\{\{[<%])[\s\S]*\[\[[^[\]\n]+\]\]/.test(text));
  return notes.length > 0 && linking.length * 4 >= notes.length ? 'obsidian' : 'plain';
}
