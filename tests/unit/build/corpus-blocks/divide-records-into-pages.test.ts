import * as fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  type ChangePage,
  changePages,
  type PagedRecord,
  pagesByHash,
  pagesInOrder,
} from '../../../../src/build/corpus-blocks/divide-records-into-pages.ts';
import { hashOfId, pageOf } from '../../../../src/gateway/knowledge/record-pages.ts';
import type { LoggedChange } from '../../../../src/provenance/change-log.ts';

/** Records of a large corpus: ids ascend, and each is some 400 bytes. */
const RECORDS: readonly PagedRecord[] = Array.from({ length: 10_000 }, (_, number) => ({
  id: `capsule-${String(number * 2).padStart(6, '0')}`,
  value: { text: `${number} `.repeat(400).slice(0, 400 + (number % 7)) },
}));

const keyOf = (page: readonly PagedRecord[]): string => JSON.stringify(page);
const PAGES = pagesInOrder(RECORDS);
const KNOWN = new Map(PAGES.map((page) => [page[0], page]));
const isKnown = (page: readonly PagedRecord[]): boolean => {
  const known = KNOWN.get(page[0]);
  return known?.length === page.length && page.every((record, at) => record === known[at]);
};

describe('pagesInOrder()', () => {
  it('keeps every record once, in order, on pages near the target size', () => {
    expect(PAGES.flat()).toEqual(RECORDS);
    const average = PAGES.reduce((sum, page) => sum + keyOf(page).length, 0) / PAGES.length;
    expect(average).toBeGreaterThan(32 * 1024);
    expect(average).toBeLessThan(128 * 1024);
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
        expect(pages.filter((page) => !isKnown(page)).length).toBeLessThanOrEqual(2);
        const held = pages.flat();
        expect([held.length, records.findIndex((record, place) => held[place] !== record)]).toEqual([records.length, -1]);
      }),
      { numRuns: 30 },
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
      { numRuns: 30 },
    );
  });

  it('is the remainder of the hash for a power of two, as in earlier generations', () => {
    for (const pages of [1, 2, 64, 512]) for (const id of ids.slice(0, 100)) expect(pageOf(id, pages)).toBe(hashOfId(id) % pages);
  });
});

it('pagesByHash() puts each record on the page of its id; a changed record changes only that page', () => {
  const pages = pagesByHash(RECORDS);
  for (const [number, page] of pages.entries()) for (const { id } of page) expect(pageOf(id, pages.length)).toBe(number);
  expect(pages.flat().length).toBe(RECORDS.length);
  const after = pagesByHash(RECORDS.toSpliced(4321, 1, { id: RECORDS[4321]?.id ?? '', value: 'other' }));
  expect(after.filter((page, number) => keyOf(page) !== keyOf(pages[number] ?? []))).toHaveLength(1);
});

/** Events up to which a log is on small pages alone. */
const SMALL_ONLY = 65_536 + 4_095;
const OLD_PAGE = 4_096;

/** The longest log that is looked at; pages of shorter ones are made of its beginning, so that events are the same objects. */
const EVENTS = Array.from({ length: 200_000 }, (_, at) => ({ count: at + 1 }) as LoggedChange);
const logOf = (length: number): LoggedChange[] => EVENTS.slice(0, length);
const bounds = (pages: readonly ChangePage[]): string[] => pages.map(({ start, events }) => `${start} ${start + events.length}`);
const lengths = fc.oneof(
  fc.integer({ min: 0, max: 2_000 }),
  fc.integer({ min: SMALL_ONLY - 300, max: SMALL_ONLY + 300 }),
  fc.integer({ min: 0, max: EVENTS.length - 1 }),
);

describe('changePages()', () => {
  test('contain all events once, in order, each page with its start, none empty', () => {
    fc.assert(
      fc.property(lengths, (length) => {
        const pages = changePages(logOf(length));
        let start = 0;
        for (const page of pages) {
          expect(page.start).toBe(start);
          expect(page.events.length).toBeGreaterThan(0);
          expect(page.events.every((event, at) => event === EVENTS[start + at])).toBe(true);
          start += page.events.length;
        }
        expect(start).toBe(length);
      }),
      { numRuns: 30, examples: [[0], [1], [255], [256], [257], [SMALL_ONLY + 1], [EVENTS.length]] },
    );
  });

  test('a new event changes only the last page, or begins a page', () => {
    fc.assert(
      fc.property(lengths, (length) => {
        fc.pre(length < SMALL_ONLY || (length + 1 - 65_536) % OLD_PAGE !== 0);
        const [before, after] = [changePages(logOf(length)), changePages(logOf(length + 1))];
        expect(bounds(after).slice(0, -1)).toEqual(bounds(before).slice(0, after.length - 1));
        expect(after.length - before.length).toBe((before.at(-1)?.events.length ?? 256) === 256 ? 1 : 0);
      }),
      { numRuns: 30 },
    );
  });

  test('every 4,096 events of a long log, sixteen full pages become one', () => {
    for (const length of [SMALL_ONLY, SMALL_ONLY + OLD_PAGE]) {
      const [before, after] = [changePages(logOf(length)), changePages(logOf(length + 1))];
      const joined = bounds(after).findIndex((page, at) => page !== bounds(before)[at]);
      expect(after[joined]?.events).toHaveLength(OLD_PAGE);
      expect(bounds(after).slice(0, joined)).toEqual(bounds(before).slice(0, joined));
      expect(bounds(after).slice(joined + 1, -1)).toEqual(bounds(before).slice(joined + 16, -1));
    }
  });

  test('are few for a long log, and small for new events', () => {
    const pages = changePages(logOf(EVENTS.length));
    expect(pages.length).toBeLessThan(300 + EVENTS.length / OLD_PAGE);
    for (const { start, events } of pages) expect(events.length).toBeLessThanOrEqual(start < EVENTS.length - SMALL_ONLY ? OLD_PAGE : 256);
    expect(changePages([])).toEqual([]);
  });
});
