import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../../src/search/format/byte-writer.ts';
import { postingBuffer, RecordReader } from '../../../src/search/format/read-record.ts';
import { type LeveledDocuments, type PostingRecord, writeRecord } from '../../../src/search/format/write-postings.ts';
import { IndexFormatError } from '../../../src/search/format/index-format.ts';
import { damage, damaged, fingerprintsAt, postingRecord } from './posting-lists.ts';

function bytesOf(record: PostingRecord): Uint8Array {
  const writer = new ByteWriter();
  writeRecord(writer, record);
  return writer.toBytes();
}

const listOf = (documents: Uint32Array, levels: Uint8Array, count = documents.length): [number, number][] =>
  Array.from(documents.subarray(0, count), (document, at) => [document, levels[at] as number]);

const byDocument = ({ documents, levels }: LeveledDocuments): [number, number][] => listOf(documents, levels);

const NOTHING: LeveledDocuments = { documents: new Uint32Array(), levels: new Uint8Array() };

describe('RecordReader', () => {
  it('reads what writeRecord() wrote, wherever it stands', () => {
    const seen = { own: new Set<number>(), expansion: new Set<number>(), followers: new Set<number>() };
    fc.assert(
      fc.property(postingRecord, fc.nat(9), (record, before) => {
        const written = bytesOf(record);
        const bytes = new Uint8Array(before + written.length + 3).fill(0xff);
        bytes.set(written, before);
        const reader = new RecordReader(bytes, before);
        const buffer = postingBuffer(1);
        expect(reader.documentFrequency).toBe(record.own.documents.length);
        const own = read(buffer, reader.readOwn(buffer));
        expect([...own].sort((a, b) => a[0] - b[0])).toEqual(byDocument(record.own));
        const expansion = read(buffer, reader.readExpansion(buffer));
        expect(expansion.sort((a, b) => a[0] - b[0])).toEqual(byDocument(record.expansion));
        for (const wanted of [1, 2, 64, 126, 127]) {
          const places = reader.findFollowers(wanted);
          expect(places).toEqual([...places].sort((a, b) => a - b));
          const documents = places.map((place) => own[place]?.[0] ?? -1).sort((a, b) => a - b);
          const having = [...record.own.documents].filter((_, place) => fingerprintsAt(record, place).includes(wanted));
          expect(documents).toEqual(having);
        }
        const modes = written[0] as number;
        seen.own.add(modes & 3);
        seen.expansion.add((modes >> 2) & 3);
        seen.followers.add(modes & 16);
      }),
      { numRuns: 300 },
    );
    expect(seen).toEqual({ own: new Set([1, 2]), expansion: new Set([0, 1, 2]), followers: new Set([0, 16]) });
  });

  it('takes the lowest bytes: one for a level of many documents, two for a posting of few', () => {
    const documents = Uint32Array.from({ length: 100 }, (_, at) => at);
    const alike = bytesOf({ own: { documents, levels: new Uint8Array(100).fill(7) }, expansion: NOTHING });
    expect([...alike.subarray(0, 4), alike.length]).toEqual([2, 100, 7, 100, 105]);
    const one = bytesOf({ own: { documents: Uint32Array.of(300), levels: Uint8Array.of(9) }, expansion: NOTHING });
    expect([...one]).toEqual([1, 1, 0xac, 0x02, 9]);
  });

  it('refuses every record that is cut short before its last list ends', () => {
    fc.assert(
      fc.property(postingRecord, (record) => {
        const bytes = bytesOf(record);
        for (let length = 0; length < bytes.length; length++) {
          expect(() => readAll(bytes.subarray(0, length))).toThrow(IndexFormatError);
        }
      }),
      { numRuns: 40 },
    );
  });

  it('gives some value of bounded size for changed bytes, or refuses them', () => {
    let refused = 0;
    fc.assert(
      fc.property(postingRecord, damage, (record, change) => {
        const bytes = damaged(bytesOf(record), change);
        const buffer = postingBuffer(1);
        try {
          const { postings, followers } = readAll(bytes, buffer);
          expect(postings).toBeLessThanOrEqual(2 * bytes.length);
          expect(followers).toBeLessThanOrEqual(bytes.length);
        } catch (error) {
          expect(error).toBeInstanceOf(IndexFormatError);
          refused++;
        }
        expect(buffer.documents.length).toBeLessThanOrEqual(2 * bytes.length + 1);
      }),
      { numRuns: 1500 },
    );
    expect(refused).toBeGreaterThan(100);
  });

  it('allocates nothing for a count that the bytes cannot hold', () => {
    const buffer = postingBuffer(1);
    for (const mode of [1, 2]) {
      expect(() => readAll(Uint8Array.of(mode, 0xff, 0xff, 0xff, 0xff, 0x0f, 0, 0), buffer)).toThrow(IndexFormatError);
    }
    expect(() => readAll(Uint8Array.of(2, 1, 9, 0xff, 0xff, 0xff, 0xff, 0x0f, 0), buffer)).toThrow(IndexFormatError);
    expect(buffer.documents.length).toBe(1);
  });

  it('refuses a list of no known form', () => {
    expect(() => readAll(Uint8Array.of(0, 1, 0, 0))).toThrow(/form/);
    expect(() => readAll(Uint8Array.of(3, 1, 0, 0))).toThrow(/form/);
  });
});

function read(buffer: ReturnType<typeof postingBuffer>, count: number): [number, number][] {
  return listOf(buffer.documents, buffer.levels, count);
}

function readAll(bytes: Uint8Array, buffer = postingBuffer(1)): { postings: number; followers: number } {
  const reader = new RecordReader(bytes, 0);
  const own = reader.readOwn(buffer);
  const expansion = reader.readExpansion(buffer);
  return { postings: own + expansion, followers: reader.findFollowers(5).length };
}
