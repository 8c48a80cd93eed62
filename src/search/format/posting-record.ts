import { QUANTIZED_IMPACT_MAX } from '../bm25.ts';
import type { ByteWriter } from './byte-writer.ts';
import { IndexFormatError } from './index-block.ts';

/**
 * Encoding of a posting list: in the order of the documents (`SHORT`), or grouped by impact, highest first (`SEGMENTS`), which is smaller and
 * faster for long lists.
 */
type ListMode = 0 | 1 | 2;

const ABSENT: ListMode = 0;
const SHORT: ListMode = 1;
const SEGMENTS: ListMode = 2;

/** Set in the first byte of a record with followers. */
const HAS_FOLLOWERS = 16;

/** Set in every byte of a follower list but the last. */
const FOLLOWER_CONTINUES = 0x80;

/** Documents, ascending, with a quantized impact from 1 to `QUANTIZED_IMPACT_MAX` each. */
export interface PostingList {
  readonly documents: Uint32Array;
  readonly impacts: Uint8Array;
}

export const NO_POSTINGS: PostingList = { documents: new Uint32Array(), impacts: new Uint8Array() };

/** Fingerprints of the terms that follow each posting of a list. */
export interface Followers {
  /** Start of the fingerprints of each posting. */
  readonly starts: Uint32Array;
  readonly counts: Uint8Array;
  readonly fingerprints: Uint8Array;
}

/** The postings of one term. */
export interface PostingRecord {
  /** Documents with the term. */
  readonly own: PostingList;
  /** Documents that were expanded with the term of their neighbours. */
  readonly expansion: PostingList;
  /** The terms that follow it in each own document; absent in an index without pairs. */
  readonly followers?: Followers | undefined;
}

/**
 * Writes a record: a byte of modes, the number of own documents, their list, the list of the expansion, the followers of each document in
 * the order of the list.
 */
export function writeRecord(writer: ByteWriter, { own, expansion, followers }: PostingRecord): void {
  const ownMode = chooseMode(own);
  const expansionMode = expansion.documents.length === 0 ? ABSENT : chooseMode(expansion);
  const kept = followers?.counts.some((count) => count > 0) ? followers : undefined;
  writer.writeByte(ownMode | (expansionMode << 2) | (kept ? HAS_FOLLOWERS : 0));
  writer.writeVarint(own.documents.length);
  const order = writeList(writer, own, ownMode);
  if (expansionMode !== ABSENT) {
    if (expansionMode === SHORT) writer.writeVarint(expansion.documents.length);
    writeList(writer, expansion, expansionMode);
  }
  if (kept === undefined) return;
  for (let at = 0; at < own.documents.length; at++) writeFollowers(writer, kept, order === undefined ? at : order[at]);
}

// Each group costs two bytes and saves one for each of its documents.
function chooseMode({ impacts }: PostingList): ListMode {
  if (impacts.length < 4) return SHORT;
  return impacts.length > 2 * new Set(impacts).size + 1 ? SEGMENTS : SHORT;
}

/** @returns Positions of the postings in the order of writing, if it differs from the order of the documents. */
function writeList(writer: ByteWriter, { documents, impacts }: PostingList, mode: ListMode): Uint32Array | undefined {
  if (mode === SHORT) {
    let last = -1;
    for (let posting = 0; posting < documents.length; posting++) {
      const document = documents[posting];
      writer.writeVarint(document - last - 1);
      writer.writeByte(impacts[posting]);
      last = document;
    }
    return undefined;
  }
  const { order, ends } = sortByImpact(impacts);
  let from = 0;
  for (let impact = QUANTIZED_IMPACT_MAX; impact > 0; impact--) {
    const to = ends[impact];
    if (to === from) continue;
    writer.writeByte(impact);
    writer.writeVarint(to - from);
    let last = -1;
    for (; from < to; from++) {
      const document = documents[order[from]];
      writer.writeVarint(document - last - 1);
      last = document;
    }
  }
  writer.writeByte(0);
  return order;
}

// A counting sort, highest impact first, with the end of each impact in the order.
function sortByImpact(impacts: Uint8Array): { order: Uint32Array; ends: Uint32Array } {
  const ends = new Uint32Array(QUANTIZED_IMPACT_MAX + 2);
  for (const impact of impacts) ends[impact] += 1;
  let start = 0;
  for (let impact = QUANTIZED_IMPACT_MAX; impact >= 0; impact--) {
    const count = ends[impact];
    ends[impact] = start;
    start += count;
  }
  const order = new Uint32Array(impacts.length);
  for (let posting = 0; posting < impacts.length; posting++) {
    const impact = impacts[posting];
    const at = ends[impact];
    order[at] = posting;
    ends[impact] = at + 1;
  }
  return { order, ends };
}

function writeFollowers(writer: ByteWriter, { starts, counts, fingerprints }: Followers, posting: number): void {
  const start = starts[posting];
  const end = start + counts[posting];
  if (start === end) writer.writeByte(0);
  for (let at = start; at < end; at++) writer.writeByte(fingerprints[at] | (at + 1 < end ? FOLLOWER_CONTINUES : 0));
}

/**
 * The own list of a record, for the short lists of names; the kernel reads those of terms.
 *
 * @throws {IndexFormatError} If the record is truncated or its list has an unknown form.
 */
export function readOwnList(record: Uint8Array): PostingList {
  let at = 1;
  const next = (): number => {
    if (at >= record.length) throw truncated();
    return record[at++];
  };
  const readVarint = (): number => {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = next();
      value += (byte & 0x7f) * 2 ** shift;
      if (byte < 0x80) return value;
    }
    throw truncated();
  };
  const mode = record[0] & 3;
  const count = readVarint();
  if (count > record.length || (mode !== SHORT && mode !== SEGMENTS)) throw truncated();
  const postings: { document: number; impact: number }[] = [];
  const readGroup = (size: number, impactOf: () => number): void => {
    for (let document = -1, posting = 0; posting < size; posting++) {
      document += readVarint() + 1;
      postings.push({ document, impact: impactOf() });
    }
  };
  if (mode === SHORT) readGroup(count, next);
  while (postings.length < count) {
    const impact = next();
    const size = readVarint();
    if (impact === 0 || size > count - postings.length) throw truncated();
    readGroup(size, () => impact);
  }
  return {
    documents: Uint32Array.from(postings, ({ document }) => document),
    impacts: Uint8Array.from(postings, ({ impact }) => impact),
  };
}

function truncated(): IndexFormatError {
  return new IndexFormatError('Cannot read the index: a posting record is cut short');
}

/**
 * Document frequency of the term of a record.
 *
 * @param at Offset of the record.
 * @throws {IndexFormatError} If the record is truncated or claims more documents than it has bytes.
 */
export function readDocumentFrequency(bytes: Uint8Array, at: number): number {
  let value = 0;
  for (let byte = at + 1, shift = 0; shift < 35 && byte < bytes.length; byte++, shift += 7) {
    value += (bytes[byte] & 0x7f) * 2 ** shift;
    if (bytes[byte] >= 0x80) continue;
    if (value <= bytes.length) return value;
    break;
  }
  throw truncated();
}
