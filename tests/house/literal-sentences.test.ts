import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { expect, test } from 'vitest';
import { ORIGINALS } from '../../src/publication/read/strings-file.ts';
import { listFiles } from './source-files.ts';

const READ_ATTRIBUTES: readonly string[] = [
  ...['title', 'description', 'lead', 'heading', 'note', 'label', 'caption', 'alt', 'placeholder', 'aria-label', 'data-label'],
];
const READ_PROPERTIES: readonly string[] = [...READ_ATTRIBUTES, 'name'];

/** A sentence, or a word on its own, as people read it: `Nothing is for sale`, `Total`, ` or `. */
const READS_AS_TEXT = /^\p{Lu}[\p{Ll}’]+([,:]? [\p{L}’]+)+|^\p{Lu}\p{Ll}{2,}$|^[;,]? \p{Ll}{2,}|\p{Ll}\.$/u;

/**
 * Literal text for people in an Astro file, as `file:line text`: words in its markup or in an attribute that people read, and strings that
 * read as sentences. They belong in `src/text/strings`.
 */
function literalSentences(path: string, source: string): string[] {
  const [, frontMatter = '', markup = ''] = /^---\n(.*?)\n---\n(.*)$/s.exec(source) ?? [];
  const template = markup.replace(/<!doctype html>/i, '').replace(/<(script|style)\b.*?<\/\1>/gs, '');
  const before = frontMatter.split('\n').length + 2;
  return [...readTexts(frontMatter, 1, path), ...readTexts(`const template = <>${template}</>;`, before, path)];
}

function readTexts(code: string, linesBefore: number, path: string): string[] {
  const tree = ts.createSourceFile('page.tsx', code, ts.ScriptTarget.Latest, true, ts.ScriptKind.TSX);
  const found: string[] = [];
  const report = (node: ts.Node, text: string): void => {
    const line = tree.getLineAndCharacterOfPosition(node.getStart(tree)).line + linesBefore + 1;
    found.push(`${path}:${line} ${text.trim().replace(/\s+/g, ' ')}`);
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node) || ts.isTypeNode(node)) return;
    if (ts.isJsxText(node) && /\p{L}{2,}/u.test(node.text)) report(node, node.text);
    else if (ts.isJsxAttribute(node) && node.initializer && ts.isStringLiteral(node.initializer)) {
      const isComponent = /^\p{Lu}/u.test(node.parent.parent.tagName.getText(tree));
      const read = isComponent ? READ_PROPERTIES : READ_ATTRIBUTES;
      if (read.includes(node.name.getText(tree)) && /\p{L}{2,}/u.test(node.initializer.text)) report(node, node.initializer.text);
      return;
    } else if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node) || isTemplatePart(node)) {
      if (READS_AS_TEXT.test(node.text)) report(node, node.text);
    }
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

function isTemplatePart(node: ts.Node): node is ts.TemplateHead | ts.TemplateMiddle | ts.TemplateTail {
  return ts.isTemplateHead(node) || ts.isTemplateMiddle(node) || ts.isTemplateTail(node);
}

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

/** Pages for developers, and the preview and the dashboard for publishers, which are in English everywhere (docs/translating.md). */
const ENGLISH: readonly string[] = [
  'src/site/components/Api',
  'src/site/routes/docs/api/[...operation].astro',
  'src/site/routes/problems/[...code].astro',
  'src/site/dev/',
  'src/site/on-demand/dashboard.astro',
];

/** Names that are the same in every language, and code that agents run. */
const NAMES =
  /^(SHA-256|BibTeX|Content-Type: application\/json|Agentic Commerce Protocol|Universal Commerce Protocol|Authorization: Bearer|BreadcrumbList|ListItem|Organization)$/;

test('no page has a sentence of its own: all are in src/text/strings', () => {
  const pages = listFiles('src/site').filter((path) => path.endsWith('.astro') && !ENGLISH.some((place) => path.startsWith(place)));
  const found = pages.flatMap((path) => literalSentences(path, read(path)));
  expect(found.filter((line) => !NAMES.test(line.slice(line.indexOf(' ') + 1)))).toEqual([]);
});

test('finds words in markup, in attributes and in expressions', () => {
  const page = ['---', "const title = isOpen ? 'Open now' : t.closed;", '---', '<p class="small soft">', '  {price} a month', '</p>'];
  const more = [
    ['<Fact name="Total">{`$', '{count} items`}</Fact>'].join(''),
    '{isDemo && <b>Demo</b>}',
    '<a href="/about us" title={t.about}>{t.about}</a>',
  ];
  expect(literalSentences('a.astro', [...page, ...more].join('\n'))).toEqual([
    'a.astro:2 Open now',
    'a.astro:5 a month',
    'a.astro:7 Total',
    'a.astro:7 items',
    'a.astro:8 Demo',
  ]);
});

test('every sentence is used', () => {
  const code = [
    ...listFiles('src/site'),
    'src/text/markdown/admonition-lines.ts',
    'src/gateway/knowledge/capsule-status-sentences.ts',
    'src/text/prices.ts',
  ]
    .filter((path) => /\.(astro|ts)$/.test(path))
    .map(read)
    .join('\n');
  // Errors are taken by their codes, and a type demands a sentence for each.
  const { errors: _byCode, ...named } = ORIGINALS;
  const keys = Object.entries(named).flatMap(([section, messages]) => Object.keys(messages).map((key) => ({ section, key })));
  const composed = /^(status|type|evidence|meaning|kind|cadence|state)_|_reverse$|(Title|Description)$|^(retracted|superseded)On$/;
  const isUsed = (key: string): boolean => new RegExp(`\\.${key}\\b|'${key}'`).test(code);
  expect(keys.filter(({ key }) => !composed.test(key) && !isUsed(key))).toEqual([]);
});
