import { describe, expect, it } from 'vitest';
import { search } from '../../../../src/search/query/search.ts';
import { capsule } from '../arbitraries.ts';
import { encodeDocuments, LAYOUTS, openIndex, UNBOUNDED } from '../open-index.ts';

const QUERY_MAX = 1024;

/** Numbers that look like chance and are the same each time. */
function* noise(seed: number): Generator<number> {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    yield state >>> 16;
  }
}

const pick = <T>(from: readonly T[], numbers: Generator<number>): T => from[(numbers.next().value as number) % from.length] as T;

const numbers = noise(7);
const letters = [...'abcdefghijklmnopqrstuvwxyz'];
const word = (length: number): string => Array.from({ length }, () => pick(letters, numbers)).join('');
const common = Array.from({ length: 300 }, () => word(2));
const rare = Array.from({ length: 2_000 }, () => word(7));
const LANGUAGES = ['en', 'de', 'fr', 'es', 'it', 'nl', 'sv', 'ru', 'ja', 'ar'];
const documents = Array.from({ length: 400 }, (_, number) => {
  const body = [...common.filter((_, at) => (at + number) % 3 !== 0), ...Array.from({ length: 20 }, () => pick(rare, numbers))].join(' ');
  return capsule(`document-${number}`, body, { language: LANGUAGES[number % LANGUAGES.length] ?? 'en' });
});

const QUERIES: Record<string, string> = {
  'the most common terms': common.join(' '),
  'the most common terms again and again': 'aa '.repeat(400),
  'one letter': 'x '.repeat(512),
  'one letter without an end': 'x'.repeat(QUERY_MAX),
  'names of many parts': 'aBcD_eF.gH'.repeat(100),
  'words that are all misspelt': rare.map((one) => `${one.slice(0, 3)}z${one.slice(4)}`).join(' '),
  noise: Array.from({ length: QUERY_MAX }, () => String.fromCharCode((numbers.next().value as number) & 0xffff)).join(''),
  'noise of letters': Array.from({ length: QUERY_MAX }, () => pick([...letters, ' ', '.', '_'], numbers)).join(''),
  'characters in pairs': '知识胶囊東京都'.repeat(150),
  'marks without letters': '\u0301\u200d'.repeat(512),
};

const readers = Object.values(LAYOUTS).map((layout) =>
  openIndex(encodeDocuments(documents, { layout, neighbours: false, expansion: false })),
);

describe('a query of 1,024 characters', () => {
  it.each(Object.entries(QUERIES))('of %s is answered within its budget, alike in every layout', async (_, text) => {
    const query = text.slice(0, QUERY_MAX);
    const budget = { ...UNBOUNDED, postingsMax: 5_000 };
    const answers = await Promise.all(readers.map((reader) => search(reader, query, { limit: 50, budget })));
    for (const { results, plan, skipped } of answers) {
      expect(results).toEqual(answers[0]?.results);
      const scored = plan.terms.filter((_, number) => !skipped.includes(number));
      expect(scored.reduce((sum, { indexed }) => sum + indexed.documentFrequency, 0)).toBeLessThanOrEqual(budget.postingsMax);
      expect(plan.corrections.length).toBeLessThanOrEqual(8);
      for (const { score } of results) expect(score > 0 && score < 2 ** 31).toBe(true);
    }
  });

  it('of the same term as often as there is room scores in 32 bits', async () => {
    const many = Array.from({ length: 3_000 }, (_, number) =>
      capsule(`${number}`, number === 0 ? 'zz' : 'other', { title: number === 0 ? 'zz' : '' }),
    );
    const { results } = await search(openIndex(encodeDocuments(many, { neighbours: false })), 'zz '.repeat(341), { limit: 5 });
    const [only] = results;
    expect([results.length, only?.number]).toEqual([1, 0]);
    expect(only?.score).toBeGreaterThan(1_000_000);
    expect(only?.score).toBeLessThan(2 ** 31);
  });
});
