import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { commonWords, FILTER_FILE, filterSource } from '../../../../src/package/build-common-words.ts';
import { isCommonWord } from '../../../../src/search/format/spelling.ts';
import { search } from '../../../../src/search/query/search.ts';
import { suggestWords } from '../../../../src/search/query/suggest-words.ts';
import { capsule } from '../arbitraries.ts';
import { encodeDocuments, openIndex } from '../open-index.ts';

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
    encodeDocuments([capsule('a', 'A letter in a line, from the server of maples'), capsule('b', 'pairs of words')]),
  );
  const correctionsOf = async (query: string) => (await search(reader, query, { limit: 1 })).plan.corrections.map(({ word }) => word);

  it('has no common word corrected, nor a suggestion for one', async () => {
    expect(await correctionsOf('better eine')).toEqual([]);
    const { plan } = await search(reader, 'better eine', { limit: 0 });
    expect(plan.unknown).toEqual(['better', 'eine']);
    expect(await suggestWords(reader, 'better eine', plan)).toBeUndefined();
  });

  it('keeps the initial of a name in its correction', async () => {
    expect(await correctionsOf('weather in Naples')).toEqual([]);
    expect(await correctionsOf('naples')).toEqual(['naples']);
    expect(await correctionsOf('a Servr in Mapels')).toEqual(['Servr', 'Mapels']);
  });
});
