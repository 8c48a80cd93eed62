import { describe, expect, it } from 'vitest';
import { IndexFormatError } from '../../../../src/search/format/index-block.ts';
import type { IndexReader } from '../../../../src/search/query/index-reader.ts';
import { search } from '../../../../src/search/query/search.ts';
import {
  type IndexVector,
  makeVector,
  openVector,
  type RefusedVector,
  readVector,
  VECTOR_OPTIONS,
  writeVectors,
} from '../../../conformance/index-vectors/make-vectors.ts';

async function readAll(open: () => IndexReader): Promise<void> {
  const reader = open();
  await search(reader, 'payment signature agent cached answer', { limit: 1 });
  await Promise.all([reader.columns(), reader.spelling(), reader.tiers(), reader.neighbours()]);
}

if (process.env['UPDATE_VECTORS'] === '1') await writeVectors();

describe.each(Object.entries(VECTOR_OPTIONS))('the index %s', (name, options) => {
  it('is built byte by byte as it is written down, and answers as that says', async () => {
    expect(await makeVector(options)).toEqual(readVector<IndexVector>(name));
  });

  it('is read as it is written down', async () => {
    const vector = readVector<IndexVector>(name);
    const reader = openVector(vector);
    await expect(readAll(() => reader)).resolves.toBeUndefined();
    for (const { query, results, corrections } of vector.answers) {
      const found = await search(reader, query, { limit: 100 });
      expect(found.results.map(({ number, score, tier }) => [number, score, tier])).toEqual(results);
      expect(found.plan.corrections).toEqual(corrections);
    }
  });

  it('has what the format can hold', () => {
    const { head, answers } = readVector<IndexVector>(name);
    expect(head.heavy.length > 0).toBe(name !== 'one-block');
    expect(head.heavy.some((value, at) => at % 5 === 4 && value > 1)).toBe(name === 'lists-in-parts');
    expect(answers.filter(({ results }) => results.length > 0).length).toBeGreaterThan(9);
    expect(answers.flatMap(({ corrections }) => corrections).length).toBeGreaterThan(1);
    expect(new Set(answers.flatMap(({ results }) => results.map(([, , tier]) => tier)))).toEqual(new Set([0, 2]));
  });
});

describe('an index is refused if', () => {
  const refused = readVector<RefusedVector[]>('refused');

  it.each(refused.map((change) => [change.why, change] as const))('%s', async (_, change) => {
    await expect(readAll(() => openVector(readVector<IndexVector>(change.index), change))).rejects.toThrow(IndexFormatError);
  });
});
