import { existsSync, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { UserError } from '../../../publication/content-problem.ts';
import { ListedLicense } from '../../../schemas/spdx-license.ts';
import type { Generator, Source } from '../import-source.ts';
import { outsideCode } from '../markdown/markdown-syntax.ts';
import { isWithin, listFiles, textWithin } from './read-within-folder.ts';

/** Generators whose syntax only they read: the name of their settings, how to build, where the result is, what such settings contain. */
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
  ['GitBook', /^\.gitbook(?:\.ya?ml)?$/, '', ''],
  ['Logseq', /^config\.edn$/, 'export the graph as standard Markdown (menu "Export graph"), and import that', ''],
  ['HonKit', /^book\.js(?:on)?$/, 'npx honkit build', '_book', /gitbook|honkit|plugins/],
  ['mdBook', /^book\.toml$/, 'mdbook build', 'book'],
  ['Quarto', /^_quarto\.ya?ml$/, 'quarto render', '_site'],
  ['Antora', /^antora(?:-playbook)?\.ya?ml$/, 'npx antora antora-playbook.yml', 'build/site'],
  ['Eleventy', /^(?:\.eleventy|eleventy\.config)\.[cm]?js$/, 'npx @11ty/eleventy', '_site'],
  ['GitBook', /^SUMMARY\.md$/, '', '', /^\uFEFF?\s*# Table of contents\s*?\n/],
  ['Nextra', /^next\.config\.[cm]?[jt]s$/, `set "output: 'export'", run "npm run build", and import "out"`, '', /nextra|fumadocs/],
];

const OBSIDIAN = '.obsidian';

const IGNORED = /^(?:\.(?!vitepress$|obsidian$)|node_modules$|examples$)/;
const SEARCH_DEPTH = 3;
const PARENTS_MAX = 8;

/** Finds the generator of a folder by settings in, above or below it. @throws {UserError} If an import does not read its syntax. */
export function detectSite(folder: string, given?: Generator) {
  const found = given === undefined || given === 'obsidian' ? (above(folder) ?? below([folder])) : undefined;
  const { foreign, configFolder } = found ?? {};
  if (given === undefined && foreign && configFolder) throw new UserError(buildFirst(folder, { foreign, configFolder }));
  const vault = foreign === undefined ? configFolder : undefined;
  return { generator: given ?? (vault === undefined ? notesGenerator(folder) : 'obsidian'), root: vault ?? folder };
}

function buildFirst(folder: string, { foreign: [name, , build, output], configFolder }: Required<FoundConfig>): string {
  const anyway = '--generator plain reads the files as plain markdown all the same, and reports what it does not know';
  const bySite = 'import its site by its address, such as "akg import https://docs.example.com"';
  const remedy =
    output === '' ? build || bySite : `run "${build}" in ${configFolder}, then "akg import ${join(configFolder, output)}"; or ${bySite}`;
  return `${folder} is written for ${name}, whose syntax only ${name} reads: ${remedy}; ${anyway}`;
}

type FoundConfig = { readonly foreign?: (typeof FOREIGN)[number]; readonly configFolder: string };

export function configIn(folder: string): FoundConfig | undefined {
  const names = namesIn(folder);
  if (names.includes(OBSIDIAN) && statSync(join(folder, OBSIDIAN)).isDirectory()) return { configFolder: folder };
  const foreign = FOREIGN.find(([, settings, , , mark]) => {
    const file = names.find((candidate) => settings.test(candidate));
    return file !== undefined && (mark === undefined || mark.test(textWithin(folder, file)));
  });
  return foreign === undefined || isPlain(folder, foreign[0]) ? undefined : { foreign, configFolder: folder };
}

/** Generators whose texts are plain markdown where no tag of a template is in them. */
const TEMPLATED = ['Jekyll', 'HonKit', 'GitBook'];

/** Whether a site has no syntax of its generator: GitHub shows repositories with a theme of Jekyll, and books may have chapters alone. */
function isPlain(folder: string, generator: string): boolean {
  if (!TEMPLATED.includes(generator) || namesIn(folder).some((name) => /^_(?:posts|layouts|includes|data)$/.test(name))) return false;
  const texts = listFiles(folder, folder, (name) => IGNORED.test(name)).filter((path) => /\.(?:md|markdown)$/i.test(path));
  const withoutTags = (text: string): string => outsideCode(text, (prose) => prose.replaceAll(/\{[%{]/g, ''));
  return texts.length > 0 && texts.map((path) => textWithin(folder, path)).every((text) => withoutTags(text).length === text.length);
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

const NOTES_MAX = 200;

/** What a folder of notes without settings comes from: names that end with ids are Notion's, links by name Obsidian's. */
function notesGenerator(folder: string): Generator {
  const all = listFiles(folder, folder, (name) => IGNORED.test(name)).filter((path) => path.endsWith('.md'));
  // Spread over all folders: those at the top may have overviews alone.
  const notes = all.filter((_, index) => index % Math.ceil(all.length / NOTES_MAX) === 0);
  if (notes.length > 0 && notes.filter((note) => /[ -][0-9a-f]{32}\.md$/.test(note)).length * 2 >= notes.length) return 'notion';
  // Two brackets are also tables of TOML, in texts of Hugo.
  const texts = notes.map((note) => textWithin(folder, note).slice(0, 20_000));
  const linking = texts.filter((text) => /^(?![\s\S]*\{\{[<%])[\s\S]*\[\[[^[\]\n]+\]\]/.test(text));
  return notes.length > 0 && linking.length * 4 >= notes.length ? 'obsidian' : 'plain';
}

const TEXTS: readonly (readonly [id: string, pattern: RegExp])[] = [
  ['CC-BY-NC-SA-4.0', /Attribution-NonCommercial-ShareAlike 4\.0/i],
  ['CC-BY-NC-ND-4.0', /Attribution-NonCommercial-NoDerivatives 4\.0/i],
  ['CC-BY-NC-4.0', /Attribution-NonCommercial 4\.0/i],
  ['CC-BY-ND-4.0', /Attribution-NoDerivatives 4\.0/i],
  ['CC-BY-SA-4.0', /Attribution-ShareAlike 4\.0/i],
  ['CC-BY-4.0', /Attribution 4\.0 International|creativecommons\.org\/licenses\/by\/4\.0/i],
  ['CC-BY-3.0', /Attribution 3\.0/i],
  ['CC0-1.0', /CC0 1\.0 Universal/i],
  ['AGPL-3.0-only', /GNU AFFERO GENERAL PUBLIC LICENSE\s+Version 3/i],
  ['LGPL-3.0-only', /GNU LESSER GENERAL PUBLIC LICENSE\s+Version 3/i],
  ['GPL-3.0-only', /GNU GENERAL PUBLIC LICENSE\s+Version 3/i],
  ['GPL-2.0-only', /GNU GENERAL PUBLIC LICENSE\s+Version 2/i],
  ['GFDL-1.3-only', /GNU Free Documentation License\s+Version 1\.3/i],
  ['MPL-2.0', /Mozilla Public License,? (?:Version|v\.?) ?2\.0/i],
  ['Apache-2.0', /Apache License\s+Version 2\.0/i],
  ['BSD-3-Clause', /Neither the name of[\s\S]{0,200}?nor the names of its\s+contributors/i],
  ['BSD-2-Clause', /Redistributions of source code must retain/i],
  ['ISC', /Permission to use, copy, modify, and\/or distribute this software for any\s+purpose/i],
  ['MIT', /Permission is hereby granted, free of charge, to any person obtaining a copy/i],
  ['Unlicense', /This is free and unencumbered software released into the public domain/i],
];

const NAMES: readonly RegExp[] = [
  /^LICEN[CS]E[-_.](?:docs?|documentation|content)(?:\.\w+)?$/i,
  /^LICEN[CS]E(?:\.(?:md|txt))?$/i,
  /^COPYING(?:\.(?:md|txt))?$/i,
];

/** The licence of a folder: of its licence file, or one above it in its repository or site, but never of the publication's own. */
export function detectLicense(folder: string, siteRoot: string, publication: string): Source['license'] {
  const start = isWithin(siteRoot, folder) ? siteRoot : folder;
  const top = repositoryOf(folder) ?? (isWithin(folder, siteRoot) ? siteRoot : folder);
  for (let at = start; isWithin(at, top) && !isWithin(realpathSync(publication), realpathSync(at)); at = dirname(at)) {
    const names = readdirSync(at);
    for (const pattern of NAMES) {
      const name = names.find((candidate) => pattern.test(candidate));
      const id = name === undefined ? undefined : licenseOf(textWithin(top, relative(top, join(at, name))));
      if (name !== undefined && id !== undefined) return { id, file: relative(folder, join(at, name)).split(sep).join('/') };
    }
    if (at === top) return undefined;
  }
  return undefined;
}

function repositoryOf(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, '.git'))) return at;
    if (dirname(at) === at) return undefined;
  }
}

function licenseOf(text: string): string | undefined {
  const stated = /SPDX-License-Identifier:\s*([\w.+-]+)/.exec(text)?.[1];
  if (stated !== undefined && ListedLicense.safeParse(stated).success) return stated;
  return TEXTS.find(([, pattern]) => pattern.test(text.slice(0, 20_000)))?.[0];
}
