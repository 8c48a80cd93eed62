import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { runNode } from '../../../../src/build/run-process.ts';
import { IndexFormatError } from '../../../../src/search/format/index-block.ts';
import { NO_POSTINGS, type PostingRecord } from '../../../../src/search/format/postings.ts';
import { Kernel } from '../../../../src/search/scoring-wasm/kernel.ts';
import { compiledKernel } from '../../../support/compiled-kernel.ts';
import { ROOT } from '../../../support/paths.ts';
import { TEST_KERNEL } from '../open-index.ts';
import { damage, damaged, fingerprintsAt, postingRecord, RECORD_DOCUMENTS, recordBytes } from '../posting-lists.ts';

const WEIGHT = 3;
const BIT = 4;
const POINTS = 1000;

function kernelOutcome(bytes: Uint8Array, documents: number, fingerprint: number) {
  TEST_KERNEL.begin({ documents, recordBytes: bytes.length, candidates: documents });
  TEST_KERNEL.addRecord(bytes, 0, bytes.length, WEIGHT, BIT, true);
  const { start, count } = TEST_KERNEL.findFollowers(fingerprint);
  const kept = TEST_KERNEL.keepMarked(start, count, BIT);
  TEST_KERNEL.addPoints(start, kept, POINTS);
  return { scores: TEST_KERNEL.scores.slice(), masks: TEST_KERNEL.masks.slice(), start, count, kept };
}

function expectedOutcome(record: PostingRecord, documents: number, fingerprint: number) {
  const scores = new Int32Array(documents);
  const masks = new Uint32Array(documents);
  for (const list of [record.own, record.expansion])
    list.documents.forEach((document, at) => {
      scores[document] = WEIGHT * (list.impacts[at] ?? 0);
    });
  let count = 0;
  record.own.documents.forEach((document, place) => {
    masks[document] = BIT;
    if (!fingerprintsAt(record, place).includes(fingerprint)) return;
    scores[document] = (scores[document] ?? 0) + POINTS;
    count += 1;
  });
  return { scores, masks, start: 0, count, kept: count };
}

/** Records of documents that lie near each other or far apart, so that deltas take one byte, two and three. */
const longRecord = fc.noShrink(
  fc.record({
    density: fc.constantFrom(1, 0.5, 0.05, 0.002),
    seed: fc.nat(),
    impacts: fc.constantFrom(1, 3, 127),
    documents: fc.integer({ min: 1, max: 70_000 }),
    isExpanded: fc.boolean(),
  }),
);
type RecordShape = typeof longRecord extends fc.Arbitrary<infer Shape> ? Shape : never;

function makeRecord({ density, seed, impacts, documents, isExpanded }: RecordShape): PostingRecord {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const list = (candidates: readonly number[]) => {
    const chosen = candidates.filter(() => random() < density);
    return { documents: Uint32Array.from(chosen), impacts: Uint8Array.from(chosen, () => 1 + Math.floor(random() * impacts)) };
  };
  const all = Array.from({ length: documents }, (_, document) => document);
  const own = list(all);
  const owned = new Set(own.documents);
  const counts = Uint8Array.from(own.impacts, () => Math.floor(random() * 4));
  const starts = Uint32Array.from(counts, (_, at) => at * 3);
  const fingerprints = Uint8Array.from({ length: counts.length * 3 }, (_, at) => 1 + (at % 3) * 42 + Math.floor(random() * 42));
  const expansion = isExpanded ? list(all.filter((document) => !owned.has(document))) : NO_POSTINGS;
  return { own, expansion, followers: { starts, counts, fingerprints } };
}

describe('Kernel', () => {
  it('scores a record as its lists say, in each form of the lists', () => {
    const seen = { own: new Set<number>(), expansion: new Set<number>(), followers: new Set<number>() };
    fc.assert(
      fc.property(postingRecord, fc.integer({ min: 1, max: 127 }), (record, fingerprint) => {
        const bytes = recordBytes(record);
        expect(kernelOutcome(bytes, RECORD_DOCUMENTS, fingerprint)).toEqual(expectedOutcome(record, RECORD_DOCUMENTS, fingerprint));
        const [modes = 0] = bytes;
        seen.own.add(modes & 3);
        seen.expansion.add((modes >> 2) & 3);
        seen.followers.add(modes & 16);
      }),
      { numRuns: 300 },
    );
    expect(seen).toEqual({ own: new Set([1, 2]), expansion: new Set([0, 1, 2]), followers: new Set([0, 16]) });
  });

  it('scores long records as their lists say: near documents and far ones, few impacts and many', () => {
    fc.assert(
      fc.property(longRecord, fc.constantFrom(9, 77), (shape, fingerprint) => {
        const record = makeRecord(shape);
        const outcome = kernelOutcome(recordBytes(record), shape.documents, fingerprint);
        expect(outcome).toEqual(expectedOutcome(record, shape.documents, fingerprint));
      }),
      { numRuns: 20 },
    );
  });

  it('marks nothing and finds the same scores without marks', () => {
    fc.assert(
      fc.property(longRecord, (shape) => {
        const record = makeRecord(shape);
        const bytes = recordBytes(record);
        TEST_KERNEL.begin({ documents: shape.documents, recordBytes: bytes.length, candidates: 0 });
        TEST_KERNEL.addRecord(bytes, 0, bytes.length, WEIGHT, 0, false);
        expect(TEST_KERNEL.scores.slice()).toEqual(expectedOutcome(record, shape.documents, 0).scores);
      }),
      { numRuns: 15 },
    );
  });

  it('rejects every record that is cut short', () => {
    fc.assert(
      fc.property(postingRecord, (record) => {
        const bytes = recordBytes(record);
        for (let length = 0; length < bytes.length; length++)
          expect(() => kernelOutcome(bytes.subarray(0, length), RECORD_DOCUMENTS, 5)).toThrow(IndexFormatError);
      }),
      { numRuns: 40 },
    );
  });

  it('rejects a record that names a document which the index lacks', () => {
    fc.assert(
      fc.property(postingRecord, fc.nat(40), (record, missing) => {
        const documents = Math.max(...record.own.documents, ...record.expansion.documents);
        expect(() => kernelOutcome(recordBytes(record), Math.max(0, documents - missing), 5)).toThrow(IndexFormatError);
      }),
      { numRuns: 50 },
    );
  });

  it('rejects changed bytes or scores documents of the index alone, and scores the next record as if nothing had been', () => {
    const next: PostingRecord = { own: { documents: Uint32Array.of(1, 59), impacts: Uint8Array.of(9, 2) }, expansion: NO_POSTINGS };
    const bytesOfRecord = fc.tuple(postingRecord, damage).map(([record, change]) => damaged(recordBytes(record), change));
    let rejected = 0;
    fc.assert(
      fc.property(
        fc.oneof(bytesOfRecord, fc.uint8Array({ maxLength: 60 })),
        fc.constantFrom(60, RECORD_DOCUMENTS),
        fc.integer({ min: 1, max: 127 }),
        (bytes, documents, fingerprint) => {
          try {
            const { count, scores } = kernelOutcome(bytes, documents, fingerprint);
            expect(count).toBeLessThanOrEqual(documents);
            expect(Math.max(...scores)).toBeLessThanOrEqual(2 * bytes.length * 255 * WEIGHT + count * POINTS);
          } catch (error) {
            expect(error).toBeInstanceOf(IndexFormatError);
            rejected++;
          }
          expect(kernelOutcome(recordBytes(next), documents, fingerprint)).toEqual(expectedOutcome(next, documents, fingerprint));
        },
      ),
      { numRuns: 300 },
    );
    expect(rejected).toBeGreaterThan(200);
  });

  it('rejects a list that promises more documents than there are bytes, and a list of no known form', () => {
    const huge = [0xff, 0xff, 0xff, 0xff, 0x0f];
    for (const bytes of [
      [1, ...huge, 0, 1],
      [2, 1, 9, ...huge, 0],
      [9, 1, 0, 5, 9, ...huge, 0],
      [5, 1, 0, 5, ...huge, 0],
      [0, 1, 0, 0],
      [3, 1, 0, 0],
    ])
      expect(() => kernelOutcome(Uint8Array.from(bytes), RECORD_DOCUMENTS, 1)).toThrow(IndexFormatError);
  });

  it('finds the strongest documents: by tier, score and number, whatever the limit', () => {
    const ranked = fc.array(fc.tuple(fc.oneof(fc.nat(6), fc.nat(2 ** 30)), fc.nat(3)), { maxLength: 300, size: 'max' });
    fc.assert(
      fc.property(ranked, fc.nat(320), fc.boolean(), (documents, limit, isTiered) => {
        const tiers = isTiered ? Uint8Array.from(documents, ([, tier]) => tier) : undefined;
        const expected = documents
          .map(([score, tier], number) => ({ score, tier: isTiered ? tier : 0, number }))
          .filter(({ score }) => score > 0)
          .sort((a, b) => a.tier - b.tier || b.score - a.score || a.number - b.number)
          .map(({ number }) => number);
        TEST_KERNEL.begin({ documents: documents.length, recordBytes: 0, candidates: 0 });
        TEST_KERNEL.scores.set(documents.map(([score]) => score));
        const matching = TEST_KERNEL.findMatching();
        expect([...matching]).toEqual([...expected].sort((a, b) => a - b));
        expect([...TEST_KERNEL.findStrongest(matching.length, limit, tiers)]).toEqual(expected.slice(0, limit));
      }),
      { numRuns: 150 },
    );
  });

  it('throws when a query needs more memory than an isolate has, and works on', () => {
    const kernel = new Kernel(compiledKernel());
    expect(() => kernel.begin({ documents: 10, recordBytes: 2 ** 28, candidates: 0 })).toThrow(RangeError);
    kernel.begin({ documents: 10, recordBytes: 0, candidates: 0 });
    expect([...kernel.findMatching()]).toEqual([]);
  });
});

it('kernel.wasm is what its source compiles to', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kernel-'));
  try {
    const built = join(folder, 'kernel.wasm');
    const program = join(ROOT, 'node_modules/assemblyscript/bin/asc.js');
    const outcome = await runNode([program, '--config', 'src/search/scoring-wasm/asconfig.json', '--outFile', built], { cwd: ROOT });
    expect(outcome.output).toBe('');
    expect(outcome.exitCode).toBe(0);
    expect(await readFile(built)).toEqual(await readFile(join(ROOT, 'src/search/scoring-wasm/kernel.wasm')));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

it('the kernel imports nothing, and all of its memory is the caller’s', () => {
  const module = compiledKernel();
  expect(WebAssembly.Module.imports(module)).toEqual([]);
  expect(
    WebAssembly.Module.exports(module)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(['addPoints', 'addRecord', 'clear', 'findFollowers', 'findMatching', 'findStrongest', 'keepMarked', 'memory']);
});
