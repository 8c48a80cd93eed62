import { describe, expect, it } from 'vitest';
import { SectionPacker } from '../../../src/search/build/pack-sections.ts';
import { sectionBytes } from '../../../src/search/format/section.ts';
import { BLOCK_HEADER, INDEX_FORMAT_VERSION, IndexFormatError, requireBlockHeader } from '../../../src/search/index-format.ts';
import { IndexReader } from '../../../src/search/query/index-reader.ts';
import { search } from '../../../src/search/query/search.ts';
import { capsule } from './arbitraries.ts';
import { blockOf, encodeDocuments, LAYOUTS, openIndex } from './open-index.ts';

const documents = [
  capsule('a', 'payment signature of the agent', { tier: 1, attributes: { status: 'current' } }),
  capsule('b', 'payment and signature', { language: 'de', title: 'Zürich' }),
  capsule('c', 'the agent signs a payment signature'),
];

const columns = [{ name: 'status', kind: 'keyword' }] as const;

/** Reads all that an index has. */
async function readAll(reader: IndexReader): Promise<void> {
  await search(reader, 'payment signature agent paiment', { limit: 3 });
  await Promise.all([reader.columns(), reader.spelling(), reader.tiers(), reader.neighbours()]);
}

describe('SectionPacker', () => {
  it('puts sections where words may be read in place, each with its own bytes, into one block or many', () => {
    for (const shares of [true, false]) {
      const packer = new SectionPacker(shares);
      const sections = [Uint8Array.of(1, 2, 3), Uint8Array.of(), Uint8Array.of(4), Uint8Array.of(5, 6, 7, 8, 9)];
      const refs = sections.map((bytes, at) => packer.add(bytes, at === 2));
      const blocks = packer.blocks();
      expect(blocks).toHaveLength(shares ? 2 : 4);
      for (const block of blocks) expect(() => requireBlockHeader(block)).not.toThrow();
      refs.forEach((ref, at) => {
        expect(ref[1] % 4).toBe(0);
        expect(sectionBytes(blockOf(blocks, ref[0]), ref)).toEqual(sections[at]);
      });
    }
  });

  it('is refused if it goes beyond its block', () => {
    const block = new Uint8Array(20);
    expect(sectionBytes(block, [0, 8, 12])).toHaveLength(12);
    expect(() => sectionBytes(block, [0, 8, 13])).toThrow(IndexFormatError);
    expect(() => sectionBytes(block, [0, 24, 0])).toThrow(IndexFormatError);
  });

  it('is read from a block that begins anywhere in its buffer', () => {
    const packer = new SectionPacker(true);
    const ref = packer.add(Uint8Array.of(1, 2, 3, 4));
    const [block = new Uint8Array()] = packer.blocks();
    const shifted = new Uint8Array(block.length + 3);
    shifted.set(block, 3);
    const bytes = sectionBytes(shifted.subarray(3), ref);
    expect(bytes.byteOffset % 4).toBe(0);
    expect([...bytes]).toEqual([1, 2, 3, 4]);
  });
});

describe('IndexReader', () => {
  it('refuses a head of another version or analyser, and says which', () => {
    const { head } = encodeDocuments(documents);
    const open = (changed: object) => () => new IndexReader({ ...head, ...changed }, async () => BLOCK_HEADER);
    expect(open({})).not.toThrow();
    expect(open({ format: INDEX_FORMAT_VERSION + 1 })).toThrow(`version is ${INDEX_FORMAT_VERSION + 1}, not ${INDEX_FORMAT_VERSION}`);
    expect(open({ format: INDEX_FORMAT_VERSION - 1 })).toThrow(IndexFormatError);
    expect(open({ analyser: 'other/1' })).toThrow(/made by the analyser other\/1/);
  });

  it('refuses a block without the header, or of another version', () => {
    for (let at = 0; at < BLOCK_HEADER.length; at++) {
      expect(() => requireBlockHeader(BLOCK_HEADER.with(at, 0x7f))).toThrow(IndexFormatError);
    }
    expect(() => requireBlockHeader(BLOCK_HEADER.with(5, 1))).toThrow(`has the version ${INDEX_FORMAT_VERSION + 256}`);
    for (let length = 0; length < BLOCK_HEADER.length; length++) {
      expect(() => requireBlockHeader(BLOCK_HEADER.subarray(0, length))).toThrow(IndexFormatError);
    }
  });

  it.each(Object.entries(LAYOUTS))('refuses every block that is cut short: %s', async (_, layout) => {
    const { head, blocks } = encodeDocuments(documents, { columns, layout });
    await expect(readAll(openIndex({ head, blocks }))).resolves.toBeUndefined();
    const needed = new Set([head.tiers, head.neighbours, head.columns, head.spelling].map((section) => section?.[0]));
    for (const number of needed) {
      const block = blockOf(blocks, number ?? -1);
      // The last section is followed by up to three bytes that belong to nobody.
      for (let length = 0; length < block.length - 3; length += 5) {
        const cut = blocks.map((other, at) => (at === number ? other.subarray(0, length) : other));
        await expect(readAll(openIndex({ head, blocks: cut }))).rejects.toThrow(IndexFormatError);
      }
    }
  });

  it('throws what reading a block throws', async () => {
    const { head } = encodeDocuments(documents);
    const reader = new IndexReader(head, () => Promise.reject(new Error('store is away')));
    await expect(search(reader, 'payment', { limit: 1 })).rejects.toThrow('store is away');
  });

  it('refuses an index that lacks its columns or its words', async () => {
    const { head, blocks } = encodeDocuments(documents);
    const reader = openIndex({ head: { ...head, columns: null, spelling: null }, blocks });
    await expect(reader.columns()).rejects.toThrow(IndexFormatError);
    await expect(reader.spelling()).rejects.toThrow(IndexFormatError);
  });

  it('finds no document out of its range and throws nothing else, whatever byte of a block was changed', async () => {
    const { head, blocks } = encodeDocuments(documents, { columns, layout: LAYOUTS['many shards, long lists apart'] });
    for (const [number, block] of blocks.entries()) {
      for (let at = 0; at < block.length; at++) {
        const changed = blocks.map((other, place) => (place === number ? other.with(at, (other[at] as number) ^ (1 + (at % 255))) : other));
        try {
          const { matching } = await search(openIndex({ head, blocks: changed }), 'payment signature', { limit: 3 });
          expect([...matching].every((document) => document < head.documents)).toBe(true);
        } catch (error) {
          expect(error).toBeInstanceOf(IndexFormatError);
        }
      }
    }
  });
});
