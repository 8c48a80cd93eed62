import { beforeAll, describe, expect, test } from 'vitest';
import type { Corpus } from '../../../../src/gateway/knowledge/corpus.ts';
import type { PublishedCapsule } from '../../../../src/text/publication-model.ts';
import { ask, CACHING } from '../ask.ts';
import { randomCorpus } from '../random-generation.ts';
import { realCorpus } from '../real-generation.ts';

let corpus: Corpus;
let capsules: PublishedCapsule[];
beforeAll(async () => {
  ({ corpus, capsules } = await realCorpus());
});

describe('explain', () => {
  test('gives parts that add up to every score, and fields that have what the parts say', async () => {
    const titles = capsules.map(({ metadata }) => metadata.title);
    let parts = 0;
    for (const query of ['cached answers reused', 'paymnet protcol', 'how are capsules ranked by bm25', ...titles.slice(0, 12)]) {
      const plain = await ask(corpus, { query, max_results: 20 });
      const explained = await ask(corpus, { query, max_results: 20, explain: true });
      expect(explained.results.map(({ explanation: _explanation, ...result }) => result)).toEqual(plain.results);
      for (const { score, explanation } of explained.results) {
        expect(explanation?.parts.reduce((sum, { points }) => sum + points, 0)).toBe(score);
        for (const { kind, fields, words, weight = 0, level = 0, points } of explanation?.parts ?? []) {
          parts += 1;
          if (kind === 'term' || kind === 'expansion') expect(weight * level).toBe(points);
          expect(fields !== undefined && Object.keys(fields).length > 0).toBe(kind === 'term');
          for (const { word } of words ?? []) expect(query).toContain(word);
        }
      }
    }
    expect(parts).toBeGreaterThan(500);
  });

  test('counts a word in each part of the capsule, the body with its headings, and not in addresses', async () => {
    const linked = { ...CACHING, sections: [['Fresh cache', 'Fresh [cache](https://example.org/fresh-cache) here']] as const };
    const { results } = await ask(await randomCorpus([linked]), { query: 'cache fresh', explain: true });
    const fields = results[0]?.explanation?.parts.filter(({ kind }) => kind === 'term').map((part) => [part.terms, part.fields]);
    expect(fields).toEqual([
      [['cach'], { title: 1, headings: 1, summary: 1, body: 3 }],
      [['fresh'], { headings: 1, body: 2 }],
    ]);
  });

  test('names the word as it was written and as it was read, and is there only if asked for', async () => {
    const searched = await randomCorpus([CACHING]);
    const { results } = await ask(searched, { query: 'anwsers', explain: true });
    expect(results[0]?.explanation?.parts[0]).toMatchObject({
      kind: 'term',
      words: [{ word: 'anwsers', read_as: 'answers' }],
      terms: ['answer'],
    });
    expect((await ask(searched, { query: 'anwsers' })).results[0]?.explanation).toBeUndefined();
  });
});
