import { readFileSync } from 'node:fs';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../../src/search/format/byte-writer.ts';
import { writeRecord } from '../../../src/search/format/write-postings.ts';
import { IndexFormatError } from '../../../src/search/format/index-format.ts';
import type { Kernel } from '../../../src/search/kernel/kernel.ts';
import { TypeScriptKernel } from '../../../src/search/kernel/typescript-kernel.ts';
import { WasmKernel } from '../../../src/search/kernel/wasm-kernel.ts';
import { damage, damaged, fingerprintsAt, postingRecord, RECORD_DOCUMENTS } from './posting-lists.ts';

const wasm = new WasmKernel(new WebAssembly.Module(readFileSync(new URL('../../../src/search/kernel/kernel.wasm', import.meta.url))));
const KERNELS: readonly Kernel[] = [new TypeScriptKernel(), wasm];

/** What a kernel makes of one record, or that it refuses it. */
function outcome(kernel: Kernel, bytes: Uint8Array, documents: number, wanted: number): unknown {
  expect(kernel.begin({ documents, recordBytes: bytes.length, candidates: documents })).toBe(true);
  try {
    kernel.addRecord(bytes, 0, bytes.length, 3, 4, true);
    const { start, count } = kernel.findFollowers(wanted);
    const kept = kernel.keepMarked(start, count, 4);
    kernel.addPoints(start, kept, 1000);
    return { scores: kernel.scores.slice(), masks: kernel.masks.slice(), start, count, kept };
  } catch (error) {
    expect(error).toBeInstanceOf(IndexFormatError);
    return 'refused';
  }
}

describe('kernels', () => {
  it('score a record as its lists say', () => {
    fc.assert(
      fc.property(postingRecord, fc.integer({ min: 1, max: 127 }), (record, wanted) => {
        const writer = new ByteWriter();
        writeRecord(writer, record);
        const scores = new Int32Array(RECORD_DOCUMENTS);
        const masks = new Uint32Array(RECORD_DOCUMENTS);
        for (const { documents, levels } of [record.own, record.expansion]) {
          documents.forEach((document, at) => {
            scores[document] = 3 * (levels[at] as number);
          });
        }
        record.own.documents.forEach((document, place) => {
          masks[document] = 4;
          if (fingerprintsAt(record, place).includes(wanted)) scores[document] = (scores[document] as number) + 1000;
        });
        for (const kernel of KERNELS) {
          expect(outcome(kernel, writer.toBytes(), RECORD_DOCUMENTS, wanted)).toMatchObject({ scores, masks });
        }
      }),
      { numRuns: 150 },
    );
  });

  it('make the same of changed bytes, or refuse them', () => {
    let refused = 0;
    fc.assert(
      fc.property(
        postingRecord,
        damage,
        fc.integer({ min: 1, max: 127 }),
        fc.constantFrom(60, RECORD_DOCUMENTS),
        (record, change, wanted, documents) => {
          const writer = new ByteWriter();
          writeRecord(writer, record);
          const bytes = damaged(writer.toBytes(), change);
          const [first, second] = KERNELS.map((kernel) => outcome(kernel, bytes, documents, wanted));
          expect(second).toEqual(first);
          if (first === 'refused') refused++;
        },
      ),
      { numRuns: 500 },
    );
    expect(refused).toBeGreaterThan(50);
  });

  it('refuse a list that promises more documents than there are bytes, before they read it', () => {
    const huge = [0xff, 0xff, 0xff, 0xff, 0x0f];
    for (const bytes of [
      [1, ...huge, 0, 1],
      [2, 1, 9, ...huge, 0],
      [9, 1, 0, 5, 9, ...huge, 0],
      [5, 1, 0, 5, ...huge, 0],
    ]) {
      for (const kernel of KERNELS) expect(outcome(kernel, Uint8Array.from(bytes), RECORD_DOCUMENTS, 1)).toBe('refused');
    }
  });

  it('find the strongest: by tier, score and number, however many are wanted', () => {
    const ranked = fc.array(fc.tuple(fc.nat(6), fc.nat(3)), { maxLength: 60, size: 'max' });
    fc.assert(
      fc.property(ranked, fc.nat(70), fc.boolean(), (documents, wanted, tiered) => {
        const tiers = tiered ? Uint8Array.from(documents, ([, tier]) => tier) : undefined;
        const expected = documents
          .map(([score, tier], number) => ({ score, tier: tiered ? tier : 0, number }))
          .filter(({ score }) => score > 0)
          .sort((a, b) => a.tier - b.tier || b.score - a.score || a.number - b.number)
          .map(({ number }) => number);
        for (const kernel of KERNELS) {
          kernel.begin({ documents: documents.length, recordBytes: 0, candidates: 0 });
          documents.forEach(([score], number) => {
            kernel.scores[number] = score;
          });
          const matching = kernel.findMatching();
          expect([...matching]).toEqual([...expected].sort((a, b) => a - b));
          expect([...kernel.findStrongest(matching.length, wanted, tiers)]).toEqual(expected.slice(0, wanted));
        }
      }),
      { numRuns: 300 },
    );
  });
});
