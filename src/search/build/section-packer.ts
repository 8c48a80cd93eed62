import { sha256 } from '@noble/hashes/sha2.js';
import { encodeBlock } from '../format/index-block.ts';
import { SECTION_PART_BYTES, type SectionRef } from '../format/index-head.ts';

/** Puts sections into blocks and returns where each is. */
export class SectionPacker {
  /** The sections of each block. */
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

  /** Adds a section as a block of its own, or as several if it is longer than one may be. */
  addApart(bytes: Uint8Array): SectionRef {
    const first = this.#blocks.length;
    for (let from = 0; from === 0 || from < bytes.length; from += SECTION_PART_BYTES)
      this.addTo(this.openBlock(), bytes.subarray(from, from + SECTION_PART_BYTES));
    return [first, 0, this.#blocks.length - first];
  }

  /** The blocks, and the digests of their tables, once everything is added. */
  finish(): { readonly blocks: Uint8Array[]; readonly tables: string[] } {
    const encoded = this.#blocks.map((sections) => encodeBlock(sections, sha256));
    return { blocks: encoded.map(({ bytes }) => bytes), tables: encoded.map(({ table }) => table) };
  }
}
