import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PagedRecord, pagesByHash, pagesInOrder } from '../../../../src/build/content/paginate.ts';
import { hashOfId, pageOf } from '../../../../src/gateway/knowledge/paged-records.ts';

/** Records of a large corpus: ids ascend, and each is some 400 bytes. */
const RECORDS: readonly PagedRecord[] = Array.from({ length: 10_000 }, (_, number) => ({
  id: `capsule-${String(number * 2).padStart(6, '0')}`,
  value: { text: `${number} `.repeat(400).slice(0, 400 + (number % 7)) },
}));

const keyOf = (page: readonly PagedRecord[]): string => JSON.stringify(page);
const PAGES = pagesInOrder(RECORDS);
const KNOWN = new Set(PAGES.map(keyOf));

describe('pagesInOrder()', () => {
  it('keeps every record once, in order, on pages near the target size', () => {
    expect(PAGES.flat()).toEqual(RECORDS);
    const sizes = PAGES.map((page) => keyOf(page).length);
    expect(sizes.reduce((sum, size) => sum + size, 0) / sizes.length).toBeGreaterThan(32 * 1024);
    expect(sizes.reduce((sum, size) => sum + size, 0) / sizes.length).toBeLessThan(128 * 1024);
  });

  it('measures pages in bytes, not characters', () => {
    const pages = pagesInOrder(RECORDS.slice(0, 400).map(({ id }) => ({ id, value: { text: '知'.repeat(400) } })));
    const bytes = pages.reduce((sum, page) => sum + Buffer.byteLength(keyOf(page)), 0) / pages.length;
    expect(bytes).toBeGreaterThan(32 * 1024);
    expect(bytes).toBeLessThan(96 * 1024);
  });

  it('rewrites at most two pages of 10,000 records when one is changed, added or removed', () => {
    const change = fc.record({
      at: fc.nat({ max: RECORDS.length - 1 }),
      what: fc.constantFrom('changed', 'added', 'removed'),
      text: fc.string({ maxLength: 900 }),
    });
    fc.assert(
      fc.property(change, ({ at, what, text }) => {
        const { id } = RECORDS[at] as PagedRecord;
        const put = {
          changed: [{ id, value: { text } }],
          removed: [],
          added: [RECORDS[at] as PagedRecord, { id: `${id}-b`, value: { text } }],
        };
        const records = RECORDS.toSpliced(at, 1, ...put[what as keyof typeof put]);
        const pages = pagesInOrder(records);
        expect(pages.filter((page) => !KNOWN.has(keyOf(page))).length).toBeLessThanOrEqual(2);
        const held = pages.flat();
        expect([held.length, records.findIndex((record, place) => held[place] !== record)]).toEqual([records.length, -1]);
      }),
      { numRuns: 60 },
    );
  });

  it('rewrites few pages for one more record at any size of the corpus', () => {
    const large = Array.from({ length: 12_000 }, (_, number) => ({
      id: `capsule-${String(number).padStart(6, '0')}`,
      value: 'x'.repeat(5_000),
    }));
    const idsOf = (page: readonly PagedRecord[]): string => page.map(({ id }) => id).join();
    let most = 0;
    for (const count of [6_500, 6_710, 6_711, 8_000, 9_500, 11_500]) {
      const known = new Set(pagesInOrder(large.slice(0, count)).map(idsOf));
      const pages = pagesInOrder(large.slice(0, count + 1));
      most = Math.max(most, pages.filter((page) => !known.has(idsOf(page))).length);
    }
    expect(most).toBeLessThanOrEqual(4);
  });

  it('has larger pages for more records, and still many more of them', () => {
    const sizes = [500, 5_000, 50_000].map((count) => {
      const pages = pagesInOrder(Array.from({ length: count }, (_, number) => ({ id: `id-${number}`, value: 'x'.repeat(1_000) })));
      return (count * 1_000) / pages.length;
    });
    expect(sizes[0]).toBeGreaterThan(32 * 1024);
    for (const [smaller, larger] of [sizes.slice(0, 2), sizes.slice(1)]) {
      expect(larger).toBeGreaterThan((smaller ?? 0) * 1.1);
      expect(larger).toBeLessThan((smaller ?? 0) * 2.5);
    }
  });

  it('has no pages for no records', () => {
    expect(pagesInOrder([])).toEqual([]);
    expect(pagesByHash([])).toEqual([]);
  });
});

describe('pageOf()', () => {
  const ids = Array.from({ length: 2_000 }, (_, number) => `capsule-${number}`);

  it('divides one page where there is one more, and moves nothing else', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 300 }), (pages) => {
        const moved = ids.filter((id) => pageOf(id, pages) !== pageOf(id, pages + 1));
        for (const id of moved) expect(pageOf(id, pages + 1)).toBe(pages);
        expect(new Set(moved.map((id) => pageOf(id, pages))).size).toBeLessThanOrEqual(1);
      }),
      { numRuns: 60 },
    );
  });

  it('is the remainder of the hash for a power of two, as in earlier generations', () => {
    for (const pages of [1, 2, 64, 512]) for (const id of ids.slice(0, 100)) expect(pageOf(id, pages)).toBe(hashOfId(id) % pages);
  });
});

describe('pagesByHash()', () => {
  it('puts each record on the page of its id; a changed record changes only that page', () => {
    const pages = pagesByHash(RECORDS);
    for (const [number, page] of pages.entries()) for (const { id } of page) expect(pageOf(id, pages.length)).toBe(number);
    expect(pages.flat().length).toBe(RECORDS.length);
    const after = pagesByHash(RECORDS.toSpliced(4321, 1, { id: RECORDS[4321]?.id ?? '', value: 'other' }));
    expect(after.filter((page, number) => keyOf(page) !== keyOf(pages[number] ?? []))).toHaveLength(1);
  });
});
