import { hashOfId, isList, pageOf, readPageList } from '../../gateway/knowledge/record-pages.ts';
import { sha256Hex } from '../../provenance/bytes-and-sha256.ts';
import type { LoggedChange } from '../../provenance/change-log.ts';
import type {
  BlockReference,
  ChangePageReference,
  DocumentPageReference,
  GenerationManifest,
  PageReference,
} from '../../schemas/knowledge/generation-manifest.ts';

export interface PagedRecord {
  readonly id: string;
  readonly value: unknown;
}

export interface SizedRecord {
  readonly id: string;
  readonly bytes: number;
}

/** Size of a page in bytes of JSON: one read serves several records, one edit rewrites little. */
const PAGE_BYTES = 64 * 1024;

/** Records of a kind with more bytes have larger pages. */
const GROWTH_FROM_BYTES = 512 * 1024;

/**
 * How the size of pages grows with the bytes of all records of their kind, as an exponent. Larger pages make publishing cheaper, because
 * each page is a key to write, and reading dearer, because each byte is read and parsed. A query reads ten pages of documents but only one
 * of any other kind, so pages of documents grow more slowly: in a corpus ten times as large they are 1.6 times as large, others 1.8 times.
 */
export const GROWTH = { inOrder: 0.2, byHash: 0.25 } as const;

/** With fewer pages, their number is a power of two. */
const FEW_PAGES = 8;

const HASHES = 2 ** 32;

/**
 * Consecutive records, ascending by id, as pages. Whether a record ends a page depends only on the hash of its id and its size, so adding,
 * changing or removing it changes its own page and rarely a second one, and the history of edits does not matter.
 */
export function pagesInOrder<T extends PagedRecord>(records: readonly T[], smallestBytes = PAGE_BYTES): T[][] {
  const sizes = records.map(sizeOf);
  const target = pageBytes(sum(sizes, Number), GROWTH.inOrder, smallestBytes);
  return groupsInOrder(records, ({ id }, at) => endsPage(id, sizes[at] ?? 0, target));
}

/** Consecutive items in groups, each up to the next item that ends one. */
export function groupsInOrder<T>(items: readonly T[], endsGroup: (item: T, at: number) => boolean): T[][] {
  const groups: T[][] = [];
  let group: T[] = [];
  for (const [at, item] of items.entries()) {
    group.push(item);
    if (!endsGroup(item, at)) continue;
    groups.push(group);
    group = [];
  }
  return group.length > 0 ? [...groups, group] : groups;
}

/** Whether a record of some bytes is the last of its page of about `target` bytes: it depends on the record alone, so no other change moves ends. */
export function endsPage(id: string, bytes: number, target: number): boolean {
  return mixedHash(id) < (HASHES * bytes) / target;
}

/** Records as pages by the hash of their ids, as `pageOf` finds them. */
export function pagesByHash<T extends PagedRecord | SizedRecord>(records: readonly T[]): T[][] {
  if (records.length === 0) return [];
  const count = pageCount(sum(records, sizeOf));
  const pages: T[][] = Array.from({ length: count }, () => []);
  for (const record of records) pages[pageOf(record.id, count)]?.push(record);
  return pages;
}

function pageCount(bytes: number): number {
  const pages = bytes / pageBytes(bytes, GROWTH.byHash);
  return pages < FEW_PAGES ? 2 ** Math.max(0, Math.round(Math.log2(pages))) : Math.round(pages);
}

/** Average size of a page. @param growth A value of {@link GROWTH}. */
export function pageBytes(allBytes: number, growth: number, smallestBytes = PAGE_BYTES): number {
  return smallestBytes * Math.max(1, allBytes / GROWTH_FROM_BYTES) ** growth;
}

function sizeOf(record: PagedRecord | SizedRecord): number {
  return 'bytes' in record ? record.bytes : Buffer.byteLength(JSON.stringify(record.value));
}

/** A hash whose high bits depend on the whole id, unlike those of FNV (Knuth's multiplicative method). */
function mixedHash(id: string): number {
  return Math.imul(hashOfId(id), 0x9e3779b1) >>> 0;
}

/** Events on a page of the recent part of the change log. */
const PAGE_EVENTS = 256;

/** Events on a page of the old part, and how many of the newest events are never in it. */
const OLD_PAGE_EVENTS = 4_096;
const RECENT_EVENTS = 65_536;

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

/** When a manifest has lists of pages instead of pages, and how long they are. */
export interface ListSizes {
  readonly inlineMax: number;
  readonly kindMax: number;
  readonly listLength: number;
  /** Longest head of the search index in a manifest, in bytes of JSON; a longer one is a block. */
  readonly headMaxBytes: number;
}

/**
 * A manifest without lists has at most 90 kB, which is little beside the code that it travels with, and each list is one more key for an
 * edit. Beyond about 12,000 capsules a manifest has a few kilobytes, and lists have about 60: an isolate soon has all in memory.
 */
export const LIST_SIZES: ListSizes = { inlineMax: 800, kindMax: 64, listLength: 512, headMaxBytes: 24 * 1024 };

/** For browsers, to which each byte of the manifest and of a list costs time. */
export const BROWSER_LIST_SIZES: ListSizes = { ...LIST_SIZES, inlineMax: 200, listLength: 64 };

export type AddBlock = (bytes: Uint8Array) => Promise<BlockReference>;

export function addingTo(blocks: { readonly set: (sha256: string, bytes: Uint8Array) => unknown }): AddBlock {
  return async (bytes) => {
    const sha256 = await sha256Hex(bytes);
    blocks.set(sha256, bytes);
    return { sha256, bytes: bytes.length };
  };
}

export async function withLists(
  pages: GenerationManifest['blocks'],
  add: AddBlock,
  sizes: ListSizes = LIST_SIZES,
): Promise<GenerationManifest['blocks']> {
  if (sum(Object.values(pages), (references: readonly unknown[] = []) => references.length) <= sizes.inlineMax) return pages;
  const lists = pageLists(add, sizes);
  const listed = { ...pages, documents: await lists.documents(pages.documents), changes: await lists.changes(pages.changes) };
  for (const kind of NUMBERED) {
    const references = pages[kind];
    if (references !== undefined) listed[kind] = await lists.numbered(references);
  }
  return listed;
}

/** Kinds whose pages are found by number. */
const NUMBERED = ['index', 'history', 'lineages', 'relatives', 'texts', 'articles', 'entries'] as const;

export function pageLists(add: AddBlock, { kindMax, listLength }: Pick<ListSizes, 'kindMax' | 'listLength'> = LIST_SIZES) {
  const listed = async <R extends PageReference>(
    references: readonly R[],
    describe: (list: readonly R[]) => Omit<R, keyof PageReference>,
    endsList: (reference: R, at: number) => boolean = (_, at) => (at + 1) % listLength === 0,
  ): Promise<R[]> => {
    if (references.length <= kindMax) return [...references];
    const lists: R[] = [];
    for (const list of groupsInOrder(references, endsList)) {
      const block = await add(new TextEncoder().encode(JSON.stringify(list)));
      lists.push({ ...describe(list), ...block, pages: sum(list, ({ pages = 1 }) => pages) } as R);
    }
    return lists.length < references.length ? listed(lists, describe, endsList) : lists;
  };
  return {
    /** Pages of documents: lists end where ids say so, as pages do, so that one page more changes one list. */
    documents: (pages: readonly DocumentPageReference[]) =>
      listed(
        pages,
        (list) => ({ first: list[0]?.first ?? '', documents: sum(list, ({ documents }) => documents) }),
        ({ first }) => endsPage(first, 1, listLength),
      ),
    /** Pages of the change log, to which later ones are added. */
    changes: (pages: readonly ChangePageReference[]) =>
      listed(pages, (list) => ({ start: list[0]?.start ?? 0, events: sum(list, ({ events }) => events) })),
    numbered: (pages: readonly PageReference[]) => listed(pages, () => ({})),
  };
}

/** The references that some references stand for: of a list itself and of everything in it, unless `read` lacks it. */
export async function withListedPages(
  references: readonly PageReference[],
  read: (sha256: string) => Promise<Uint8Array | undefined>,
): Promise<PageReference[]> {
  const found: PageReference[] = [];
  for (const reference of references) {
    found.push(reference);
    if (!isList(reference)) continue;
    const bytes = await read(reference.sha256);
    if (bytes !== undefined) found.push(...(await withListedPages(readPageList(bytes), read)));
  }
  return found;
}

function sum<T>(items: readonly T[], numberOf: (item: T) => number): number {
  return items.reduce((total, item) => total + numberOf(item), 0);
}
