import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ChangePage, changePages } from '../../../../src/build/content/paginate.ts';
import type { LoggedChange } from '../../../../src/provenance/change-log.ts';

/** Events up to which a log is on small pages alone. */
const SMALL_ONLY = 65_536 + 4_095;
const OLD_PAGE = 4_096;

/** The longest log that is looked at; pages of shorter ones are made of its beginning, so that events are the same objects. */
const EVENTS = Array.from({ length: 200_000 }, (_, at) => ({ count: at + 1 }) as LoggedChange);
const logOf = (length: number): LoggedChange[] => EVENTS.slice(0, length);

/** Where pages begin and end. */
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
          expect([page.events[0]?.count, page.events.at(-1)?.count]).toEqual([start + 1, start + page.events.length]);
          start += page.events.length;
        }
        expect(start).toBe(length);
      }),
      { numRuns: 60 },
    );
  });

  test('the same events in the same order, to the last of them', () => {
    for (const length of [0, 1, 255, 256, 257, SMALL_ONLY + 1, EVENTS.length]) {
      const log = logOf(length);
      const paged = changePages(log).flatMap(({ events }) => events);
      expect([paged.length, paged.every((event, at) => event === log[at])]).toEqual([length, true]);
    }
  });

  test('a new event changes only the last page, or begins a page', () => {
    fc.assert(
      fc.property(lengths, (length) => {
        fc.pre(length < SMALL_ONLY || (length + 1 - 65_536) % OLD_PAGE !== 0);
        const [before, after] = [changePages(logOf(length)), changePages(logOf(length + 1))];
        expect(bounds(after).slice(0, -1)).toEqual(bounds(before).slice(0, after.length - 1));
        expect(after.length - before.length).toBe((before.at(-1)?.events.length ?? 256) === 256 ? 1 : 0);
      }),
      { numRuns: 60 },
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
