import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { CAPSULE_COLUMNS } from '../../../../src/gateway/knowledge/capsule-filters.ts';
import { IndexBuilder } from '../../../../src/search/build/build-index.ts';
import type { SearchDocument } from '../../../../src/search/search-document.ts';
import { syntheticDocuments } from '../../../bench/synthetic-corpus.ts';
import { buildSearchIndex } from '../../../support/build-search-index.ts';

// Two whole batches and a part of one.
const COUNT = 1_100;
const columns = CAPSULE_COLUMNS;
/** What is slowest to build and has no part in the division of the work. */
const LIGHT = { pairs: false, expansion: false, neighbours: false };

/** Documents of a line each: how the work is divided does not depend on how long they are. */
function* shortDocuments(count: number, seed: number): Generator<SearchDocument> {
  for (const document of syntheticDocuments(count, seed)) yield { ...document, body: document.body.slice(0, 160) };
}

const inOnePass = (options: object): ReturnType<IndexBuilder['finish']> => {
  const builder = new IndexBuilder({ columns, ...options });
  builder.add([...shortDocuments(COUNT, 3)]);
  return builder.finish();
};
const light = inOnePass(LIGHT);

test.each([0, 1, 2])('%i threads give the bytes of one pass over all documents', async (threads) => {
  expect(isDeepStrictEqual(await buildSearchIndex(shortDocuments(COUNT, 3), { ...LIGHT, columns, threads }), light)).toBe(true);
});

test('threads give the same bytes for every kind of field', async () => {
  const whole = inOnePass({});
  for (const threads of [0, 2])
    expect(isDeepStrictEqual(await buildSearchIndex(shortDocuments(COUNT, 3), { columns, threads }), whole), `${threads}`).toBe(true);
});

test('accepts documents as an async stream', async () => {
  async function* arriving(): AsyncGenerator<SearchDocument> {
    for (const document of shortDocuments(COUNT, 3)) {
      await Promise.resolve();
      yield document;
    }
  }
  expect(isDeepStrictEqual(await buildSearchIndex(arriving(), { ...LIGHT, columns }), light)).toBe(true);
});

test.each([0, 2])('builds an empty index from no documents (%i threads)', async (threads) => {
  expect((await buildSearchIndex([], { threads })).head.documents).toBe(0);
});

test('reports progress up to all documents', async () => {
  const seen: number[] = [];
  await buildSearchIndex(shortDocuments(COUNT, 3), { ...LIGHT, threads: 2, onProgress: (done) => seen.push(done) });
  expect(seen).toEqual([500, 1_000, COUNT]);
});

test.each([0, 2])('fails with the error of a document that cannot be analysed (%i threads)', async (threads) => {
  function* broken(): Generator<SearchDocument> {
    for (const document of shortDocuments(COUNT, 3)) yield document.id.endsWith('-5') ? ({ ...document, headings: 5 } as never) : document;
  }
  await expect(buildSearchIndex(broken(), { threads })).rejects.toThrow('not iterable');
});

test('starts threads for large corpora, and closes an abandoned source', async () => {
  let closed = 0;
  function* source(failsAt: number): Generator<SearchDocument> {
    try {
      let number = 0;
      for (const document of shortDocuments(4_000, 3)) {
        if (number === failsAt) throw new Error('the file ends early');
        yield number++ === 100 ? { ...document, id: '\ud800' } : document;
      }
    } finally {
      closed++;
    }
  }
  await expect(buildSearchIndex(source(3_500))).rejects.toThrow(/file ends early|lone surrogate/);
  await expect(buildSearchIndex(source(1_500), { threads: 1 })).rejects.toThrow(/file ends early|lone surrogate/);
  await expect(buildSearchIndex(source(Number.POSITIVE_INFINITY))).rejects.toThrow('lone surrogate');
  expect(closed).toBe(3);
});

test('holds only a few batches: reading waits for analysis', async () => {
  let read = 0;
  let done = 0;
  let most = 0;
  function* source(): Generator<SearchDocument> {
    for (const document of shortDocuments(2_500, 3)) {
      most = Math.max(most, ++read - done);
      yield document;
    }
  }
  await buildSearchIndex(source(), { ...LIGHT, threads: 1, onProgress: (count) => (done = count) });
  expect(most).toBeLessThanOrEqual(1_500);
});
