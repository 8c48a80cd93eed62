import { ANALYSER_ID } from '../analysis/analyse.ts';
import { Columns } from '../format/columns.ts';
import {
  concatenated,
  INDEX_FORMAT_VERSION,
  IndexBlock,
  IndexFormatError,
  type IndexHead,
  type SearchBudget,
  type SectionRef,
} from '../format/index-block.ts';
import { type FoundTerm, hashTerm, readDocumentFrequency, shardNumber, type TermHash, TermShard } from '../format/postings.ts';
import { Neighbours } from '../format/similar-documents.ts';
import { encodeSpelling, Spelling } from '../format/spelling.ts';
import type { Kernel } from '../scoring-wasm/kernel.ts';

/** A value, or a promise where it has to be read first: each query of a warm isolate finds all in memory, and awaiting it takes longer. */
export type MaybeRead<T> = T | Promise<T>;

/** Loads a block, opened with the digest of its table in the head; blocks never change. @throws If it is unavailable; queries throw the same. */
export type ReadBlock = (block: number) => MaybeRead<IndexBlock>;

/** The location of a term's postings, and its document frequency. */
export interface IndexedTerm {
  readonly hash: TermHash;
  readonly documentFrequency: number;
  /** Several for postings in several blocks, strongest documents first; none if the budget excludes the term. */
  readonly parts: readonly FoundTerm[];
  /** Whether the parts hold all documents with the term. */
  readonly isWhole: boolean;
}

interface LargePostings {
  readonly documentFrequency: number;
  readonly firstBlock: number;
  readonly blocks: number;
}

interface LocatedTerm {
  readonly term: string;
  readonly hash: TermHash;
  readonly large: LargePostings | undefined;
  readonly sections: readonly SectionRef[];
}

/** An index whose blocks are read when a query needs them. */
export class IndexReader {
  readonly head: IndexHead;
  readonly kernel: Kernel;
  readonly #readBlock: ReadBlock;
  /** Sections of several blocks, by their first block. */
  readonly #joined = new WeakMap<IndexBlock, Uint8Array>();
  /** By the buffer of their block: decoding the values of a large corpus is slow, and is repeated only if the block is read again. */
  readonly #columns = new WeakMap<ArrayBufferLike, Columns>();
  readonly #neighbours = new WeakMap<ArrayBufferLike, Neighbours>();
  /** By the bytes of their section. */
  readonly #shards = new WeakMap<Uint8Array, TermShard>();
  /** Divided words, all of them together. */
  #words: Spelling | undefined;

  /** @throws {IndexFormatError} If the head has another format or analyser, or a wrong number of shards. */
  constructor(head: IndexHead, readBlock: ReadBlock, kernel: Kernel) {
    if (head.format !== INDEX_FORMAT_VERSION)
      throw new IndexFormatError(`Cannot read the index: its version is ${head.format}, not ${INDEX_FORMAT_VERSION}`);
    if (head.analyser !== ANALYSER_ID)
      throw new IndexFormatError(`Cannot read the index: its analyser is ${head.analyser}, not ${ANALYSER_ID}`);
    if (head.shards.length !== 2 ** head.shardBits) throw new IndexFormatError('Cannot read the index: its number of shards is wrong');
    this.head = head;
    this.#readBlock = readBlock;
    this.kernel = kernel;
  }

  /** Looks terms up, all blocks at once. Unknown terms are left out; those that the budget excludes have no parts, and may be unknown. */
  async lookUp(terms: Iterable<string>, budget: SearchBudget): Promise<Map<string, IndexedTerm>> {
    const located = [...new Set(terms)]
      .map((term) => this.#locate(term, budget.partsMax ?? Number.POSITIVE_INFINITY))
      .sort((a, b) => (a.large?.documentFrequency ?? 0) - (b.large?.documentFrequency ?? 0));
    const chosen = withinBlocks(located, budget.blocksMax ?? Number.POSITIVE_INFINITY);
    const bytesOf = await this.#readSections([...chosen].flatMap(({ sections }) => sections));
    const found = new Map<string, IndexedTerm>();
    for (const { term, hash, large, sections } of chosen) {
      if (large !== undefined) {
        const parts = sections.map((section) => ({ records: bytesOf(section), at: 0, end: bytesOf(section).length }));
        found.set(term, { hash, documentFrequency: large.documentFrequency, parts, isWhole: parts.length === large.blocks });
        continue;
      }
      const bytes = bytesOf(sections[0]);
      const part = remembered(this.#shards, bytes, () => new TermShard(bytes)).find(hash);
      if (part === undefined) continue;
      const documentFrequency = 'records' in part ? readDocumentFrequency(part.records, part.at) : 1;
      found.set(term, { hash, documentFrequency, parts: [part], isWhole: true });
    }
    for (const excluded of located) {
      if (chosen.has(excluded)) continue;
      const { term, hash, large } = excluded;
      found.set(term, { hash, documentFrequency: large?.documentFrequency ?? 0, parts: [], isWhole: false });
    }
    return found;
  }

  async columns(): Promise<Columns> {
    const bytes = await this.#section(this.head.columns);
    return remembered(this.#columns, bytes.buffer, () => new Columns(bytes, this.head.documents));
  }

  /** @param beginning With which the words begin that are wanted; other words may be left out. By default all are wanted. */
  async spelling(beginning = ''): Promise<Spelling> {
    const { spelling, spellingStarts: starts } = this.head;
    if (spelling === null || starts === undefined) return new Spelling(await this.#section(spelling));
    const parts = starts.flatMap((start, part): SectionRef[] => {
      const isHere = (start <= beginning || start.startsWith(beginning)) && !((starts[part + 1] ?? '\u{10ffff}') <= beginning);
      return isHere ? [[spelling[0] + part, spelling[1], 1]] : [];
    });
    if (parts.length === starts.length && this.#words !== undefined) return this.#words;
    const lists = await Promise.all(parts.map((part) => this.#section(part)));
    const words = lists.flatMap((bytes) => new Spelling(bytes).beginningWith(''));
    const joined = new Spelling(encodeSpelling(new Map(words.map(({ word, documents }) => [word, documents]))));
    if (parts.length === starts.length) this.#words = joined;
    return joined;
  }

  /** The tier of each document, if any is not 0. */
  async tiers(): Promise<Uint8Array | undefined> {
    if (this.head.tiers === null) return undefined;
    const tiers = await this.#section(this.head.tiers);
    if (tiers.length !== this.head.documents) throw new IndexFormatError('Cannot read the tiers of the index');
    return tiers;
  }

  /** The same index, in which no similar documents support scores. */
  withoutNeighbours(): IndexReader {
    return new IndexReader({ ...this.head, neighbours: null }, this.#readBlock, this.kernel);
  }

  async neighbours(): Promise<Neighbours | undefined> {
    if (this.head.neighbours === null) return undefined;
    const bytes = await this.#section(this.head.neighbours);
    return remembered(this.#neighbours, bytes.buffer, () => new Neighbours(bytes, this.head.documents));
  }

  #locate(term: string, partsMax: number): LocatedTerm {
    const hash = hashTerm(term);
    const large = this.#largePostings(hash);
    const sections: readonly SectionRef[] = large
      ? Array.from({ length: Math.min(large.blocks, partsMax) }, (_, part): SectionRef => [large.firstBlock + part, 0, 1])
      : [this.head.shards[shardNumber(hash, this.head.shardBits)]];
    return { term, hash, large, sections };
  }

  // Searching the flat list takes microseconds; building a map would slow down the first query.
  #largePostings({ shard, key }: TermHash): LargePostings | undefined {
    const { heavy: list } = this.head;
    for (let at = list.indexOf(key); at >= 0; at = list.indexOf(key, at + 1)) {
      if (at % 5 !== 1 || list[at - 1] !== shard) continue;
      const [documentFrequency = 0, firstBlock = 0, blocks = 0] = list.slice(at + 1, at + 4);
      return { documentFrequency, firstBlock, blocks };
    }
    return undefined;
  }

  async #section(section: SectionRef | null): Promise<Uint8Array> {
    if (section === null) throw new IndexFormatError('Cannot read the index: it lacks a section');
    const [block, number, count] = section;
    const blocks = await Promise.all(Array.from({ length: count }, (_, part) => this.#readBlock(block + part)));
    const [first] = blocks;
    if (first === undefined) throw new IndexFormatError('Cannot read the index: a section is in no block');
    // Joining copies tens of megabytes; it is repeated only if the blocks are read again.
    const known = this.#joined.get(first);
    if (known !== undefined) return known;
    const parts = (await Promise.all(blocks.map((part) => part.sections([number])))).flat();
    if (parts.length === 1) return parts[0];
    const joined = concatenated(Uint8Array, parts, (part) => part);
    this.#joined.set(first, joined);
    return joined;
  }

  /** Reads sections of one block each: all sections of a block at once. */
  async #readSections(sections: readonly SectionRef[]): Promise<(section: SectionRef) => Uint8Array> {
    const blocks = new Map<number, MaybeRead<IndexBlock>>();
    for (const [block] of sections) if (!blocks.has(block)) blocks.set(block, this.#readBlock(block));
    const checked = ([block, number]: SectionRef): Uint8Array | undefined => {
      const read = blocks.get(block);
      return read instanceof IndexBlock ? read.checkedSection(number) : undefined;
    };
    if (sections.every((section) => checked(section) !== undefined)) return (section) => checked(section) ?? new Uint8Array();
    const numbers = new Map<number, Set<number>>();
    for (const [block, number] of sections) numbers.set(block, (numbers.get(block) ?? new Set()).add(number));
    const found = new Map<string, Uint8Array>();
    await Promise.all(
      [...numbers].map(async ([block, ofBlock]) => {
        const distinct = [...ofBlock];
        const bytes = (await (await blocks.get(block))?.sections(distinct)) ?? [];
        for (const [at, number] of distinct.entries()) found.set(`${block} ${number}`, bytes[at]);
      }),
    );
    return ([block, number]) => found.get(`${block} ${number}`) ?? new Uint8Array();
  }
}

function remembered<K extends object, T>(known: WeakMap<K, T>, key: K, make: () => T): T {
  const value = known.get(key);
  if (value !== undefined) return value;
  const made = make();
  known.set(key, made);
  return made;
}

/** The first terms that need at most `blocksMax` blocks; later terms may fit where an earlier one does not. */
function withinBlocks(terms: readonly LocatedTerm[], blocksMax: number): Set<LocatedTerm> {
  const blocks = new Set<number>();
  const chosen = new Set<LocatedTerm>();
  for (const term of terms) {
    const more = term.sections.filter(([block]) => !blocks.has(block));
    if (blocks.size + more.length > blocksMax) continue;
    for (const [block] of more) blocks.add(block);
    chosen.add(term);
  }
  return chosen;
}

/** Looks terms up in one of several segments, with document frequencies over all. Those of other segments alone are known: {@link isElsewhere}. */
export async function lookUpAcross(
  reader: IndexReader,
  segments: readonly IndexReader[],
  terms: Iterable<string>,
  budget: SearchBudget,
): Promise<Map<string, IndexedTerm>> {
  const all = [...terms];
  const others = segments.filter((segment) => segment !== reader);
  const [here, ...elsewhere] = await Promise.all([
    reader.lookUp(all, budget),
    ...others.map((segment) => segment.lookUp(all, segment.head.budget)),
  ]);
  for (const found of elsewhere) {
    for (const [term, { hash, documentFrequency }] of found) {
      const { parts = [], isWhole = true, documentFrequency: counted = 0 } = here.get(term) ?? {};
      here.set(term, { hash, documentFrequency: counted + documentFrequency, parts, isWhole });
    }
  }
  return here;
}

/** Whether a known term has no postings in the index itself, but in another segment. */
export function isElsewhere({ parts, isWhole }: IndexedTerm): boolean {
  return parts.length === 0 && isWhole;
}
