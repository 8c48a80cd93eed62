import type { LoggedChange } from '../../provenance/change-log.ts';

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
