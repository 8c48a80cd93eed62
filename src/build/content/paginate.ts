import type { LoggedChange } from '../../provenance/change-log.ts';
import { pageOf } from '../../schemas/knowledge/generation.ts';

/** A record that is stored on a page under its id. */
export interface PagedRecord {
  readonly id: string;
  readonly value: unknown;
}

/** Such a record whose value is elsewhere. */
export interface SizedRecord {
  readonly id: string;
  /** Size of the JSON of the value. */
  readonly bytes: number;
}

/** Target size of a page in bytes of JSON: one read serves several records, one edit rewrites little. */
const PAGE_TARGET_BYTES = 64 * 1024;

/**
 * Approximate limit of the pages of one kind of record; larger corpora have larger pages. It keeps the manifest, which every deploy
 * carries, small, and lets the free plan write a corpus of any size within days.
 */
const PAGES_MAX = 512;

/** Values of a 32-bit hash. */
const HASHES = 2 ** 32;

/**
 * Consecutive records as pages. Whether a record ends a page depends only on the hash of its id and its size, so adding, changing or
 * removing it changes its own page and rarely a second one, and the history of edits does not matter. If all records exceed
 * {@link PAGES_MAX} pages of the target size, the target grows, and about one change in twenty moves the end of another page.
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
    if (!endsPage(record.id, sizes[at] ?? 0, target)) continue;
    pages.push(page);
    page = [];
  }
  if (page.length > 0) pages.push(page);
  return pages;
}

/**
 * Whether a record is the last of its page, where pages of consecutive records have about `target` bytes on average. It depends on
 * the record alone, so that a change elsewhere moves no end.
 *
 * @param bytes Size of the record.
 */
export function endsPage(id: string, bytes: number, target: number): boolean {
  return mixedHash(id) < (HASHES * bytes) / target;
}

/** Records as pages by the hash of their ids, as `pageOf` finds them. */
export function pagesByHash<T extends PagedRecord | SizedRecord>(records: readonly T[]): T[][] {
  if (records.length === 0) return [];
  const count = pageCount(records);
  const pages: T[][] = Array.from({ length: count }, () => []);
  for (const record of records) pages[pageOf(record.id, count)]?.push(record);
  return pages;
}

/** A power of two, so that pages change only when the records double or halve. */
function pageCount(records: readonly (PagedRecord | SizedRecord)[]): number {
  return Math.min(PAGES_MAX, 2 ** Math.max(0, Math.round(Math.log2(sum(records.map(sizeOf)) / PAGE_TARGET_BYTES))));
}

function sizeOf(record: PagedRecord | SizedRecord): number {
  return 'bytes' in record ? record.bytes : Buffer.byteLength(JSON.stringify(record.value));
}

/** A hash whose high bits depend on the whole id, unlike those of FNV (Knuth's multiplicative method). */
function mixedHash(id: string): number {
  return Math.imul(pageOf(id, HASHES), 0x9e3779b1) >>> 0;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Events on a page of the recent part of the change log. */
const PAGE_EVENTS = 256;

/** Events on a page of the old part, and how many of the newest events are never in it. */
const OLD_PAGE_EVENTS = 4_096;
const RECENT_EVENTS = 65_536;

/** A page of the log: its events, and how many precede them. */
export interface ChangePage {
  readonly start: number;
  readonly events: readonly LoggedChange[];
}

/**
 * The change log as pages. A new event changes only the last page. The old part of a long log has larger pages: every 4,096 events,
 * sixteen pages become one, so that the manifest names about three hundred pages for a million events.
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
