import { isList, readPageList } from '../../gateway/knowledge/page-directory.ts';
import type { BlockReference, ChangePageReference, DocumentPageReference, PageReference } from '../../schemas/knowledge/generation.ts';
import { endsPage, groupsInOrder } from '../content/paginate.ts';

/** When a manifest has lists of pages instead of pages, and how long they are. */
export interface ListSizes {
  /** Most references of one kind in a manifest. */
  readonly inlineMax: number;
  /** Average length of a list. */
  readonly listLength: number;
  /** Longest head of the search index in a manifest, in bytes of JSON; a longer one is a block. */
  readonly headMaxBytes: number;
}

/** A manifest of a few kilobytes, and lists of about 60: an isolate soon has all lists of a large corpus in memory. */
export const LIST_SIZES: ListSizes = { inlineMax: 64, listLength: 512, headMaxBytes: 16 * 1024 };

type AddBlock = (bytes: Uint8Array) => Promise<BlockReference>;

/** Makes the references of a manifest from those of all pages, kind by kind; adds lists where there are many. */
export class PageLists {
  readonly #add: AddBlock;
  readonly #sizes: ListSizes;

  constructor(add: AddBlock, sizes: ListSizes = LIST_SIZES) {
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

  /** Pages that are found by number. */
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
    if (references.length <= this.#sizes.inlineMax) return [...references];
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

/**
 * The references that some references stand for: of a list itself and of everything in it.
 *
 * @param read Reads a block; of a list that it lacks, only the reference is returned.
 */
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
