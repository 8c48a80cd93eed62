import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildSearchIndex } from '../../../src/build/generation/build-search-index.ts';
import { type EncodedIndex, IndexBuilder } from '../../../src/search/build/build-index.ts';
import { ByteWriter } from '../../../src/search/format/byte-writer.ts';
import { type PostingRecord, writeRecord } from '../../../src/search/format/write-postings.ts';
import { IndexFormatError } from '../../../src/search/format/index-format.ts';
import type { Kernel } from '../../../src/search/kernel/kernel.ts';
import { startKernel } from '../../../src/search/kernel/start-kernel.ts';
import { TypeScriptKernel } from '../../../src/search/kernel/typescript-kernel.ts';
import { WasmKernel } from '../../../src/search/kernel/wasm-kernel.ts';
import { type SearchOptions, search } from '../../../src/search/query/search.ts';
import { warmUp } from '../../../src/search/query/warm-up.ts';
import { syntheticDocuments, syntheticQueries } from '../../bench/synthetic-corpus.ts';
import { compiledKernel } from '../../support/compiled-kernel.ts';
import { corpusOf, hostileText, plainText } from './arbitraries.ts';
import { openIndex } from './open-index.ts';

const wasm = new WasmKernel(compiledKernel());

/** What a search gives, as both kernels rank. */
async function bothWays(index: EncodedIndex, query: string, options: SearchOptions) {
  const rank = async (kernel: Kernel) => {
    const reader = openIndex(index, kernel);
    const { results, matching, smoothing, skipped, isExact } = await search(reader, query, options);
    return { results, matching: [...matching], added: [...matching].map((document) => smoothing.get(document) ?? 0), skipped, isExact };
  };
  return [await rank(new TypeScriptKernel()), await rank(wasm)] as const;
}

/** What a record makes of the scores, of the masks and of the candidates, or that it is refused. */
function outcome(kernel: Kernel, bytes: Uint8Array, documents: number, marks: boolean): unknown {
  kernel.begin({ documents, recordBytes: bytes.length, candidates: 2 * documents });
  try {
    kernel.addRecord(bytes, 0, bytes.length, 5, 4, marks);
    const found = marks ? [kernel.findFollowers(9), kernel.findFollowers(77)] : [];
    const kept = found.map(({ start, count }) => kernel.keepMarked(start, count, 4));
    found.forEach(({ start, count }) => {
      kernel.addPoints(start, count, 1000);
    });
    const scores = [...kernel.scores];
    const matching = kernel.findMatching();
    return { scores, found, kept, matching: [...matching], strongest: [...kernel.findStrongest(matching.length, 7, undefined)] };
  } catch (error) {
    expect(error).toBeInstanceOf(IndexFormatError);
    return 'refused';
  }
}

const DOCUMENTS_MAX = 70_000;

/** Lists of documents that lie near each other or far apart, so that numbers of one byte, two and three are in a record. */
const record = fc.noShrink(
  fc.record({
    density: fc.constantFrom(1, 0.5, 0.05, 0.002),
    seed: fc.nat(),
    levels: fc.constantFrom(1, 3, 127),
    documents: fc.integer({ min: 1, max: DOCUMENTS_MAX }),
  }),
);

function randomRecord({
  density,
  seed,
  levels,
  documents,
}: {
  density: number;
  seed: number;
  levels: number;
  documents: number;
}): PostingRecord {
  let state = seed;
  const random = (): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const list = () => {
    const chosen = Array.from({ length: documents }, (_, document) => document).filter(() => random() < density);
    return { documents: Uint32Array.from(chosen), levels: Uint8Array.from(chosen, () => 1 + Math.floor(random() * levels)) };
  };
  const own = list();
  const counts = Uint8Array.from(own.levels, () => Math.floor(random() * 4));
  const starts = Uint32Array.from(counts, (_, at) => at * 3);
  const fingerprints = Uint8Array.from({ length: counts.length * 3 }, (_, at) => 1 + (at % 3) * 42 + Math.floor(random() * 42));
  return {
    own,
    expansion: random() < 0.5 ? list() : { documents: new Uint32Array(), levels: new Uint8Array() },
    followers: { starts, counts, fingerprints },
  };
}

function encode(posting: PostingRecord): Uint8Array {
  const writer = new ByteWriter(64);
  writeRecord(writer, posting);
  return writer.toBytes();
}

describe('the kernels of WebAssembly and of TypeScript', () => {
  it('rank alike, whatever the corpus, the query and the conditions', async () => {
    await fc.assert(
      fc.asyncProperty(
        corpusOf(plainText),
        fc.oneof(plainText, hostileText),
        fc.record({ offset: fc.nat(3), limit: fc.nat(8), modulus: fc.integer({ min: 1, max: 3 }), tiers: fc.boolean() }),
        async (documents, query, { offset, limit, modulus, tiers }) => {
          const builder = new IndexBuilder();
          builder.add(documents.map((document, at) => ({ ...document, tier: tiers ? at % 3 : 0 })));
          const accepts = modulus === 1 ? {} : { accepts: (document: number) => document % modulus === 0 };
          const [typescript, webassembly] = await bothWays(builder.finish(), query, { offset, limit, ...accepts });
          expect(webassembly).toEqual(typescript);
        },
      ),
      { numRuns: 300 },
    );
  });

  it.each([true, false])('rank alike in an index of 1,500 documents with pairs, expansion and neighbours: %s', async (whole) => {
    const documents = [...syntheticDocuments(1_500, 3)].map((document, at) => ({ ...document, tier: at % 5 === 0 ? 2 : 0 }));
    const index = await buildSearchIndex(documents, whole ? {} : { pairs: false, expansion: false, neighbours: false });
    for (const { text } of syntheticQueries(60, 3, 1_500)) {
      const [typescript, webassembly] = await bothWays(index, text, { offset: 3, limit: 500, accepts: (document) => document % 7 !== 1 });
      expect(webassembly).toEqual(typescript);
    }
  });

  it('read the same of any record, near documents and far ones, few levels and many', () => {
    fc.assert(
      fc.property(record, fc.boolean(), (shape, marks) => {
        const bytes = encode(randomRecord(shape));
        const expected = outcome(new TypeScriptKernel(), bytes, shape.documents, marks);
        expect(expected).not.toBe('refused');
        expect(outcome(wasm, bytes, shape.documents, marks)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it('refuse the same bytes: cut short, of a larger index, or of no index', () => {
    const cut = record.chain((shape) =>
      fc.record({
        shape: fc.constant({ ...shape, documents: (shape.documents % 300) + 1 }),
        kept: fc.double({ min: 0, max: 1, noNaN: true }),
        lost: fc.nat(40),
      }),
    );
    let refused = 0;
    fc.assert(
      fc.property(cut, fc.boolean(), ({ shape, kept, lost }, marks) => {
        const whole = encode(randomRecord(shape));
        const bytes = whole.slice(0, Math.floor(whole.length * kept));
        const documents = Math.max(1, shape.documents - lost);
        const expected = outcome(new TypeScriptKernel(), bytes, documents, marks);
        if (expected === 'refused') refused++;
        expect(outcome(wasm, bytes, documents, marks)).toEqual(expected);
      }),
      { numRuns: 300 },
    );
    expect(refused).toBeGreaterThan(50);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), fc.integer({ min: 1, max: 400 }), fc.boolean(), (bytes, documents, marks) => {
        expect(outcome(wasm, bytes, documents, marks)).toEqual(outcome(new TypeScriptKernel(), bytes, documents, marks));
      }),
      { numRuns: 3_000 },
    );
  });
});

describe('startKernel()', () => {
  it('takes TypeScript without a module, or with one that needs what it cannot get', () => {
    expect(startKernel(undefined)).toBeInstanceOf(TypeScriptKernel);
    // A module that imports a function, which nobody gives it.
    const foreign = Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 2, 7, 1, 1, 97, 1, 98, 0, 0);
    expect(startKernel(new WebAssembly.Module(foreign))).toBeInstanceOf(TypeScriptKernel);
    expect(startKernel(compiledKernel())).toBeInstanceOf(WasmKernel);
  });
});

describe('a kernel of WebAssembly without memory enough', () => {
  it('says so, and the search answers without it', async () => {
    const small = new WasmKernel(compiledKernel());
    expect(small.begin({ documents: 10, recordBytes: 2 ** 26, candidates: 0 })).toBe(false);
    const builder = new IndexBuilder();
    builder.add([{ id: 'a', language: 'en', title: 'Fresh answers', headings: [], tags: [], summary: '', body: '' }]);
    small.begin = () => false;
    const { results } = await search(openIndex(builder.finish(), small), 'fresh', { limit: 1 });
    expect(results.map(({ number }) => number)).toEqual([0]);
  });
});

describe('warmUp()', () => {
  it.each([
    ['TypeScript', () => new TypeScriptKernel()],
    ['WebAssembly', () => wasm],
  ])('changes no answer of a kernel: %s', async (_, kernelOf) => {
    const kernel = kernelOf();
    await warmUp(kernel, 20_000);
    const index = await buildSearchIndex(syntheticDocuments(200, 3));
    const reader = openIndex(index, kernel);
    for (const { text } of syntheticQueries(5, 3, 200)) {
      const { results } = await search(reader, text, { limit: 10 });
      const [expected] = await bothWays(index, text, { limit: 10 });
      expect(results).toEqual(expected.results);
    }
  });
});
