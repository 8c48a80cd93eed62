import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyse } from '../../../../src/search/analysis/analyse.ts';
import { foldWord, TERM_MAX_LENGTH } from '../../../../src/search/analysis/tokenise.ts';
import { hostileText, plainText } from '../arbitraries.ts';

const terms = (text: string, language = 'en'): string[] => analyse(text, language).map(({ term }) => term);

describe('analyse()', () => {
  it('stems English by its own rules and leaves a language without rules as it is', () => {
    expect(terms('Connections connected', 'en-US')).toEqual(['connect', 'connect']);
    expect(terms('Connections connected', 'pl')).toEqual(['connections', 'connected']);
  });

  it('drops English stop words in English only', () => {
    expect(terms("What is the price? I don't see")).toEqual(['price', 'see']);
    expect(terms('the die', 'pl')).toEqual(['the', 'die']);
    expect(terms('le thé')).toContain('the');
  });

  it('folds case, accents and compatibility forms without moving offsets', () => {
    const text = 'x İstanbul Cafe\u0301 ﬁnd';
    const tokens = analyse(text, 'pl');
    expect(tokens.map(({ term }) => term)).toEqual(['x', 'istanbul', 'cafe', 'find']);
    expect(tokens.map(({ start, end }) => text.slice(start, end))).toEqual(['x', 'İstanbul', 'Cafe\u0301', 'ﬁnd']);
  });

  it('keeps marks that make another letter', () => {
    expect(foldWord('ガ')).not.toBe(foldWord('カ'));
    expect(foldWord('한국')).toBe('한국');
  });

  it.each([
    ['fetchUser', ['fetchus', 'fetch', 'user']],
    ['run_target', ['runtarget', 'run', 'target']],
    ['os.path', ['ospath', 'os', 'path']],
    ['HTTPServer', ['httpserver', 'http', 'server']],
    ['APIs', ['api']],
    ['sha256', ['sha256', 'sha', '256']],
    ['v2', ['v2']],
    ['__init__', ['init']],
    ['1.25', ['1.25', '25']],
    ['aB\u200dcD', ['abcd', 'bc']],
    ['Node.js', ['nodej', 'node', 'js']],
    ['v5.3.2', ['5.3.2', 'v5']],
    ['C++', ['c++']],
    ['C#', ['c#']],
    ['.NET', ['.net', 'net']],
    ['ASP.NET', ['aspnet', 'asp', 'net']],
    ['notepad++', ['notepad++', 'notepad']],
    ['100,000', ['100000', '100', '000']],
    ['1 234 567.89', ['1234567.89', '1', '234', '567.89', '567', '89']],
  ])('gives the whole and the parts of %s', (name, expected) => expect(terms(name)).toEqual(expected));

  it('reads one number and one version written several ways as one', () => {
    for (const number of ['100,000', '100 000', '100\u00a0000', '100\u202f000', '100’000', "100'000"])
      expect(terms(number)[0], number).toBe(terms('100000')[0]);
    expect(terms('2024 100, 2024,100 and 0,100 or 100,00')).not.toEqual(expect.arrayContaining([expect.stringMatching(/^\d{5,}$|^0100$/)]));
    expect(terms('1,000 2,000')).toEqual(['1000', '1', '000', '2000', '2', '000']);
    expect(terms('V5.3.2')[0]).toBe(terms('5.3.2')[0]);
    expect(terms('nodejs')[0]).toBe(terms('Node.js')[0]);
  });

  it('leaves symbols that are no names to the text around them', () => {
    expect(terms('a #heading, issue#5, 1+1, ++x, x #, "end.", ...dots')).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/[+#]|^\./)]),
    );
  });

  it('reads one name written three ways as one', () => {
    expect(terms('runTarget')[0]).toBe(terms('run_target')[0]);
    expect(terms('runTarget')[0]).toBe(terms('runtarget')[0]);
  });

  it.each([
    ['知识胶囊的检索', ['知识', '识胶', '胶囊', '囊的', '的检', '检索']],
    ['GPUを使う', ['gpu', 'を使', '使う']],
    ['데이터를 지식', ['데이', '이터', '터를', '지식']],
    ['茶', ['茶']],
    ['ｶﾞｽ', ['ガス']],
    ['ខ្មែរ', ['ខ្មែ', 'មែរ']],
    ['ພາສາ', ['ພາ', 'າສ', 'ສາ']],
    ['မြန်မာ', ['မြန်', 'န်မာ']],
    ['ภาษาไทย', ['ภาษา', 'ไทย']],
  ])('divides %s, which has no spaces, in any language', (text, expected) => {
    for (const language of ['en', 'zh', 'de', 'ru']) expect(terms(text, language)).toEqual(expected);
  });

  it('finds every part of a Chinese, Japanese or Korean text that has two characters or more', () => {
    const character = fc.constantFrom(...'知识胶囊的检索东京都に住むデータ데이터베이스𠀀𠀁々ー');
    const run = fc.array(character, { maxLength: 6 }).map((characters) => characters.join(''));
    const part = fc.array(character, { minLength: 2, maxLength: 5 }).map((characters) => characters.join(''));
    fc.assert(
      fc.property(run, part, run, fc.constantFrom('en', 'zh', 'de'), (before, middle, after, language) => {
        expect(terms(before + middle + after, language)).toEqual(expect.arrayContaining(terms(middle, language)));
      }),
    );
  });

  it('reads words with joiners and soft hyphens as one word', () => {
    expect(terms('dis\u00adplay', 'pl')).toEqual(['display']);
    expect(terms('Kün\u00addigung', 'de')).toEqual(terms('Kündigung', 'de'));
    expect(terms('می\u200cخواهم', 'fa')).toEqual(['میخواهم']);
  });

  it('gives tokens that are in the text and ascend, and terms that can be stored', () => {
    fc.assert(
      fc.property(fc.oneof(hostileText, plainText), fc.constantFrom('en', 'de', 'tr', 'el', 'ar', 'ja', ''), (text, language) => {
        let last = 0;
        for (const { term, start, end } of analyse(text, language)) {
          expect(start).toBeGreaterThanOrEqual(last);
          last = start;
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          expect(text.slice(start, end)).toMatch(/^\.?[\p{L}\p{N}\p{M}]/u);
          expect(term.length).toBeGreaterThan(0);
          expect(term.length).toBeLessThanOrEqual(TERM_MAX_LENGTH);
          expect(term).not.toMatch(/\p{Surrogate}|[^\p{L}\p{N}\p{M}.+#]/u);
        }
      }),
      { numRuns: 300 },
    );
  });

  it('gives tokens that overlap only as a whole and its parts in scripts with spaces', () => {
    const spaced = fc
      .array(fc.constantFrom('fetchUser', 'os.path', 'run_target', 'Straße', 'книгами', 'v2', 'ภาษาไทย'))
      .map((words) => words.join(' '));
    fc.assert(
      fc.property(spaced, fc.constantFrom('en', 'de', 'ru'), (text, language) => {
        let wordEnd = 0;
        for (const { start, end } of analyse(text, language)) {
          if (start >= wordEnd) wordEnd = end;
          expect(end).toBeLessThanOrEqual(wordEnd);
        }
      }),
    );
  });

  it('gives the term of a surface form that the form gives by itself', () => {
    fc.assert(
      fc.property(hostileText, (text) => {
        for (const { term, start, end } of analyse(text, 'fr')) {
          const surface = text.slice(start, end);
          if (/^[\p{L}\p{N}]+$/u.test(surface) && analyse(surface, 'fr').length === 1) {
            expect(terms(surface, 'fr')).toEqual([term]);
          }
        }
      }),
    );
  });

  it('gives the same tokens each time, whatever was analysed before', () => {
    const before = analyse('Connections and capsules', 'en');
    for (let word = 0; word < 9000; word++) analyse(`word${word}`, word % 2 === 0 ? 'en' : 'de');
    expect(analyse('Connections and capsules', 'en')).toEqual(before);
  });

  it.each([
    'x'.repeat(200_000),
    'aB'.repeat(100_000),
    'y'.repeat(100_000),
    'a.'.repeat(100_000),
    '\u0301'.repeat(100_000),
    '漢'.repeat(50_000),
  ])('reads a hostile run to its end (%#)', (text) => {
    expect(analyse(text, 'en').every(({ start, end }) => start < end && end <= text.length)).toBe(true);
  });
});
