import { readFile } from 'node:fs/promises';
import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { suggestWords } from '../../../../src/gateway/knowledge/suggest-queries.ts';
import { commonWords, FILTER_FILE, filterSource } from '../../../../src/npm-package/build-common-words.ts';
import { editDistance } from '../../../../src/search/edit-distance.ts';
import { IndexFormatError } from '../../../../src/search/format/index-block.ts';
import { encodeSpelling, isCommonWord, Spelling } from '../../../../src/search/format/spelling.ts';
import { search } from '../../../../src/search/query/search.ts';
import { capsule } from '../arbitraries.ts';
import { naiveDistance, naiveNearest } from '../naive-distance.ts';
import { encodeDocuments, openIndex } from '../open-index.ts';
import { damage, damaged } from '../posting-lists.ts';

const word = fc.string({ unit: fc.constantFrom(...'abcд知𝔘'), minLength: 4, maxLength: 8 });
const words = fc.array(fc.tuple(word, fc.integer({ min: 1, max: 3 })), { maxLength: 40, size: 'max' }).map((list) => new Map(list));

function misspell(
  list: ReadonlyMap<string, number>,
  { word, at, letter, cut }: { word: number; at: number; letter: string; cut: number },
): string {
  const known = [...list.keys()][word % Math.max(1, list.size)] ?? 'abcd';
  return known.slice(0, at % known.length) + letter + known.slice((at % known.length) + cut);
}

const mistake = fc.record({ word: fc.nat(), at: fc.nat(), letter: fc.constantFrom('', 'a', 'д', '𝔘', 'bb'), cut: fc.nat(2) });

describe('Spelling', () => {
  it('finds the word with the fewest edits, then in most documents, then first in order', () => {
    let found = 0;
    fc.assert(
      fc.property(words, mistake, fc.constantFrom(undefined, 1, 2, 3), (list, wrong, edits) => {
        const misspelt = misspell(list, wrong);
        const nearest = naiveNearest(misspelt, list, edits);
        expect(new Spelling(encodeSpelling(list)).suggest(misspelt, edits)).toBe(nearest);
        if (nearest !== undefined) found++;
      }),
      { numRuns: 200 },
    );
    expect(found).toBeGreaterThan(50);
  });

  it('refuses bytes that are cut short or followed by others', () => {
    fc.assert(
      fc.property(words, fc.nat(), (list, at) => {
        const bytes = encodeSpelling(list);
        expect(() => new Spelling(bytes.slice(0, at % bytes.length))).toThrow(IndexFormatError);
        expect(() => new Spelling(Uint8Array.of(...bytes, 0, 0, 0, 0))).toThrow(IndexFormatError);
      }),
      { numRuns: 50 },
    );
  });

  it('gives some word for changed bytes, or refuses them', () => {
    fc.assert(
      fc.property(words, word, damage, (list, misspelt, change) => {
        const bytes = damaged(encodeSpelling(list), change);
        try {
          expect((new Spelling(bytes).suggest(misspelt) ?? '').length).toBeLessThanOrEqual(bytes.length);
        } catch (error) {
          expect(error).toBeInstanceOf(IndexFormatError);
        }
      }),
      { numRuns: 150 },
    );
  });
});

test('editDistance() is the distance by definition, or one more than the limit', () => {
  const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 });
  fc.assert(
    fc.property(word, word, fc.integer({ min: 1, max: 3 }), (a, b, limit) => {
      expect(editDistance(a, b, limit)).toBe(Math.min(naiveDistance(a, b), limit + 1));
    }),
    { numRuns: 250 },
  );
});

describe('isCommonWord()', () => {
  it('knows every word of its lists, in any case and without accents, and takes few others for one', async () => {
    const words = await commonWords();
    expect([...words].filter((word) => !isCommonWord(word))).toEqual([]);
    expect(['Better', 'EINE', 'después', 'despues'].map(isCommonWord)).toEqual([true, true, true, true]);
    const others = [...words].map((word) => `${word}q`).filter((word) => !words.has(word));
    expect(others.filter(isCommonWord).length / others.length).toBeLessThan(0.04);
  });

  it('has the filter that its lists make (npm run build:common-words)', async () => {
    expect(await readFile(FILTER_FILE, 'utf8')).toBe(await filterSource());
  });
});

describe('a query', () => {
  const reader = openIndex(
    encodeDocuments([
      capsule('a', 'A letter in a line, from the server of maples'),
      capsule('b', 'pairs of words, counting in the past, with a quota'),
    ]),
  );
  const correctionsOf = async (query: string) => (await search(reader, query, { limit: 1 })).plan.corrections.map(({ word }) => word);

  it('has no common word corrected, nor a suggestion for one', async () => {
    expect(await correctionsOf('better eine')).toEqual([]);
    const { plan } = await search(reader, 'better eine', { limit: 0 });
    expect(plan.unknown).toEqual(['better', 'eine']);
    expect(await suggestWords(reader, 'better eine', plan)).toBeUndefined();
  });

  it('has no word with another initial suggested', async () => {
    const { plan } = await search(reader, 'Zerwer lexxer', { limit: 0 });
    expect(plan.unknown).toEqual(['Zerwer', 'lexxer']);
    expect(await suggestWords(reader, 'Zerwer lexxer', plan)).toBe('Zerwer letter');
  });

  it('has no word with a vowel more corrected, unless a key repeated it, nor one of quite another length suggested', async () => {
    expect(await correctionsOf('pasta')).toEqual([]);
    expect(await correctionsOf('quotaa')).toEqual(['quotaa']);
    expect(await correctionsOf('pastt')).toEqual(['pastt']);
    const { plan } = await search(reader, 'consulting', { limit: 0 });
    expect(await suggestWords(reader, 'consulting', plan)).toBeUndefined();
  });

  it('keeps the initial of a name in its correction', async () => {
    expect(await correctionsOf('weather in Naples')).toEqual([]);
    expect(await correctionsOf('naples')).toEqual(['naples']);
    expect(await correctionsOf('a Servr in Mapels')).toEqual(['Servr', 'Mapels']);
  });
});
