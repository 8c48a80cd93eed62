import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { analyse } from '../../../../src/search/analysis/analyse.ts';
import { AnalysedText } from '../../../../src/search/passages/analysed-text.ts';
import { type Hit, TextOccurrences } from '../../../../src/search/passages/text-occurrences.ts';
import { realCapsules } from '../../gateway/real-generation.ts';
import { hostileText, plainText } from '../arbitraries.ts';

const termsOf = (text: string, language: string): string[] => [...new Set(analyse(text, language).map(({ term }) => term))];
/** The first time, a text is looked through by the letters of the terms, and not analysed whole. */
const lookedFor = (text: string, language: string, terms: readonly string[]): readonly Hit[] =>
  new AnalysedText(text, language).findHits(terms);

describe('TextOccurrences', () => {
  it('has the hits of every published text that looking for their letters finds, words included', async () => {
    const texts = (await realCapsules()).map(({ markdown }) => markdown);
    for (const [number, text] of texts.entries()) {
      const occurrences = new TextOccurrences(text, 'en');
      const foreign = termsOf(texts[(number + 1) % texts.length] ?? '', 'en').filter((_, at) => at % 9 === 0);
      for (const terms of [termsOf(text, 'en').filter((_, at) => at % 7 === 0), foreign, []]) {
        expect(occurrences.hits(terms)).toEqual(lookedFor(text, 'en', terms));
      }
    }
  });

  it('has them whatever the text, the language and the terms', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(hostileText, plainText), { maxLength: 4 }).map((parts) => parts.join('')),
        fc.oneof(hostileText, plainText),
        fc.constantFrom('en', 'und', 'ja', 'de', 'tr', 'en-GB'),
        (text, query, language) => {
          const terms = termsOf(`${query} ${text.slice(0, 60)}`, language);
          expect(new TextOccurrences(text, language).hits(terms)).toEqual(lookedFor(text, language, terms));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

describe('AnalysedText.findHits(), called repeatedly', () => {
  it('finds the same however often a text was asked for before', () => {
    const text = 'A fetchUser call of `os.path` fetches users. Fetching paths, user by user, is what fetchUser is for.';
    const analysed = new AnalysedText(text, 'en');
    for (let turn = 0; turn < 20; turn += 1) {
      for (const terms of [['fetch', 'user'], ['path', 'os', 'absent'], ['fetchus']]) {
        expect(analysed.findHits(terms)).toEqual(lookedFor(text, 'en', terms));
      }
    }
    expect(analysed.findHits(['user'])).toMatchObject([{ start: 7, end: 11, wordStart: 2, wordEnd: 11 }, {}, {}, {}, {}]);
  });
});
