import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SectionPacker } from '../../../../src/search/build/build-index.ts';
import {
  BLOCK_HEADER,
  ByteWriter,
  encodeBlock,
  INDEX_FORMAT_VERSION,
  IndexBlock,
  IndexFormatError,
  requireBlockHeader,
} from '../../../../src/search/format/index-block.ts';
import { IndexReader } from '../../../../src/search/query/index-reader.ts';
import { search } from '../../../../src/search/query/search.ts';
import { capsule } from '../arbitraries.ts';
import { blockOf, encodeDocuments, LAYOUTS, openIndex, TEST_KERNEL } from '../open-index.ts';

const documents = [
  capsule('a', 'payment signature of the agent', { tier: 1, attributes: { status: 'current' } }),
  capsule('b', 'payment and signature', { language: 'de', title: 'Zürich' }),
  capsule('c', 'the agent signs a payment signature'),
];

const columns = [{ name: 'status', kind: 'keyword' }] as const;

async function readAll(reader: IndexReader): Promise<void> {
  await search(reader, 'payment signature agent paiment', { limit: 3 });
  await Promise.all([reader.columns(), reader.spelling(), reader.tiers(), reader.neighbours()]);
}

it('SectionPacker puts sections where words may be read in place, each with its own bytes, into one block or many', async () => {
  const sections = [Uint8Array.of(1, 2, 3), Uint8Array.of(), Uint8Array.of(4), Uint8Array.of(5, 6, 7, 8, 9)];
  const packer = new SectionPacker();
  const shared = packer.openBlock();
  const refs = [...sections.map((bytes) => packer.addTo(shared, bytes)), ...sections.map((bytes) => packer.addApart(bytes))];
  const { blocks, tables } = packer.finish();
  expect(blocks).toHaveLength(5);
  for (const [at, [number, section, count]] of refs.entries()) {
    const [bytes = new Uint8Array()] = await (await IndexBlock.open(blockOf(blocks, number), tables[number])).sections([section]);
    expect(count).toBe(1);
    expect(bytes.byteOffset % 4).toBe(0);
    expect(bytes).toEqual(sections[at % sections.length]);
  }
});

describe('IndexBlock', () => {
  const sections = [Uint8Array.of(1, 2, 3, 4), Uint8Array.of(5), Uint8Array.of(), Uint8Array.of(6, 7, 8)];
  const { bytes, table } = encodeBlock(sections, (part) => createHash('sha256').update(part).digest());

  it('is read where it begins anywhere in its buffer', async () => {
    const shifted = new Uint8Array(bytes.length + 3);
    shifted.set(bytes, 3);
    const block = await IndexBlock.open(shifted.subarray(3), table);
    for (const [number, expected] of sections.entries()) {
      const [found = new Uint8Array()] = await block.sections([number]);
      expect(found.byteOffset % 4).toBe(0);
      expect([...found]).toEqual([...expected]);
    }
  });

  it('gives each section as it was written or refuses it, whatever byte was changed and wherever it was cut', async () => {
    const readAll = async (damaged: Uint8Array): Promise<PromiseSettledResult<Uint8Array[]>[]> => {
      const block = await IndexBlock.open(damaged, table);
      return Promise.allSettled(sections.map((_, number) => block.sections([number])));
    };
    const damaged = [
      ...Array.from(bytes, (byte, at) => bytes.with(at, byte ^ 0x40)),
      ...Array.from(bytes, (_, length) => bytes.subarray(0, length)),
    ];
    let refusedSections = 0;
    for (const one of damaged) {
      const outcomes = await readAll(one).catch((error: unknown) => [{ status: 'rejected', reason: error }] as const);
      for (const [number, outcome] of outcomes.entries()) {
        if (outcome.status === 'fulfilled') expect(outcome.value).toEqual([sections[number]]);
        else expect(outcome.reason).toBeInstanceOf(IndexFormatError);
        refusedSections += outcome.status === 'rejected' ? 1 : 0;
      }
    }
    expect(refusedSections).toBeGreaterThan(bytes.length);
  });

  it('checks a section before its first use, and the others not at all', async () => {
    const digested: number[] = [];
    const block = await IndexBlock.open(bytes, table, async (part) => {
      digested.push(part.length);
      return new Uint8Array(createHash('sha256').update(part).digest()).buffer;
    });
    await block.sections([3]);
    await block.sections([3]);
    await expect(block.sections([3, 4])).rejects.toThrow(IndexFormatError);
    expect(digested).toEqual([bytes.length - 4 - 4 - 4, 3]);
  });
});

describe('IndexReader', () => {
  it('refuses a head of another version or analyser, and says which', () => {
    const { head } = encodeDocuments(documents);
    const open = (changed: object) => () =>
      new IndexReader({ ...head, ...changed }, () => Promise.reject(new Error('nothing is read')), TEST_KERNEL);
    expect(open({})).not.toThrow();
    expect(open({ format: INDEX_FORMAT_VERSION + 1 })).toThrow(`version is ${INDEX_FORMAT_VERSION + 1}, not ${INDEX_FORMAT_VERSION}`);
    expect(open({ format: INDEX_FORMAT_VERSION - 1 })).toThrow(IndexFormatError);
    expect(open({ analyser: 'other/1' })).toThrow(/its analyser is other\/1/);
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
    const reader = new IndexReader(head, () => Promise.reject(new Error('store is away')), TEST_KERNEL);
    await expect(search(reader, 'payment', { limit: 1 })).rejects.toThrow('store is away');
  });

  it('refuses an index that lacks its columns or its words', async () => {
    const { head, blocks } = encodeDocuments(documents);
    const reader = openIndex({ head: { ...head, columns: null, spelling: null }, blocks });
    await expect(reader.columns()).rejects.toThrow(IndexFormatError);
    await expect(reader.spelling()).rejects.toThrow(IndexFormatError);
  });

  it.each(Object.entries(LAYOUTS))(
    'answers as if nothing was, or refuses to, whatever byte of a block was changed: %s',
    async (_, layout) => {
      const { head, blocks } = encodeDocuments(documents, { columns, layout });
      const ask = async (changed: readonly Uint8Array[]): Promise<unknown> => {
        const reader = openIndex({ head, blocks: changed });
        const { results, matching, plan } = await search(reader, 'payment signature paiment', { limit: 3 });
        return { results, matching, corrections: plan.corrections, states: (await reader.columns()).count('status', matching) };
      };
      const whole = await ask(blocks);
      let refused = 0;
      for (const [number, block] of blocks.entries()) {
        for (let at = number % 3; at < block.length; at += 3) {
          const changed = blocks.map((other, place) =>
            place === number ? other.with(at, (other[at] as number) ^ (1 + (at % 255))) : other,
          );
          try {
            expect(await ask(changed)).toEqual(whole);
          } catch (error) {
            if (!(error instanceof IndexFormatError)) throw error;
            refused += 1;
          }
        }
      }
      expect(refused).toBeGreaterThan(170);
    },
  );
});

function varints(bytes: Uint8Array): number[] {
  const numbers: number[] = [];
  let number = 0;
  let scale = 1;
  for (const byte of bytes) {
    number += (byte % 128) * scale;
    scale *= 128;
    if (byte >= 128) continue;
    numbers.push(number);
    [number, scale] = [0, 1];
  }
  return numbers;
}

describe('ByteWriter', () => {
  it('writes numbers as varints, and grows', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(300), fc.integer({ min: 0, max: 0xffffffff }))), (numbers) => {
        const writer = new ByteWriter(1);
        for (const number of numbers) writer.writeVarint(number);
        expect(varints(writer.toBytes())).toEqual(numbers);
        expect(writer.length).toBe(writer.toBytes().length);
      }),
    );
  });

  it('writes words with their lowest byte first, where words begin', () => {
    const writer = new ByteWriter(1);
    writer.writeByte(7);
    writer.alignToWord();
    writer.writeWords([0x01020304, 0xffffffff]);
    writer.writeBytes([9]);
    expect([...writer.toBytes()]).toEqual([7, 0, 0, 0, 4, 3, 2, 1, 255, 255, 255, 255, 9]);
  });

  it('throws RangeError for what is no unsigned 32-bit integer', () => {
    for (const number of [-1, 0.5, 2 ** 32, Number.NaN]) expect(() => new ByteWriter().writeVarint(number)).toThrow(RangeError);
  });
});
