import { describe, expect, test } from 'vitest';
import { CAPSULE_COLUMNS } from '../../../src/gateway/knowledge/capsule-columns.ts';
import { CapsuleStatus } from '../../../src/schemas/knowledge/capsule.ts';
import { CapsuleType, EVIDENCE_LEVELS } from '../../../src/schemas/knowledge/capsule-front-matter.ts';
import { Id, Language, License } from '../../../src/schemas/primitives.ts';
import { analyse } from '../../../src/search/analysis/analyse.ts';
import { analyseBatch } from '../../../src/search/build/analyse-batch.ts';
import { buildSearchIndex } from '../../../src/build/generation/build-search-index.ts';
import { search } from '../../../src/search/query/search.ts';
import { syntheticDocuments, syntheticQueries } from '../../bench/synthetic-corpus.ts';
import { openIndex } from '../search/open-index.ts';

const documents = [...syntheticDocuments(5_000, 1)];

describe('documents', () => {
  test('are the same for the same seed, and those of a smaller corpus come first', () => {
    expect([...syntheticDocuments(300, 1)]).toEqual(documents.slice(0, 300));
  });

  test('are others for another seed', () => {
    const texts = new Set(documents.map(({ body }) => body));
    expect([...syntheticDocuments(100, 2)].filter(({ body }) => texts.has(body))).toEqual([]);
  });

  test('have ids of their own and attributes that filters accept', () => {
    expect(new Set(documents.map(({ id }) => id)).size).toBe(documents.length);
    for (const { id, tags, attributes = {} } of documents.slice(0, 200)) {
      for (const name of [id, ...tags]) expect(name).toEqual(Id.parse(name));
      expect(tags.length).toBeLessThanOrEqual(5);
      expect(Object.keys(attributes).sort()).toEqual(CAPSULE_COLUMNS.map(({ name }) => name).sort());
      CapsuleType.parse(attributes['type']);
      Language.parse(attributes['language']);
      License.parse(attributes['license']);
      expect(EVIDENCE_LEVELS).toContain(attributes['evidence']);
      CapsuleStatus.parse(attributes['status']);
    }
    const current = documents.filter(({ attributes }) => attributes?.['status'] === 'current').length / documents.length;
    expect(current).toBeGreaterThan(0.8);
    expect(current).toBeLessThan(1);
  });

  // Bands around 14.6k terms in 1,000 real documents, 74k in 10,000 (45k in 5,000 on the line between) and 88 in each.
  test.each([
    [1_000, 12_000, 19_000],
    [5_000, 36_000, 54_000],
  ])('%i have as many distinct terms as real ones', (count, least, most) => {
    const { vocabulary, postingCounts, terms } = analyseBatch(documents.slice(0, count));
    const own = new Set(terms);
    expect(vocabulary.length).toBe(own.size);
    expect(own.size).toBeGreaterThan(least);
    expect(own.size).toBeLessThan(most);
    expect(postingCounts.reduce((sum, postings) => sum + postings, 0) / count).toBeGreaterThan(80);
    expect(postingCounts.reduce((sum, postings) => sum + postings, 0) / count).toBeLessThan(96);
  });
});

describe('queries', () => {
  const COUNT = 1_000;
  const queries = [...syntheticQueries(200, 1, COUNT)];

  test('are the same for the same seed', () => {
    expect([...syntheticQueries(50, 1, COUNT)]).toEqual(queries.slice(0, 50));
  });

  test.each([
    ['title', 4, 8],
    ['sentence', 8, 18],
  ])('of the style %s have about as many terms as it says', (style, least, most) => {
    const lengths = queries.filter((query) => query.style === style).map(({ text }) => analyse(text, 'en').length);
    const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
    expect(mean).toBeGreaterThan(least);
    expect(mean).toBeLessThan(most);
  });

  test('find the document that they were made from', async () => {
    const reader = openIndex(await buildSearchIndex(documents.slice(0, COUNT), { expansion: false, neighbours: false }));
    let found = 0;
    for (const { text, id } of queries) {
      const { results } = await search(reader, text, { limit: 10 });
      if (results.some(({ number }) => documents[number]?.id === id)) found++;
    }
    expect(found).toBeGreaterThan(180);
  });
});
