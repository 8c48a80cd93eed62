import { ANALYSER_ID } from '../analysis/analyse.ts';
import { Columns } from '../format/columns.ts';
import { Neighbours } from '../format/neighbours.ts';
import { RecordReader } from '../format/read-record.ts';
import type { IndexBlock } from '../format/index-block.ts';
import type { IndexHead, SearchBudget, SectionRef } from '../format/index-head.ts';
import { Spelling } from '../format/spelling.ts';
import { hashTerm, shardNumber, type TermHash } from '../format/term-hash.ts';
import { type FoundTerm, TermShard } from '../format/term-shard.ts';
import type { Kernel } from '../kernel/kernel.ts';
import { TypeScriptKernel } from '../kernel/typescript-kernel.ts';
import { INDEX_FORMAT_VERSION, IndexFormatError } from '../format/index-format.ts';

/**
 * Gives a block, opened with the digest of its table in the head. It may keep blocks: they never change, so that what is kept changes
 * no answer.
 *
 * @throws If the block cannot be had; queries throw the same.
 */
export type ReadBlock = (block: number) => Promise<IndexBlock>;

/** Where a term's postings are, and in how many documents it occurs. */
export interface IndexedTerm {
  readonly hash: TermHash;
  readonly documentFrequency: number;
  /** More than one for a list that is too long for one block, strongest documents first; none if the budget left no room for it. */
  readonly parts: readonly FoundTerm[];
  /** Whether the parts hold all documents that have the term. */
  readonly isWhole: boolean;
}

/** A term with blocks of its own. */
interface HeavyTerm {
  readonly documentFrequency: number;
  readonly firstBlock: number;
  readonly blocks: number;
}

/** An index, read block by block as queries need them. */
export class IndexReader {
  readonly head: IndexHead;
  readonly kernel: Kernel;
  readonly #readBlock: ReadBlock;
  /** Sections of several blocks, by their first one. */
  readonly #joined = new WeakMap<IndexBlock, Uint8Array>();
  /** By the memory of the block that they are in. */
  readonly #columns = new WeakMap<ArrayBufferLike, Columns>();
  readonly #neighbours = new WeakMap<ArrayBufferLike, Neighbours>();

  /**
   * @param kernel Ranks queries; several indexes may have the same one.
   * @throws {IndexFormatError} If another format or analyser wrote the head, or it names too few or too many shards.
   */
  constructor(head: IndexHead, readBlock: ReadBlock, kernel: Kernel = new TypeScriptKernel()) {
    if (head.format !== INDEX_FORMAT_VERSION)
      throw new IndexFormatError(`Cannot read the index: version is ${head.format}, not ${INDEX_FORMAT_VERSION}`);
    if (head.analyser !== ANALYSER_ID)
      throw new IndexFormatError(`Cannot read the index: it was made by the analyser ${head.analyser}, not ${ANALYSER_ID}`);
    if (head.shards.length !== 2 ** head.shardBits)
      throw new IndexFormatError('Cannot read the index: its shards are not as many as it says');
    this.head = head;
    this.#readBlock = readBlock;
    this.kernel = kernel;
  }

  /**
   * Looks terms up, all blocks at once; terms that the index lacks are left out.
   *
   * @param budget Terms that it leaves no room for, which the index may lack, have no parts.
   */
  async lookUp(terms: Iterable<string>, budget: SearchBudget): Promise<Map<string, IndexedTerm>> {
    const blocksMax = budget.blocksMax ?? Number.POSITIVE_INFINITY;
    const partsMax = budget.partsMax ?? Number.POSITIVE_INFINITY;
    const wanted = [...new Set(terms)]
      .map((term) => {
        const hash = hashTerm(term);
        const heavy = this.#heavyTerm(hash);
        const section = this.head.shards[shardNumber(hash, this.head.shardBits)];
        const blocks = heavy
          ? Array.from({ length: Math.min(heavy.blocks, partsMax) }, (_, part) => heavy.firstBlock + part)
          : [section[0]];
        return { term, hash, heavy, section, blocks };
      })
      .sort((a, b) => (a.heavy?.documentFrequency ?? 0) - (b.heavy?.documentFrequency ?? 0));
    const reads = new Set<number>();
    const kept = new Set<string>();
    for (const { term, blocks } of wanted) {
      const more = blocks.reduce((count, block) => count + (reads.has(block) ? 0 : 1), 0);
      if (reads.size + more > blocksMax) continue;
      for (const block of blocks) reads.add(block);
      kept.add(term);
    }
    const sections = await this.#sections(
      wanted.filter(({ term }) => kept.has(term)).flatMap(({ heavy, section, blocks }) => (heavy ? blocks.map(ownBlock) : [section])),
    );
    const found = new Map<string, IndexedTerm>();
    for (const { term, hash, heavy, section, blocks } of wanted.filter((one) => kept.has(one.term))) {
      if (heavy) {
        const parts = blocks.map((block) => {
          const records = sections(ownBlock(block));
          return { records, at: 0, end: records.length };
        });
        found.set(term, { hash, documentFrequency: heavy.documentFrequency, parts, isWhole: parts.length === heavy.blocks });
        continue;
      }
      const part = new TermShard(sections(section)).find(hash);
      if (part !== undefined) found.set(term, { hash, documentFrequency: documentFrequencyOf(part), parts: [part], isWhole: true });
    }
    for (const { term, hash, heavy } of wanted) {
      if (!kept.has(term)) found.set(term, { hash, documentFrequency: heavy?.documentFrequency ?? 0, parts: [], isWhole: false });
    }
    return found;
  }

  /** The attributes of all documents. */
  async columns(): Promise<Columns> {
    const bytes = await this.#section(this.head.columns);
    // The values of a column are many in a large corpus; they are read again only if the block is.
    let columns = this.#columns.get(bytes.buffer);
    if (columns === undefined) {
      columns = new Columns(bytes, this.head.documents);
      this.#columns.set(bytes.buffer, columns);
    }
    return columns;
  }

  /** The words that a misspelt one may have meant. */
  async spelling(): Promise<Spelling> {
    return new Spelling(await this.#section(this.head.spelling));
  }

  /** The tier of each document, if any is of another than 0. */
  async tiers(): Promise<Uint8Array | undefined> {
    if (this.head.tiers === null) return undefined;
    const tiers = await this.#section(this.head.tiers);
    if (tiers.length !== this.head.documents) throw new IndexFormatError('Cannot read the tiers of the index');
    return tiers;
  }

  /** The near neighbours of each document, if the index has them. */
  async neighbours(): Promise<Neighbours | undefined> {
    if (this.head.neighbours === null) return undefined;
    const bytes = await this.#section(this.head.neighbours);
    let neighbours = this.#neighbours.get(bytes.buffer);
    if (neighbours === undefined) {
      neighbours = new Neighbours(bytes, this.head.documents);
      this.#neighbours.set(bytes.buffer, neighbours);
    }
    return neighbours;
  }

  async #section(section: SectionRef | null): Promise<Uint8Array> {
    if (section === null) throw new IndexFormatError('Cannot read the index: it lacks a part');
    const [block, number, count] = section;
    const blocks = await Promise.all(Array.from({ length: count }, (_, part) => this.#readBlock(block + part)));
    const [first] = blocks;
    // Joining copies tens of megabytes; it is done again only if the blocks are read again.
    const known = first && this.#joined.get(first);
    if (known !== undefined) return known;
    const parts = (await Promise.all(blocks.map((one) => one.sections([number])))).flat();
    const [whole] = parts;
    if (first === undefined || whole === undefined) throw new IndexFormatError('Cannot read the index: a part of it is in no block');
    if (parts.length === 1) return whole;
    const joined = joinParts(parts);
    this.#joined.set(first, joined);
    return joined;
  }

  /** Sections of one block each: of every block all at once. */
  async #sections(wanted: readonly SectionRef[]): Promise<(section: SectionRef) => Uint8Array> {
    const numbers = new Map<number, Set<number>>();
    for (const [block, number] of wanted) numbers.set(block, (numbers.get(block) ?? new Set()).add(number));
    const found = new Map<number, Map<number, Uint8Array>>();
    await Promise.all(
      [...numbers].map(async ([block, ofBlock]) => {
        const distinct = [...ofBlock];
        const sections = await (await this.#readBlock(block)).sections(distinct);
        found.set(block, new Map(distinct.map((number, at) => [number, sections[at]])));
      }),
    );
    return ([block, number]) => found.get(block)?.get(number) as Uint8Array;
  }

  // In the flat list, which is searched in microseconds: a map of it would have to be made for the first query.
  #heavyTerm({ shard, key }: TermHash): HeavyTerm | undefined {
    const { heavy } = this.head;
    for (let at = heavy.indexOf(key); at >= 0; at = heavy.indexOf(key, at + 1)) {
      if (at % 5 !== 1 || heavy[at - 1] !== shard) continue;
      const [documentFrequency = 0, firstBlock = 0, blocks = 0] = heavy.slice(at + 1, at + 4);
      return { documentFrequency, firstBlock, blocks };
    }
    return undefined;
  }
}

function documentFrequencyOf(part: FoundTerm): number {
  return 'records' in part ? new RecordReader(part.records, part.at).documentFrequency : 1;
}

/** The list that a block of its own holds. */
function ownBlock(block: number): SectionRef {
  return [block, 0, 1];
}

function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
