import { isList, readPageList } from '../../gateway/knowledge/paged-records.ts';
import { sha256Hex } from '../../provenance/bytes.ts';
import type {
  BlockReference,
  ChangePageReference,
  DocumentPageReference,
  GenerationManifest,
  PageReference,
} from '../../schemas/knowledge/generation.ts';
import { endsPage, groupsInOrder } from './paginate.ts';

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

/** The references of a manifest to all pages of a generation, as lists where there are many. */
export async function withLists(
  pages: GenerationManifest['blocks'],
  add: AddBlock,
  sizes: ListSizes = LIST_SIZES,
): Promise<GenerationManifest['blocks']> {
  if (sum(Object.values(pages), (references: readonly unknown[] = []) => references.length) <= sizes.inlineMax) return pages;
  const lists = new PageLists(add, sizes);
  const listed = { ...pages, documents: await lists.documents(pages.documents), changes: await lists.changes(pages.changes) };
  for (const kind of NUMBERED) {
    const references = pages[kind];
    if (references !== undefined) listed[kind] = await lists.numbered(references);
  }
  return listed;
}

/** Kinds whose pages are found by number. */
const NUMBERED = ['index', 'history', 'lineages', 'relatives', 'texts', 'articles', 'entries'] as const;

/** Makes lists of the pages of one kind where there are more than `kindMax`. */
export class PageLists {
  readonly #add: AddBlock;
  readonly #sizes: Pick<ListSizes, 'kindMax' | 'listLength'>;

  constructor(add: AddBlock, sizes: Pick<ListSizes, 'kindMax' | 'listLength'> = LIST_SIZES) {
    this.#add = add;
    this.#sizes = sizes;
  }

  /** Pages of documents: lists end where ids say so, as pages do, so that one page more changes one list. */
  documents(pages: readonly DocumentPageReference[]): Promise<DocumentPageReference[]> {
    return this.#listed(
      pages,
      (references) => groupsInOrder(references, ({ first }) => endsPage(first, 1, this.#sizes.listLength)),
      (list) => ({ first: list[0]?.first ?? '', documents: sum(list, ({ documents }) => documents) }),
    );
  }

  /** Pages of the change log, to which later ones are added. */
  changes(pages: readonly ChangePageReference[]): Promise<ChangePageReference[]> {
    return this.#listed(
      pages,
      (references) => this.#inTurn(references),
      (list) => ({ start: list[0]?.start ?? 0, events: sum(list, ({ events }) => events) }),
    );
  }

  numbered(pages: readonly PageReference[]): Promise<PageReference[]> {
    return this.#listed(
      pages,
      (references) => this.#inTurn(references),
      () => ({}),
    );
  }

  async #listed<R extends PageReference>(
    references: readonly R[],
    divide: (references: readonly R[]) => R[][],
    describe: (list: readonly R[]) => Omit<R, keyof PageReference>,
  ): Promise<R[]> {
    if (references.length <= this.#sizes.kindMax) return [...references];
    const lists: R[] = [];
    for (const list of divide(references)) {
      const block = await this.#add(new TextEncoder().encode(JSON.stringify(list)));
      lists.push({ ...describe(list), ...block, pages: sum(list, ({ pages = 1 }) => pages) } as R);
    }
    return lists.length < references.length ? this.#listed(lists, divide, describe) : lists;
  }

  #inTurn<R>(references: readonly R[]): R[][] {
    return groupsInOrder(references, (_, at) => (at + 1) % this.#sizes.listLength === 0);
  }
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
