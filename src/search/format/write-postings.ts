import type { ByteWriter } from './byte-writer.ts';
import { LEVEL_MAX } from './levels.ts';

/**
 * One list of documents and levels as a record holds it: either in the order of the documents (`short`) or, which is smaller
 * for long lists and read faster, grouped by level, highest first (`segments`).
 */
export type ListMode = 0 | 1 | 2;

export const ABSENT: ListMode = 0;
export const SHORT: ListMode = 1;
export const SEGMENTS: ListMode = 2;

/** Set in the first byte of a record that ends with the terms which follow this one. */
export const HAS_FOLLOWERS = 16;

/** Set in every byte of a follower list but the last. */
export const FOLLOWER_CONTINUES = 0x80;

/** Documents, ascending, with a level from 1 to `LEVEL_MAX` each. */
export interface LeveledDocuments {
  readonly documents: Uint32Array;
  readonly levels: Uint8Array;
}

/** The fingerprints that follow each posting of a list. */
export interface Followers {
  /** Where those of each posting begin in `fingerprints`. */
  readonly starts: Uint32Array;
  /** How many they are. */
  readonly counts: Uint8Array;
  readonly fingerprints: Uint8Array;
}

/** What the index knows of one term. */
export interface PostingRecord {
  /** Documents that have the term. */
  readonly own: LeveledDocuments;
  /** Documents that lack it and have near neighbours with it. */
  readonly expansion: LeveledDocuments;
  /** What follows the term in each own document; absent when pairs are not kept. */
  readonly followers?: Followers | undefined;
}

/**
 * Writes a record: a byte of modes, the number of documents that have the term, their list, the expansion's list, the
 * followers of each document in the order of the list.
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

// Grouping pays once levels repeat: each group costs two bytes and each document of it one byte less.
function chooseMode({ levels }: LeveledDocuments): ListMode {
  if (levels.length < 4) return SHORT;
  return levels.length > 2 * new Set(levels).size + 1 ? SEGMENTS : SHORT;
}

/** @returns The positions of the postings in the order in which they were written, if it is not that of the documents. */
function writeList(writer: ByteWriter, { documents, levels }: LeveledDocuments, mode: ListMode): Uint32Array | undefined {
  if (mode === SHORT) {
    let last = -1;
    for (let posting = 0; posting < documents.length; posting++) {
      const document = documents[posting];
      writer.writeVarint(document - last - 1);
      writer.writeByte(levels[posting]);
      last = document;
    }
    return undefined;
  }
  const { order, ends } = sortByLevel(levels);
  let from = 0;
  for (let level = LEVEL_MAX; level > 0; level--) {
    const to = ends[level];
    if (to === from) continue;
    writer.writeByte(level);
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

// A counting sort, highest level first; where each level ends in the order.
function sortByLevel(levels: Uint8Array): { order: Uint32Array; ends: Uint32Array } {
  const ends = new Uint32Array(LEVEL_MAX + 2);
  for (const level of levels) ends[level] += 1;
  let start = 0;
  for (let level = LEVEL_MAX; level >= 0; level--) {
    const count = ends[level];
    ends[level] = start;
    start += count;
  }
  const order = new Uint32Array(levels.length);
  for (let posting = 0; posting < levels.length; posting++) {
    const level = levels[posting];
    const at = ends[level];
    order[at] = posting;
    ends[level] = at + 1;
  }
  return { order, ends };
}

function writeFollowers(writer: ByteWriter, { starts, counts, fingerprints }: Followers, posting: number): void {
  const start = starts[posting];
  const end = start + counts[posting];
  if (start === end) writer.writeByte(0);
  for (let at = start; at < end; at++) writer.writeByte(fingerprints[at] | (at + 1 < end ? FOLLOWER_CONTINUES : 0));
}
