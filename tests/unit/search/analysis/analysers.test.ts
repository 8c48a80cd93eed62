import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { analyse } from '../../../../src/search/analysis/analyse.ts';
import { analyserFor, analysersFor, STEMMERS } from '../../../../src/search/analysis/analysers.ts';
import { stopWordsOf } from '../../../../src/search/analysis/stop-words.ts';
import { ROOT } from '../../../support/paths.ts';

const terms = (text: string, language: string): string[] => analyse(text, language).map(({ term }) => term);

type Pairs = Readonly<Record<'german_stems' | 'english_apart' | 'readings', readonly [string, string][]>>;
type OfLanguages = Readonly<Record<'same' | 'apart' | 'folded' | 'without_stop_words', readonly [string, string, string][]>>;
const WORDS = parse(await readFile(join(ROOT, 'tests/data/analysed-words.yaml'), 'utf8')) as Pairs &
  OfLanguages & { readonly english_forms: readonly string[] };

describe('analyse() in languages with a stemmer', () => {
  it.each(WORDS.same)('%s: reads %s as %s', (language, form, other) => {
    expect(terms(form, language)).toEqual(terms(other, language));
    expect(terms(form, language)).toHaveLength(1);
  });

  it.each(WORDS.apart)('%s: keeps %s and %s apart', (language, word, other) => {
    expect(terms(word, language)).not.toEqual(terms(other, language));
  });

  it.each(WORDS.folded)('%s: folds %s like %s', (language, form, other) => expect(terms(form, language)).toEqual(terms(other, language)));

  it('leaves numbers, names in other letters and data as they are', () => {
    expect(terms('sha256 APIs', 'ru')).toEqual(['sha256', 'sha', '256', 'apis']);
    expect(terms('книгами', 'de')).toEqual(['книгами']);
    expect(terms('x'.repeat(60), 'de')).toEqual(['x'.repeat(60)]);
  });

  it.each(WORDS.without_stop_words)('%s: drops the stop words of "%s"', (language, text, content) => {
    expect(terms(text, language)).toEqual(terms(content, language));
  });

  it.each(WORDS.german_stems)('stems the German word %s to %s', (word, stem) => expect(terms(word, 'de')).toEqual([stem]));

  it('keeps words of the lists that people search for', () => {
    expect(terms('ejemplo de uso del lenguaje C', 'es')).toHaveLength(4);
    expect(terms('cikk és évek', 'hu')).toHaveLength(2);
    expect(terms('жизнь человека', 'ru')).toHaveLength(2);
  });
});

describe('analyse() in English', () => {
  it.each(WORDS.english_forms)('reads %s as forms of one word', (forms) => {
    const words = forms.split(' ');
    expect(words.map((word) => terms(word, 'en'))).toEqual(words.map(() => terms(words[0] ?? '', 'en')));
  });

  it.each(WORDS.english_apart)('keeps %s and %s apart', (word, other) => expect(terms(word, 'en')).not.toEqual(terms(other, 'en')));
});

it('stopWordsOf() gives sets of words as they are met, none for languages without a list', () => {
  for (const reading of [...STEMMERS.keys(), 'und']) {
    for (const word of stopWordsOf(reading)) expect(word).toBe(word.toLowerCase().normalize('NFC'));
  }
  expect(stopWordsOf('und').size).toBe(0);
  expect(stopWordsOf('lt').size).toBe(0);
  expect(stopWordsOf('de').size).toBeGreaterThan(200);
});

it.each(WORDS.readings)('analyserFor() reads %j as %s', (language, reading) => {
  expect(analyserFor(language)).toBe(reading);
  expect(analyserFor(reading)).toBe(reading);
});

it('analysersFor() gives distinct analysers, English first, the others ascending', () => {
  expect(analysersFor(['zh', 'nn', 'de-AT', 'nb', 'en-GB', 'pl', 'de', 'en'])).toEqual(['en', 'de', 'no', 'und']);
  expect(analysersFor(new Set(['ja', 'fr']))).toEqual(['fr', 'und']);
  expect(analysersFor([])).toEqual([]);
});
