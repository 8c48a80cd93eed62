import * as fc from 'fast-check';
import { ByteWriter } from '../../../src/search/format/index-block.ts';
import { type Followers, type FoundTerm, type PostingList, type PostingRecord, writeRecord } from '../../../src/search/format/postings.ts';
import { TEST_KERNEL } from './open-index.ts';

/** Documents of {@link postingRecord} are below. */
export const RECORD_DOCUMENTS = 3_000;

/** Ascending documents; impacts of few values, which are grouped, or of many, which are not. */
const postingList: fc.Arbitrary<PostingList> = fc
  .tuple(fc.uniqueArray(fc.oneof(fc.nat(60), fc.nat(RECORD_DOCUMENTS - 1)), { maxLength: 80, size: 'max' }), fc.constantFrom(1, 4, 127))
  .chain(([documents, most]) =>
    fc.record({
      documents: fc.constant(Uint32Array.from(documents).sort()),
      impacts: fc
        .array(fc.integer({ min: 1, max: most }), { minLength: documents.length, maxLength: documents.length })
        .map((impacts) => Uint8Array.from(impacts, (impact) => impact + (most === 4 ? 100 : 0))),
    }),
  );

/** A term with at least one document; what was given to documents that lack it; what follows it. */
export const postingRecord: fc.Arbitrary<PostingRecord> = postingList
  .filter(({ documents }) => documents.length > 0)
  .chain((own) =>
    fc.record({
      own: fc.constant(own),
      expansion: postingList.map(({ documents, impacts }) => without(own.documents, documents, impacts)),
      followers: fc.option(followersOf(own.documents.length), { nil: undefined }),
    }),
  );

function without(taken: Uint32Array, documents: Uint32Array, impacts: Uint8Array): PostingList {
  const isFree = (at: number): boolean => !taken.includes(documents[at] as number);
  return { documents: documents.filter((_, at) => isFree(at)), impacts: impacts.filter((_, at) => isFree(at)) };
}

function followersOf(count: number): fc.Arbitrary<Followers> {
  const list = fc.uniqueArray(fc.integer({ min: 1, max: 127 }), { maxLength: 5 });
  return fc.array(list, { minLength: count, maxLength: count, size: 'max' }).map((lists) => {
    const counts = Uint8Array.from(lists, ({ length }) => length);
    const starts = new Uint32Array(count);
    for (let at = 1; at < count; at++) starts[at] = (starts[at - 1] as number) + (counts[at - 1] as number);
    return { starts, counts, fingerprints: Uint8Array.from(lists.flat()) };
  });
}

/** The fingerprints that follow a term in the document at some place of its list. */
export function fingerprintsAt({ followers }: PostingRecord, place: number): number[] {
  if (followers === undefined) return [];
  const start = followers.starts[place] as number;
  return [...followers.fingerprints.subarray(start, start + (followers.counts[place] as number))];
}

export function recordBytes(record: PostingRecord): Uint8Array {
  const writer = new ByteWriter();
  writeRecord(writer, record);
  return writer.toBytes();
}

/** Documents and impacts of what a shard has of a term, ascending: those that have it, and those that were expanded with it. */
export function readPostings(found: FoundTerm, documents: number): Record<'own' | 'expansion', Map<number, number>> {
  const postings = { own: new Map<number, number>(), expansion: new Map<number, number>() };
  if (!('records' in found)) {
    postings.own.set(found.document, found.impact);
    return postings;
  }
  TEST_KERNEL.begin({ documents, recordBytes: found.end - found.at, candidates: 1 });
  TEST_KERNEL.addRecord(found.records, found.at, found.end, 1, 1, true);
  TEST_KERNEL.scores.forEach((impact, document) => {
    if (impact > 0) postings[TEST_KERNEL.masks[document] === 1 ? 'own' : 'expansion'].set(document, impact);
  });
  return postings;
}

/** Some bytes of a text changed, and its end cut off. */
export const damage = fc.record({
  changes: fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 255 })), { maxLength: 4 }),
  cut: fc.oneof(fc.constant(0), fc.nat(1000)),
});

/** Bytes after some {@link damage}. */
export function damaged(bytes: Uint8Array, { changes, cut }: { changes: [number, number][]; cut: number }): Uint8Array {
  const copy = bytes.slice(0, Math.max(0, bytes.length - (cut % (bytes.length + 1))));
  if (copy.length === 0) return copy;
  for (const [at, change] of changes) copy[at % copy.length] = (copy[at % copy.length] as number) ^ change;
  return copy;
}
