import { SECTION_PART_BYTES, type SectionRef } from '../format/section.ts';
import { BLOCK_HEADER } from '../index-format.ts';

/** Puts sections into blocks and says where each is. */
export class SectionPacker {
  readonly #sharesBlock: boolean;
  /** The sections of each block. */
  readonly #blocks: Uint8Array[][] = [];
  #sharedLength = BLOCK_HEADER.length;

  /** @param sharesBlock Whether sections share block 0 rather than being one block each. */
  constructor(sharesBlock: boolean) {
    this.#sharesBlock = sharesBlock;
    if (sharesBlock) this.#blocks.push([]);
  }

  /** @param apart Whether the section is a block of its own all the same, because few queries need it. */
  add(bytes: Uint8Array, apart = false): SectionRef {
    if (apart || !this.#sharesBlock) {
      const first = this.#blocks.length;
      for (let from = 0; from === 0 || from < bytes.length; from += SECTION_PART_BYTES) {
        this.#blocks.push([bytes.subarray(from, from + SECTION_PART_BYTES)]);
      }
      return [first, BLOCK_HEADER.length, bytes.length];
    }
    const start = this.#sharedLength;
    this.#blocks[0]?.push(bytes);
    this.#sharedLength += alignedLength(bytes);
    return [0, start, bytes.length];
  }

  /** The blocks, once everything is added. */
  blocks(): Uint8Array[] {
    return this.#blocks.map((sections) => {
      const block = new Uint8Array(sections.reduce((sum, bytes) => sum + alignedLength(bytes), BLOCK_HEADER.length));
      block.set(BLOCK_HEADER);
      let at = BLOCK_HEADER.length;
      for (const bytes of sections) {
        block.set(bytes, at);
        at += alignedLength(bytes);
      }
      return block;
    });
  }
}

// Sections begin where words of 32 bits may be read in place.
function alignedLength({ length }: Uint8Array): number {
  return Math.ceil(length / 4) * 4;
}
