import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ColumnSpec, Columns, ColumnsWriter } from '../../../../src/search/format/columns.ts';
import { IndexFormatError } from '../../../../src/search/format/index-block.ts';

const SPECS: readonly ColumnSpec[] = [
  { name: 'status', kind: 'keyword' },
  { name: 'tags', kind: 'keywords' },
  { name: 'updated', kind: 'number' },
];

const value = fc.constantFrom('a', 'b', 'c', 'é"\\\u0000', '');
const rows = fc.array(
  fc.record(
    { status: value, tags: fc.array(value, { maxLength: 4 }), updated: fc.oneof(fc.nat(9), fc.integer({ min: 0, max: 2 ** 32 - 1 })) },
    { requiredKeys: [] },
  ),
  { maxLength: 12 },
);

function encode(attributes: readonly Parameters<ColumnsWriter['add']>[1][]): Uint8Array {
  const writer = new ColumnsWriter(SPECS);
  attributes.forEach((row, number) => {
    writer.add(`id-${number}`, row);
  });
  return writer.toBytes();
}

describe('Columns', () => {
  it('evaluates every condition and count like the attributes themselves', () => {
    fc.assert(
      fc.property(rows, fc.array(value, { maxLength: 3 }), fc.nat(9), fc.integer({ min: 0, max: 4095 }), (list, words, bound, chosen) => {
        const columns = new Columns(encode(list), list.length);
        const documents = list.flatMap((_, number) => ((chosen >> number) & 1 ? [number] : []));
        const tally = (of: readonly string[]): { value: string; count: number }[] =>
          [...new Set(of)]
            .map((one) => ({ value: one, count: of.filter((other) => other === one).length }))
            .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1));
        list.forEach((row, number) => {
          expect(columns.number('updated', number)).toBe(row.updated ?? 0);
          expect(columns.isAbove('updated', bound)(number)).toBe((row.updated ?? 0) > bound);
          expect(columns.isBelow('updated', bound)(number)).toBe((row.updated ?? 0) < bound);
          expect(columns.hasAny('status', words)(number)).toBe(row.status !== undefined && words.includes(row.status));
          expect(columns.hasAny('tags', words)(number)).toBe((row.tags ?? []).some((tag) => words.includes(tag)));
        });
        const statuses = documents.flatMap((number) => list[number]?.status ?? []);
        const tags = documents.flatMap((number) => [...new Set(list[number]?.tags ?? [])]);
        expect(columns.count('status', documents)).toEqual(tally(statuses));
        expect(columns.count('tags', documents)).toEqual(tally(tags));
      }),
      { numRuns: 100 },
    );
  });

  it('finds documents by their ids, and none for other ids', () => {
    const columns = new Columns(encode(Array.from({ length: 300 }, () => ({}))), 300);
    expect([...columns.documentNumbers(['id-7', 'id-299', 'id-300', 'other', ''])]).toEqual([7, 299]);
    expect(columns.documentNumbers([]).size).toBe(0);
  });

  it('reads bytes that stand in a larger block', () => {
    const bytes = encode([{ status: 'a' }, { status: 'b' }]);
    const block = new Uint8Array(bytes.length + 24);
    block.set(bytes, 8);
    expect(new Columns(block.subarray(8, 8 + bytes.length), 2).hasAny('status', ['b'])(1)).toBe(true);
  });

  it('refuses values of another kind than the column', () => {
    const wrong: Parameters<ColumnsWriter['add']>[1][] = [
      { status: ['a'] },
      { status: 1 },
      { tags: 1 },
      { updated: 'a' },
      { updated: -1 },
      { updated: 0.5 },
      { updated: 2 ** 32 },
    ];
    for (const attributes of wrong) expect(() => encode([attributes])).toThrow(RangeError);
  });

  it('refuses bytes that are cut short, followed by others, changed in their header, or of another number of documents', () => {
    fc.assert(
      fc.property(rows, fc.nat(), (list, at) => {
        const bytes = encode(list);
        expect(() => new Columns(bytes.slice(0, at % bytes.length), list.length)).toThrow(IndexFormatError);
        expect(() => new Columns(Uint8Array.of(...bytes, 0, 0, 0, 0), list.length)).toThrow(IndexFormatError);
        expect(() => new Columns(bytes, list.length + 1)).toThrow(IndexFormatError);
        expect(() => new Columns(bytes.with(4, 0x5b), list.length)).toThrow(IndexFormatError);
      }),
      { numRuns: 50 },
    );
  });

  it('throws RangeError for a column that it lacks', () => expect(() => new Columns(encode([]), 0).number('other', 0)).toThrow(RangeError));
});
