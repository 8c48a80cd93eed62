import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ORIGINALS } from '../../src/publication/read/strings-file.ts';
import { literalSentences } from './literal-sentences.ts';
import { listFiles } from './source-files.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../..', path), 'utf8');

/** Pages for developers, and the preview for publishers, which are in English everywhere (docs/translating.md). */
const ENGLISH: readonly string[] = [
  'src/site/components/ApiOperation.astro',
  'src/site/routes/docs/api/[...operation].astro',
  'src/site/routes/problems/[...code].astro',
  'src/site/dev/',
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
    'src/gateway/knowledge/capsule-state.ts',
    'src/text/prices.ts',
  ]
    .filter((path) => /\.(astro|ts)$/.test(path))
    .map(read)
    .join('\n');
  // Errors are taken by their codes, and a type demands a sentence for each.
  const { errors: _byCode, ...named } = ORIGINALS;
  const keys = Object.entries(named).flatMap(([section, messages]) => Object.keys(messages).map((key) => ({ section, key })));
  const composed = /^(status|type|evidence|meaning|kind|cadence)_|_reverse$|(Title|Description)$|^(retracted|superseded)On$/;
  const isUsed = (key: string): boolean => new RegExp(`\\.${key}\\b|'${key}'`).test(code);
  expect(keys.filter(({ key }) => !composed.test(key) && !isUsed(key))).toEqual([]);
});
