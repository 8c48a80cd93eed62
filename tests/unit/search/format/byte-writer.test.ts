import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../../../src/search/format/index-block.ts';

/** The numbers of some varints, by their definition. */
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
