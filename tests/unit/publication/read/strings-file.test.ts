import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { ERRORS } from '../../../../src/gateway/errors.ts';
import { type ContentProblem, formatProblem, sortProblems } from '../../../../src/publication/content-problem.ts';
import {
  interfaceLanguage,
  ORIGINALS,
  readStringOverrides,
  readStrings,
  SENTENCES,
  stringsFileText,
  translationMistakes,
} from '../../../../src/publication/read/strings-file.ts';
import { markup, text } from '../../../../src/site/format-strings.ts';
import english from '../../../../src/text/strings/en.json' with { type: 'json' };
import ofDocuments from '../../../../src/text/strings/en-documents.json' with { type: 'json' };
import { ENGLISH } from '../../../../src/text/strings/interface-strings.ts';
import { isPlural, type Message, messageParts } from '../../../../src/text/strings/message-format.ts';
import { sharedFolder } from '../content-world.ts';

const root = sharedFolder();
beforeAll(() => mkdir(join(root, 'content/strings'), { recursive: true }));

async function readWith(language: string, text?: string) {
  const path = join(root, `content/strings/${language}.yaml`);
  if (text === undefined) await rm(path, { force: true });
  else await writeFile(path, text);
  const problems: ContentProblem[] = [];
  const read = await readStrings(root, language, problems);
  return { ...read, problems: sortProblems(problems).map((problem) => `${problem.level ?? 'error'} ${formatProblem(problem)}`) };
}

test('there is a sentence for every error code, in English and in German', () => {
  for (const language of ['en', 'de'])
    expect(Object.keys(interfaceLanguage(language).strings.errors).sort()).toEqual(Object.keys(ERRORS).sort());
});

test('the English sentences list the values and elements that they have, from which types are made', () => {
  const parts = (described: Readonly<Record<string, unknown>>) =>
    Object.entries(described).flatMap(([name, value]) => {
      if (name.startsWith('@')) return [];
      const message = value as Message;
      const has = messageParts(message).filter((part) => !(part === '{count}' && isPlural(message)));
      return [[name, has, Object.keys(described[`@${name}`] ?? {}).sort()]];
    });
  for (const [name, has, listed] of [english, ofDocuments].flatMap((file) => Object.values(file).flatMap(parts)))
    expect([name, listed]).toEqual([name, has]);
});

test('a page must fill in all values and elements of a sentence', () => {
  const { pages, home, frame } = ENGLISH;
  expect(text(home.relations, { count: 2 })).toBe('2 relations');
  // @ts-expect-error
  expect(text(home.relations, {})).toBe('{count} relations');
  // @ts-expect-error
  expect(markup(frame.offerMoved, { path: '/a' }, {})).toBe('This offer is at /a.');
  // @ts-expect-error
  expect(pages.noSuchPage).toBeUndefined();
});

describe('sentences in German', () => {
  const german: Readonly<Record<string, Readonly<Record<string, string>>>> = interfaceLanguage('de').strings as never;

  it('are all there: each is the translation of an English one', async () => {
    const file = await readFile(join(import.meta.dirname, '../../../../src/text/strings/de.yaml'), 'utf8');
    const keys = (strings: object): string[] =>
      Object.entries(strings).flatMap(([section, messages]) => Object.keys(messages as object).map((key) => `${section}.${key}`));
    expect(keys(parse(file) as object).sort()).toEqual(keys(ORIGINALS).sort());
  });

  it('have the placeholders and tags of the English ones', () => {
    const mistakes = Object.entries(ORIGINALS).flatMap(([section, messages]) =>
      Object.entries(messages).flatMap(([key, original]) =>
        translationMistakes(original, german[section]?.[key] ?? '').map((mistake) => `${section}.${key} ${mistake}`),
      ),
    );
    expect(mistakes).toEqual([]);
  });

  it('quote as German does, and describe pages in 50 to 200 characters', () => {
    expect(JSON.stringify(german)).not.toMatch(/[“”][^„]*”|\.\.\./);
    for (const strings of [german['pages'], ENGLISH.pages])
      for (const [key, text] of Object.entries(strings ?? {}))
        if (key.endsWith('Description')) expect(text.length, key).toSatisfy((length) => Number(length) >= 50 && Number(length) <= 200);
  });
});

describe('readStrings()', () => {
  it('takes the sentences of the engine, with or without a region', async () => {
    expect(await readWith('en')).toMatchObject({ tag: 'en', strings: ENGLISH, problems: [] });
    expect(await readWith('de-AT')).toMatchObject({ tag: 'de-AT', strings: { frame: { copy: 'Kopieren' } }, problems: [] });
  });

  it('prefers the sentences of the publication', async () => {
    const read = await readWith('de', 'frame:\n  copy: Übernehmen\nhome:\n');
    expect(read).toMatchObject({ strings: { frame: { copy: 'Übernehmen', copied: 'Kopiert' } }, problems: [] });
  });

  it('falls back to English, and warns', async () => {
    expect(await readWith('fr')).toMatchObject({
      tag: 'en',
      strings: ENGLISH,
      problems: [
        expect.stringMatching(/^warning content\/strings\/fr\.yaml:1 is missing, so the interface is in English; .*npm run strings -- fr/),
      ],
    });
    expect(await readWith('fr', 'frame:\n  copy: Copier\n')).toMatchObject({
      tag: 'fr',
      strings: { frame: { copy: 'Copier', copied: 'Copied' } },
      problems: [expect.stringMatching(new RegExp(`^warning .* lacks ${SENTENCES - 1} of ${SENTENCES} sentences`))],
    });
  });

  it('reports unknown sentences, and missing and unknown placeholders, all at their lines', async () => {
    const text = ['frame:', '  copyy: a', "  contactLine: 'Écrivez à <email>{mail}</email>'", 'homme: a'].join('\n');
    const unknown = await readWith('fr', text);
    expect(unknown.problems).toEqual([
      expect.stringMatching(/^error content\/strings\/fr\.yaml:2 frame\.copyy: /),
      expect.stringMatching(/^error content\/strings\/fr\.yaml:4 homme: .*"home"/),
    ]);
    const placeholders = await readWith('fr', text.replace('  copyy: a\n', '').replace('homme: a', ''));
    expect(placeholders.problems).toEqual([
      'error content/strings/fr.yaml:2 frame.contactLine: contains {mail}, which has no value here; it can contain <contact>, <email>, {email}',
      'error content/strings/fr.yaml:2 frame.contactLine: must contain <contact>, as the English text does',
      'error content/strings/fr.yaml:2 frame.contactLine: must contain {email}, as the English text does',
    ]);
  });

  it('accepts plural forms for sentences with a count only, which need "other"', async () => {
    const forms = '{ one: "{count} relation", many: "{count} de relations", other: "{count} relations" }';
    expect((await readWith('fr', `home:\n  relations: ${forms}\n`)).problems).toEqual([expect.stringMatching(/^warning/)]);
    expect((await readWith('fr', `home:\n  newest: ${forms}\n`)).problems).toEqual([
      expect.stringMatching(/^error .*:2 home\.newest: must be/),
    ]);
    expect((await readWith('fr', 'home:\n  relations: { one: "{count}" }\n')).problems).toEqual([
      expect.stringMatching(/^error .*:2 home\.relations/),
    ]);
  });
});

describe('translationMistakes()', () => {
  it('finds tags that are open, closed twice or crossed', () => {
    expect(translationMistakes('<a>x</a>', '<a>x')).toEqual(['must open and close <a> once, as <a>…</a>']);
    expect(translationMistakes('<a>x</a> <b>y</b>', '<a><b>x</a></b>')).not.toEqual([]);
  });

  it('lets a plural form do without its count', () => {
    expect(translationMistakes({ one: '{count} day', other: '{count} days' }, { one: 'ein Tag', other: '{count} Tage' })).toEqual([]);
  });
});

describe('stringsFileText()', () => {
  it('is a file without sentences, with all of them as comments', async () => {
    const text = stringsFileText('fr', {});
    expect(text.match(/^ {2}# \w+:/gm)).toHaveLength(SENTENCES);
    expect((await readWith('fr', text)).strings).toEqual(ENGLISH);
  });

  it('keeps what is translated, whatever its characters', async () => {
    const own = {
      frame: { copy: '« Copier » : #1', errorTitle: 'Erreur : {title}' },
      home: { relations: { one: 'une', other: '{count}' } },
    };
    await writeFile(join(root, 'content/strings/fr.yaml'), stringsFileText('fr', own));
    const { overrides, problems } = await readStringOverrides(root, 'fr');
    expect(problems).toEqual([]);
    expect(overrides).toMatchObject(own);
    expect(stringsFileText('fr', overrides)).toBe(stringsFileText('fr', own));
  });

  it('is a complete translation once every comment mark is removed', async () => {
    const text = stringsFileText('de', {}).replaceAll('  # ', '  ');
    expect(await readWith('de', text)).toMatchObject({ strings: interfaceLanguage('de').strings, problems: [] });
  });
});
