import * as fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { analyse } from '../../../../src/search/analysis/analyse.ts';
import { AnalysedText } from '../../../../src/search/passages/analysed-text.ts';
import { findOccurrences, TextOccurrences } from '../../../../src/search/passages/text-occurrences.ts';
import { realCapsules } from '../../gateway/real-generation.ts';
import { hostileText, plainText } from '../arbitraries.ts';

let texts: string[];
beforeAll(async () => {
  texts = (await realCapsules()).map(({ markdown }) => markdown);
});

/** Hits found by the letters of the terms, which an analysis of the whole text has to find as well, with the words around them. */
function found(text: string, language: string, terms: readonly string[], whole = new TextOccurrences(text, language)): string[] {
  const analysed = new AnalysedText(text, language);
  const hits = analysed.findHits(terms);
  const { related } = findOccurrences(text, language, terms);
  expect(whole.find(terms)).toEqual({ hits, related });
  return hits.map(({ term, start, end }) => `${terms[term]} ${start} ${end}`);
}
const expected = (text: string, language: string, terms: readonly string[]): string[] =>
  analyse(text, language)
    .filter(({ term }) => terms.includes(term))
    .map(({ term, start, end }) => `${term} ${start} ${end}`);

describe('AnalysedText.findHits()', () => {
  it('finds every term of published texts where analysing all of the text finds it, and no other', () => {
    for (const [number, text] of texts.entries()) {
      if (number % 6 !== 0) continue;
      const whole = new TextOccurrences(text, 'en');
      const all = analyse(text, 'en').map(({ term, start, end }) => ({ term, hit: `${term} ${start} ${end}` }));
      const foreign = analyse(texts[(number + 1) % texts.length] ?? '', 'en').map(({ term }) => term);
      for (const own of new Set(all.map(({ term }) => term)))
        expect(found(text, 'en', [own], whole)).toEqual(all.filter(({ term }) => term === own).map(({ hit }) => hit));
      const some = [...new Set(foreign)].filter((_, at) => at % 9 === 0);
      expect(found(text, 'en', some, whole)).toEqual(expected(text, 'en', some));
    }
  });

  it('finds what analysing all of the text finds, whatever the text, the language and the terms', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(hostileText, plainText), { maxLength: 4 }).map((parts) => parts.join('')),
        fc.oneof(hostileText, plainText),
        fc.constantFrom('en', 'und', 'ja', 'de', 'tr', 'ar', 'en-GB'),
        (text, query, language) => {
          const terms = [...new Set(analyse(`${query} ${text.slice(0, 60)}`, language).map(({ term }) => term))];
          expect(found(text, language, terms)).toEqual(expected(text, language, terms));
        },
      ),
      { numRuns: 100 },
    );
  });

  it('finds pairs of characters of scripts without spaces beside Latin words, marks, other forms of letters and punctuation', () => {
    const letters = [
      ...'東京都歴史がかヵカーア々〇한국어ㅎ가각水',
      'か\u3099',
      'ｶ',
      'ﾞ',
      '\u1100',
      '\u1161',
      '漢\ufe00',
      '豈',
      '𠀋',
      'A',
      'b',
      'API',
      '１',
      '7',
    ];
    const between = [
      '',
      '',
      '',
      '',
      '。',
      '、',
      '・',
      '･',
      '　',
      ' ',
      '.',
      '_',
      '-',
      '＿',
      '，',
      ',',
      '「',
      '」',
      '\u200d',
      '\n',
      '゛',
      '〆',
      '(',
      '！',
    ];
    const text = fc
      .array(fc.tuple(fc.constantFrom(...letters), fc.constantFrom(...between)), { maxLength: 24 })
      .map((parts) => parts.flat().join(''));
    fc.assert(
      fc.property(text, text, fc.constantFrom('ja', 'zh', 'ko', 'en', 'und'), (body, query, language) => {
        const terms = [...new Set(analyse(`${query} ${body.slice(0, 6)}`, language).map(({ term }) => term))];
        expect(found(body, language, terms)).toEqual(expected(body, language, terms));
      }),
      { numRuns: 300 },
    );
  });

  it('finds a stem in every word that has it, whatever its endings', () => {
    const endings = ',s,es,ed,ing,ly,y,ies,ational,ization,iveness,bility,bilities,logy,ical,ement,ator,alism,e,er,lle,ate,ble'.split(',');
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z]{1,7}$/), fc.constantFrom(...endings), fc.constantFrom(...endings), (root, first, second) => {
        const text = `One ${root}${first}${second}, and ${`${root}${first}${second}`.toUpperCase()} again.`;
        const terms = [...new Set(analyse(text, 'en').map(({ term }) => term))];
        for (const term of terms) expect(found(text, 'en', [term])).toEqual(expected(text, 'en', [term]));
      }),
      { numRuns: 200 },
    );
  });

  it('finds the same however often a text was asked for before', () => {
    const text = 'A fetchUser call of `os.path` fetches users. Fetching paths, user by user, is what fetchUser is for.';
    const analysed = new AnalysedText(text, 'en');
    for (let turn = 0; turn < 20; turn += 1)
      for (const terms of [['fetch', 'user'], ['path', 'os', 'absent'], ['fetchus'], []])
        expect(analysed.findHits(terms)).toEqual(new AnalysedText(text, 'en').findHits(terms));
    expect(analysed.findHits(['user'])).toMatchObject([{ start: 7, end: 11 }, {}, {}, {}, {}]);
  });

  it('finds the same when texts with many other terms came between, or have terms that no text had before', () => {
    const terms = ['signatur', 'zyx50000q', 'zyx1q'];
    const before = new TextOccurrences('Signatures of zyx1q', 'en');
    found('Signatures of zyx1q', 'en', terms, before);
    // More than are numbered together.
    const many = Array.from({ length: 60_000 }, (_, number) => `zyx${number}q`).join(' ');
    for (const text of [many, 'Sign zyx1q, signature zyx50000q', many]) found(text, 'en', terms);
    expect(found('Signatures of zyx1q', 'en', terms, before)).toHaveLength(2);
  });
});

describe('AnalysedText.occurrencesInUnits()', () => {
  const written = (analysed: AnalysedText, terms: readonly string[]): string[][] => {
    const { units, starts, ends, tokens, hits, related } = analysed.occurrencesInUnits(terms, 480);
    const places = (from = 0, to = 0): string[] =>
      Array.from(tokens.subarray(from, to), (token) => `${units[token]} ${starts[token]} ${ends[token]}`);
    const relatedTo = terms.map((): string[] => []);
    for (let list = 0; list < related.length; list += 3)
      relatedTo[related[list] ?? 0]?.push(...places(related[list + 1], related[list + 2]));
    return terms.flatMap((_, term) => [places(hits[2 * term], hits[2 * term + 1]), relatedTo[term]?.sort() ?? []]);
  };

  it('finds the same however often a text was asked for before', () => {
    for (const text of texts) {
      const often = new AnalysedText(text, 'en');
      for (let turn = 0; turn < 8; turn += 1) often.findHits([`${turn}`]);
      const terms = [...new Set(analyse(text, 'en').map(({ term }) => term))].filter((_, at) => at % 7 === 0);
      expect(written(often, terms)).toEqual(written(new AnalysedText(text, 'en'), terms));
      expect(often.findHitsWithin(terms, { start: 40, end: 400 })).toEqual(
        new AnalysedText(text, 'en').findHitsWithin(terms, { start: 40, end: 400 }).map(({ start, end }) => ({ start, end })),
      );
    }
  });
});
