import type { LoggedChange } from '../../provenance/change-log.ts';
import { pageOf } from '../../schemas/knowledge/generation.ts';

/** A record that is kept on a page, under its id. */
export interface PagedRecord {
  readonly id: string;
  readonly value: unknown;
}

/** Size that a page is aimed at, in bytes of JSON: one read serves several records, one edit rewrites little. */
const PAGE_TARGET_BYTES = 64 * 1024;

/**
 * Pages that one kind of record is spread over, about; larger corpora have larger pages. The manifest, which every deploy
 * carries, stays small by it, and a corpus of any size can be written within days of the free plan.
 */
const PAGES_MAX = 512;

/** Values of a 32-bit hash. */
const HASHES = 2 ** 32;

/**
 * Consecutive records as pages. A record ends a page or it does not, by the hash of its id and its own size: one that is added,
 * changed or removed changes its own page, rarely one more, and no other, and no order of events leaves a trace. Only where
 * all records together are more than {@link PAGES_MAX} pages of the size aimed at, the size grows with them, and one change
 * in about twenty moves the end of another page.
 *
 * @param records Ascending by id.
 */
export function pagesInOrder(records: readonly PagedRecord[]): PagedRecord[][] {
  const sizes = records.map(sizeOf);
  const target = Math.max(PAGE_TARGET_BYTES, sum(sizes) / PAGES_MAX);
  const pages: PagedRecord[][] = [];
  let page: PagedRecord[] = [];
  for (const [at, record] of records.entries()) {
    page.push(record);
    if (mixedHash(record.id) >= (HASHES * (sizes[at] ?? 0)) / target) continue;
    pages.push(page);
    page = [];
  }
  if (page.length > 0) pages.push(page);
  return pages;
}

/** Records as pages by the hash of their ids, which is how `pageOf` finds them; no pages if there are no records. */
export function pagesByHash(records: readonly PagedRecord[]): PagedRecord[][] {
  if (records.length === 0) return [];
  const count = pageCount(records);
  const pages: PagedRecord[][] = Array.from({ length: count }, () => []);
  for (const record of records) pages[pageOf(record.id, count)]?.push(record);
  return pages;
}

/** A power of two, so that the pages stay what they are until the records have doubled or halved. */
function pageCount(records: readonly PagedRecord[]): number {
  return Math.min(PAGES_MAX, 2 ** Math.max(0, Math.round(Math.log2(sum(records.map(sizeOf)) / PAGE_TARGET_BYTES))));
}

function sizeOf({ value }: PagedRecord): number {
  return Buffer.byteLength(JSON.stringify(value));
}

/** A hash whose high bits depend on all of the id, which those of FNV do not (Knuth's multiplicative method). */
function mixedHash(id: string): number {
  return Math.imul(pageOf(id, HASHES), 0x9e3779b1) >>> 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Events on a page of the recent part of the log. */
const PAGE_EVENTS = 256;

/** Events on a page of the old part, and how many of the newest events never belong to it. */
const OLD_PAGE_EVENTS = 4_096;
const RECENT_EVENTS = 65_536;

/** A page of the log: its events, and how many came before. */
export interface ChangePage {
  readonly start: number;
  readonly events: readonly LoggedChange[];
}

/**
 * The log as pages. An event that is added changes the last page and no other. Of a long log the old part is on larger pages: once
 * in 4,096 events sixteen pages become one, so that the manifest names at most some three hundred pages of it for every million.
 */
export function changePages(log: readonly LoggedChange[]): ChangePage[] {
  const oldEvents = Math.floor(Math.max(0, log.length - RECENT_EVENTS) / OLD_PAGE_EVENTS) * OLD_PAGE_EVENTS;
  const pages: ChangePage[] = [];
  for (let start = 0; start < log.length; ) {
    const end = start + (start < oldEvents ? OLD_PAGE_EVENTS : PAGE_EVENTS);
    pages.push({ start, events: log.slice(start, end) });
    start = end;
  }
  return pages;
}
