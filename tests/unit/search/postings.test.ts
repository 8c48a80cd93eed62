import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildIndex } from '../../../src/search/build-index.ts';
import { ByteReader } from '../../../src/search/byte-reader.ts';
import { ByteWriter } from '../../../src/search/byte-writer.ts';
import { IndexFormatError } from '../../../src/search/index-format.ts';
import { documentFrequency, readPostings } from '../../../src/search/postings.ts';
import { SEARCH_FIELDS } from '../../../src/search/types.ts';
import { capsule, corpusOf, plainText } from './arbitraries.ts';

describe('ByteReader', () => {
  it('reads the numbers that ByteWriter wrote', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(300), fc.integer({ min: 0, max: 0xffffffff }))), (numbers) => {
        const writer = new ByteWriter(1);
        for (const number of numbers) writer.writeVarint(number);
        const reader = new ByteReader(writer.toBytes());
        expect(numbers.map(() => reader.readVarint())).toEqual(numbers);
        expect(reader.remaining).toBe(0);
      }),
    );
  });

  it.each([
    ['nothing', []],
    ['a number cut short', [0x80]],
    ['a form that is not the shortest', [0x81, 0x00]],
    ['more than 32 bits', [0xff, 0xff, 0xff, 0xff, 0x1f]],
    ['a number without end', [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]],
  ])('refuses %s', (_, bytes) => {
    expect(() => new ByteReader(Uint8Array.from(bytes)).readVarint()).toThrow(IndexFormatError);
  });
});

describe('ByteWriter', () => {
  it('throws RangeError for what is no unsigned 32-bit integer', () => {
    for (const number of [-1, 0.5, 2 ** 32, Number.NaN]) {
      expect(() => new ByteWriter().writeVarint(number)).toThrow(RangeError);
    }
  });
});

describe('readPostings()', () => {
  it('gives documents and positions ascending, as many positions as occurrences, and adds up to the field lengths', () => {
    fc.assert(
      fc.property(corpusOf(plainText), (documents) => {
        const index = buildIndex(documents);
        const sums = new Uint32Array(index.fieldLengths.length);
        index.terms.forEach((_, termNumber) => {
          const { documentNumbers, frequencies, positionStarts, positions } = readPostings(index, termNumber);
          expect(documentNumbers.length).toBe(documentFrequency(index, termNumber));
          expect([...documentNumbers]).toEqual([...new Set(documentNumbers)].sort((a, b) => a - b));
          documentNumbers.forEach((documentNumber, posting) => {
            const own = frequencies.slice(posting * SEARCH_FIELDS.length, (posting + 1) * SEARCH_FIELDS.length);
            const places = [...positions.slice(positionStarts[posting], positionStarts[posting + 1])];
            expect(places.length).toBe(own.reduce((a, b) => a + b, 0));
            expect(places).toEqual([...new Set(places)].sort((a, b) => a - b));
            own.forEach((frequency, field) => {
              const at = documentNumber * SEARCH_FIELDS.length + field;
              sums[at] = (sums[at] ?? 0) + frequency;
            });
          });
        });
        expect(sums).toEqual(index.fieldLengths);
      }),
    );
  });

  it('refuses a list that names a document the index does not have', () => {
    const index = buildIndex([capsule('a', 'price'), capsule('b', 'offer')]);
    const offer = index.terms.indexOf('offer');
    expect(() => readPostings({ ...index, documentIds: ['a'] }, offer)).toThrow(IndexFormatError);
  });

  it('refuses a list that is cut short or too long', () => {
    const index = buildIndex([capsule('a', 'price'), capsule('b', 'offer')]);
    const end = index.postings.length;
    for (const starts of [
      [0, end],
      [0, 3],
      [0, 1],
      [0, 0],
    ]) {
      expect(() => readPostings({ ...index, postingStarts: Uint32Array.from(starts) }, 0)).toThrow(IndexFormatError);
    }
  });
});
