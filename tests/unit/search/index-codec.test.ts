import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildIndex } from '../../../src/search/build-index.ts';
import { checksum } from '../../../src/search/checksum.ts';
import { decodeIndex } from '../../../src/search/decode-index.ts';
import { encodeIndex } from '../../../src/search/encode-index.ts';
import { INDEX_FORMAT_VERSION, INDEX_HEADER_BYTES, IndexFormatError } from '../../../src/search/index-format.ts';
import { rankDocuments } from '../../../src/search/rank.ts';
import { capsule, corpusOf, hostileText, plainText } from './arbitraries.ts';

const corpus = fc.oneof(corpusOf(plainText), corpusOf(hostileText));

const sample = encodeIndex(
  buildIndex([capsule('a', 'Agents buy capsules.'), capsule('b', 'Lineage of capsules', { language: 'de', title: 'Zürich' })]),
);

/** The same bytes with a checksum that fits, so that what is behind the checksum is reached. */
function resealed(bytes: Uint8Array): Uint8Array {
  const sealed = bytes.slice();
  const sum = checksum(sealed.subarray(INDEX_HEADER_BYTES));
  sealed.set([sum & 0xff, (sum >>> 8) & 0xff, (sum >>> 16) & 0xff, sum >>> 24], INDEX_HEADER_BYTES - 4);
  return sealed;
}

describe('buildIndex()', () => {
  it('gives one index whatever the order of the documents', () => {
    fc.assert(
      fc.property(
        corpus.chain((documents) => fc.tuple(fc.constant(documents), fc.shuffledSubarray(documents, { minLength: documents.length }))),
        ([documents, shuffled]) => {
          expect(buildIndex(shuffled)).toEqual(buildIndex(documents));
          expect(encodeIndex(buildIndex(shuffled))).toEqual(encodeIndex(buildIndex(documents)));
        },
      ),
    );
  });

  it('sorts ids and terms by UTF-16 code unit', () => {
    const index = buildIndex([capsule('b', 'zebra'), capsule('é', 'apple'), capsule('a', 'Zürich'), capsule('B', 'x')]);
    expect(index.documentIds).toEqual(['B', 'a', 'b', 'é']);
    expect(index.terms).toEqual([...index.terms].sort());
  });

  it('leaves its input as it was', () => {
    const documents = Object.freeze([capsule('b', 'x'), capsule('a', 'y')]);
    buildIndex(documents);
    expect(documents.map(({ id }) => id)).toEqual(['b', 'a']);
  });

  it('throws RangeError for a duplicate id', () => {
    expect(() => buildIndex([capsule('a', 'x'), capsule('b', 'y'), capsule('a', 'z')])).toThrow(RangeError);
  });

  it('throws RangeError for an id or language with a lone surrogate', () => {
    expect(() => buildIndex([capsule('a\ud800', 'x')])).toThrow(RangeError);
    expect(() => buildIndex([capsule('a', 'x', { language: '\udc00' })])).toThrow(RangeError);
  });
});

describe('decodeIndex()', () => {
  it('gives back what was encoded', () => {
    fc.assert(
      fc.property(corpus, (documents) => {
        const index = buildIndex(documents);
        const decoded = decodeIndex(encodeIndex(index));
        expect(decoded).toEqual(index);
        expect(encodeIndex(decoded)).toEqual(encodeIndex(index));
      }),
    );
  });

  it('gives back ids that text decoders like to change', () => {
    const index = buildIndex(['\ufeffa', '', 'a\n', '\u0000', '𠀀', 'e\u0301', 'é'].map((id) => capsule(id, 'x')));
    expect(decodeIndex(encodeIndex(index))).toEqual(index);
  });

  it('keeps no reference to the bytes', () => {
    const bytes = sample.slice();
    const index = decodeIndex(bytes);
    bytes.fill(0);
    expect(index).toEqual(decodeIndex(sample));
  });

  it('reads bytes that are a view into a larger buffer', () => {
    const padded = new Uint8Array(sample.length + 20);
    padded.set(sample, 7);
    expect(decodeIndex(padded.subarray(7, 7 + sample.length))).toEqual(decodeIndex(sample));
  });

  it('refuses every truncation', () => {
    for (let length = 0; length < sample.length; length++) {
      expect(() => decodeIndex(sample.subarray(0, length))).toThrow(IndexFormatError);
    }
  });

  it('refuses every change of a byte', () => {
    for (let at = 0; at < sample.length; at++) {
      for (const change of [1, 0x80, 0xff]) {
        const bytes = sample.slice();
        bytes[at] = (bytes[at] ?? 0) ^ change;
        expect(() => decodeIndex(bytes)).toThrow(IndexFormatError);
      }
    }
  });

  it('refuses trailing bytes, even with a checksum that covers them', () => {
    const longer = new Uint8Array(sample.length + 1);
    longer.set(sample);
    expect(() => decodeIndex(longer)).toThrow(IndexFormatError);
    expect(() => decodeIndex(resealed(longer))).toThrow(/other bytes follow/);
  });

  it('refuses another magic, version or analyser, and says which', () => {
    const changed = (at: number, value: number): Uint8Array => resealed(sample.with(at, value));
    expect(() => decodeIndex(changed(0, 0x20))).toThrow(/are not one/);
    expect(() => decodeIndex(changed(4, INDEX_FORMAT_VERSION + 1))).toThrow(/version is 2, not 1/);
    expect(() => decodeIndex(changed(INDEX_HEADER_BYTES + 4, 0x7a))).toThrow(/another analyser/);
  });

  it('refuses or reads bytes whose checksum was forged, and nothing else can come of them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(sample.length - INDEX_HEADER_BYTES - 1), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        fc.nat(30),
        (changes, cut) => {
          const bytes = sample.slice(0, Math.max(INDEX_HEADER_BYTES, sample.length - cut));
          for (const [at, value] of changes) bytes[INDEX_HEADER_BYTES + at] = value;
          try {
            rankDocuments(decodeIndex(resealed(bytes)), 'agents buy capsules lineage zurich');
          } catch (error) {
            expect(error).toBeInstanceOf(IndexFormatError);
          }
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('allocates nothing for counts that the bytes cannot hold', () => {
    const bytes = new Uint8Array(INDEX_HEADER_BYTES + 5).fill(0xff);
    bytes.set(sample.subarray(0, INDEX_HEADER_BYTES));
    bytes[bytes.length - 1] = 0x0f;
    expect(() => decodeIndex(resealed(bytes))).toThrow(IndexFormatError);
  });

  it('refuses random bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(() => decodeIndex(bytes)).toThrow(IndexFormatError);
      }),
    );
  });
});

describe('checksum()', () => {
  it('is CRC-32: the check value of the digits 1 to 9', () => {
    expect(checksum(new TextEncoder().encode('123456789'))).toBe(0xcbf43926);
  });
});
