import { sha256 } from '@noble/hashes/sha2.js';
import { ByteWriter } from '../format/byte-writer.ts';
import { encodeBlock } from '../format/index-block.ts';
import { SECTION_PART_BYTES, type SectionRef } from '../format/index-head.ts';
import { NO_POSTINGS, type PostingRecord, writeRecord } from '../format/posting-record.ts';
import { hashTerm, shardNumber, type TermHash } from '../format/term-hash.ts';
import { encodeShard, type ShardTerm } from '../format/term-shard.ts';
import { type CollectedCorpus, NAME_DOCUMENTS_MAX, type NamePostings } from './corpus-collector.ts';
import type { ExpandedCorpus } from './expand-documents.ts';
import type { Layout } from './index-layout.ts';
import type { InvertedCorpus } from './invert.ts';

/** Locations of the terms of an index. */
export interface EncodedTerms {
  readonly shards: readonly SectionRef[];
  /** As `IndexHead.heavy` lists them. */
  readonly largePostings: readonly number[];
}

/** Encodes all lists shard by shard, so that memory holds at most one shard twice. */
export function encodeTerms(
  corpus: CollectedCorpus,
  inverted: InvertedCorpus,
  expansion: ExpandedCorpus | undefined,
  layout: Layout,
  packer: SectionPacker,
): EncodedTerms {
  const names = [...corpus.names].filter(([, { documents }]) => documents.length <= NAME_DOCUMENTS_MAX);
  const hashes = [...corpus.vocabulary, ...names.map(([name]) => name)].map(hashTerm);
  const shards: SectionRef[] = [];
  const largePostings: number[] = [];
  let block = 0;
  for (const [number, terms] of termsOfShards(hashes, layout.shardBits).entries()) {
    if (number % (2 ** layout.shardBits / layout.shardBlocks) === 0) block = packer.openBlock();
    const entries: ShardTerm[] = [];
    for (const term of terms) {
      const hash = hashes[term];
      const name = names[term - corpus.vocabulary.length];
      const record = name === undefined ? recordOf(term, corpus, inverted, expansion) : nameRecord(name[1]);
      if (record.own.documents.length > layout.largePostingsBytes / 2 && addLargePostings(hash, record, layout, packer, largePostings))
        continue;
      entries.push({ hash, record });
    }
    shards.push(packer.addTo(block, encodeShard(entries)));
  }
  return { shards, largePostings };
}

/** The terms of each shard, in its order. */
function termsOfShards(hashes: readonly TermHash[], shardBits: number): Uint32Array[] {
  const shardOf = Uint32Array.from(hashes, (hash) => shardNumber(hash, shardBits));
  const counts = new Uint32Array(2 ** shardBits);
  for (const shard of shardOf) counts[shard] += 1;
  const terms = Array.from(counts, (count) => new Uint32Array(count));
  counts.fill(0);
  shardOf.forEach((shard, term) => {
    terms[shard][counts[shard]] = term;
    counts[shard] += 1;
  });
  for (const shard of terms) shard.sort((a, b) => compareHashes(hashes[a], hashes[b]));
  return terms;
}

function compareHashes(a: TermHash, b: TermHash): number {
  return a.key - b.key || a.shard - b.shard;
}

function recordOf(term: number, corpus: CollectedCorpus, inverted: InvertedCorpus, expansion: ExpandedCorpus | undefined): PostingRecord {
  const start = inverted.starts[term];
  const end = inverted.starts[term + 1];
  return {
    own: { documents: inverted.documents.subarray(start, end), impacts: inverted.impacts.subarray(start, end) },
    expansion: expansion?.addedList(term) ?? NO_POSTINGS,
    followers:
      inverted.followerStarts.length === 0
        ? undefined
        : {
            starts: inverted.followerStarts.subarray(start, end),
            counts: inverted.followerCounts.subarray(start, end),
            fingerprints: corpus.followers,
          },
  };
}

function nameRecord({ documents, impacts }: NamePostings): PostingRecord {
  return { own: { documents: Uint32Array.from(documents), impacts: Uint8Array.from(impacts) }, expansion: NO_POSTINGS };
}

/** Puts a record into blocks of its own if it is too large for a shard; strongest documents first. @returns Whether it did. */
function addLargePostings(hash: TermHash, record: PostingRecord, layout: Layout, packer: SectionPacker, largePostings: number[]): boolean {
  const whole = new ByteWriter(1024);
  writeRecord(whole, record);
  if (whole.length <= layout.largePostingsBytes) return false;
  const partCount = Math.ceil(whole.length / layout.largePartBytes);
  const parts = partCount === 1 ? [whole.toBytes()] : splitByImpact(record, partCount);
  const refs = parts.map((bytes) => packer.addApart(bytes));
  largePostings.push(hash.shard, hash.key, record.own.documents.length, refs[0][0], refs.length);
  return true;
}

/** The documents of a list in parts of similar size, highest impacts first. */
function splitByImpact({ own }: PostingRecord, partCount: number): Uint8Array[] {
  const order = Uint32Array.from(own.impacts, (_, posting) => posting).sort((a, b) => own.impacts[b] - own.impacts[a] || a - b);
  const size = Math.ceil(order.length / partCount);
  return Array.from({ length: partCount }, (_, part) => {
    const postings = order.slice(part * size, (part + 1) * size).sort();
    const writer = new ByteWriter(postings.length * 2);
    const documents = postings.map((posting) => own.documents[posting]);
    writeRecord(writer, {
      own: { documents, impacts: Uint8Array.from(postings, (posting) => own.impacts[posting]) },
      expansion: NO_POSTINGS,
    });
    return writer.toBytes();
  });
}

/** Puts sections into blocks and returns their locations. */
export class SectionPacker {
  readonly #blocks: Uint8Array[][] = [];

  /** Begins a block that several sections share. @returns Its number. */
  openBlock(): number {
    return this.#blocks.push([]) - 1;
  }

  /** Adds a section to a block that {@link openBlock} began. */
  addTo(block: number, bytes: Uint8Array): SectionRef {
    const sections = this.#blocks[block];
    if (sections === undefined) throw new RangeError(`Cannot add a section: there is no block ${block}`);
    return [block, sections.push(bytes) - 1, 1];
  }

  /** Adds a section as a block of its own, or several if it is too long for one. */
  addApart(bytes: Uint8Array): SectionRef {
    const first = this.#blocks.length;
    for (let from = 0; from === 0 || from < bytes.length; from += SECTION_PART_BYTES)
      this.addTo(this.openBlock(), bytes.subarray(from, from + SECTION_PART_BYTES));
    return [first, 0, this.#blocks.length - first];
  }

  /** The encoded blocks, and the digests of their tables. */
  finish(): { readonly blocks: Uint8Array[]; readonly tables: string[] } {
    const encoded = this.#blocks.map((sections) => encodeBlock(sections, sha256));
    return { blocks: encoded.map(({ bytes }) => bytes), tables: encoded.map(({ table }) => table) };
  }
}
