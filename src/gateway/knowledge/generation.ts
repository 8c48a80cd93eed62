import { type Neighbourhood, type NeighbourhoodPage, pageOfNeighbourhood } from '../../provenance/relation-graph.ts';
import type { ListEntry } from '../../schemas/knowledge/capsule-lists.ts';
import type { ChangeEvent } from '../../schemas/knowledge/changes.ts';
import {
  type Article,
  type BlockReference,
  type GenerationManifest,
  type PaidText,
  pageOf,
  type StoredVersion,
} from '../../schemas/knowledge/generation.ts';
import type { Lineage, LineageProof } from '../../schemas/knowledge/lineage.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { IndexBlock } from '../../search/format/index-block.ts';
import { IndexReader } from '../../search/query/index-reader.ts';
import type { Ranking } from './corpus.ts';
import type { ListStore } from './lists/list-store.ts';
import { storedLists } from './lists/stored-lists.ts';
import { BlockBrokenError, type BlockLoader } from './load-block.ts';
import { lastNotAbove, type RecentRecords, RecordPage } from './paged-records.ts';

/** A stored lineage with one page of its graph. */
export interface LineageParts extends StoredLineage {
  readonly around: readonly StoredVersion[];
}

/** An opened generation of the corpus: every read sees the same content. Opening it reads nothing. */
export class Generation {
  readonly version: string;
  readonly manifest: GenerationManifest;
  /** The search index; a document's number is its position among all ids in ascending order. */
  readonly index: IndexReader;
  readonly #loader: BlockLoader;
  readonly #records: RecentRecords;
  readonly #pageStarts: number[] = [];

  /**
   * @throws {IndexFormatError} If the manifest's index format is not readable by this code.
   * @throws {BlockBrokenError} If the pages do not contain what the index counts.
   */
  constructor(version: string, manifest: GenerationManifest, loader: BlockLoader, records: RecentRecords, ranking: Ranking) {
    this.version = version;
    this.manifest = manifest;
    this.#loader = loader;
    this.#records = records;
    this.index = new IndexReader(manifest.index, (block) => this.#indexBlock(block), ranking);
    let start = 0;
    for (const { documents } of manifest.blocks.documents) {
      this.#pageStarts.push(start);
      start += documents;
    }
    if (start !== manifest.index.documents) throw new BlockBrokenError('the index and the pages of documents do not match');
  }

  /** The newest version of a capsule; `undefined` for an unknown id. */
  async capsule(id: string): Promise<StoredVersion | undefined> {
    return (await this.#locate(id))?.stored;
  }

  /** A capsule's number in the index; `undefined` for an unknown id. */
  async documentNumber(id: string): Promise<number | undefined> {
    return (await this.#locate(id))?.number;
  }

  /** A version of a capsule; `undefined` if it does not exist. */
  async capsuleVersion(id: string, version: string): Promise<StoredVersion | undefined> {
    const newest = await this.capsule(id);
    if (newest === undefined || newest.metadata.version === version) return newest;
    if (!newest.metadata.versions.some((entry) => entry.version === version)) return undefined;
    const earlier = await this.#byId<StoredVersion[]>(this.manifest.blocks.history, id);
    return earlier?.find(({ metadata }) => metadata.version === version);
  }

  /** The newest versions of the capsules with these document numbers, in the same order; all pages are read at once. */
  async capsules(numbers: readonly number[]): Promise<StoredVersion[]> {
    const places = numbers.map((number) => lastNotAbove(this.#pageStarts.length, (at) => this.#pageStarts[at] ?? 0, number));
    const pages = await this.#pages(places);
    return places.map((place, at) => requireStored(pages.get(place)?.at((numbers[at] ?? 0) - (this.#pageStarts[place] ?? 0))));
  }

  /** The newest version for each id, `undefined` for unknown ones; all pages are read at once. */
  async newestOf(ids: readonly string[]): Promise<(StoredVersion | undefined)[]> {
    const places = ids.map((id) => this.#pageNumber(id));
    const pages = await this.#pages(places.filter((place) => place >= 0));
    return ids.map((id, at) => pages.get(places[at] ?? -1)?.find(id));
  }

  /** Proof of a capsule's lineage, without its graph; `undefined` for an unknown id. Reads one page. */
  async lineageProof(id: string): Promise<LineageProof | undefined> {
    return (await this.#storedLineage(id))?.proof;
  }

  /** A capsule's lineage with the page of its graph that begins at node `start`; `undefined` for an unknown id or page. */
  async lineage(id: string, start: number): Promise<LineageParts | undefined> {
    const stored = await this.#storedLineage(id);
    if (stored === undefined) return undefined;
    const graph = start === 0 ? stored.graph : await this.#byId<StoredGraph>(this.manifest.blocks.relatives, graphPageName(id, start));
    if (graph === undefined) return undefined;
    const ids = graph.nodes.map(([capsule]) => capsule);
    const around = await this.newestOf(ids);
    return { ...stored, graph, around: around.map(requireStored) };
  }

  /** The text of a version of a paid capsule; `undefined` if it does not exist. Use `readPaidText`, which verifies it. */
  async paidText(id: string, version: string): Promise<string | undefined> {
    const texts = await this.#byId<PaidText[]>(this.manifest.blocks.texts ?? [], id);
    return texts?.find((text) => text.version === version)?.markdown;
  }

  /** The rendered text of a free capsule; `undefined` for any other. */
  article(id: string): Promise<Article | undefined> {
    return this.#byId<Article>(this.manifest.blocks.articles ?? [], id);
  }

  /** The lists of capsules, which only deployments have whose functions serve the pages of capsules. */
  get lists(): ListStore {
    const { lists = [], entries = [] } = this.manifest.blocks;
    return storedLists({
      read: (block, decode) => this.#loader.load(requireStored(lists[block]), 'sha256', decode),
      pages: (numbers) =>
        this.#loader.loadTexts(
          numbers.map((number) => requireStored(entries[number])),
          (bytes) => new RecordPage<ListEntry>(bytes, this.#records),
        ),
    });
  }

  /** A file that orders deliver, by the digest of its bytes. */
  async deliveredFile(sha256: string): Promise<Uint8Array | undefined> {
    const reference = this.manifest.blocks.files?.find((file) => file.sha256 === sha256);
    return reference && this.#loader.load(reference, 'sha256', (bytes) => bytes);
  }

  /** Events of the change log after the first `start`, at most `limit`. Reads only their pages. */
  async changes(start: number, limit: number): Promise<ChangeEvent[]> {
    const end = Math.min(start + limit, this.manifest.changes.count);
    const references = this.manifest.blocks.changes.filter(({ start: first, events }) => first < end && first + events > start);
    const pages = await this.#loader.loadTexts(references, (bytes) => JSON.parse(new TextDecoder().decode(bytes)) as ChangeEvent[]);
    return pages.flat().filter(({ count }) => count > start && count <= end);
  }

  #storedLineage(id: string): Promise<StoredLineage | undefined> {
    return this.#byId<StoredLineage>(this.manifest.blocks.lineages, id);
  }

  async #locate(id: string): Promise<{ number: number; stored: StoredVersion } | undefined> {
    const at = this.#pageNumber(id);
    const reference = this.manifest.blocks.documents[at];
    if (reference === undefined) return undefined;
    const page = await this.#page<StoredVersion>(reference);
    const position = page.position(id);
    const stored = page.at(position);
    return stored && { number: (this.#pageStarts[at] ?? 0) + position, stored };
  }

  async #byId<T>(references: readonly BlockReference[], id: string): Promise<T | undefined> {
    const reference = references[pageOf(id, references.length)];
    return reference && (await this.#page<T>(reference)).find(id);
  }

  /** Number of the only page of documents that can contain a capsule. */
  #pageNumber(id: string): number {
    const { documents } = this.manifest.blocks;
    return lastNotAbove(documents.length, (page) => documents[page]?.first ?? '', id);
  }

  async #pages(numbers: readonly number[]): Promise<Map<number, RecordPage<StoredVersion>>> {
    const distinct = [...new Set(numbers)];
    const references = distinct.map((number) => requireStored(this.manifest.blocks.documents[number]));
    const pages = await this.#loader.loadTexts(references, (bytes) => new RecordPage<StoredVersion>(bytes, this.#records));
    return new Map(pages.map((page, at) => [distinct[at] ?? -1, page]));
  }

  #page<T>(reference: BlockReference): Promise<RecordPage<T>> {
    return this.#loader.load(reference, 'sha256', (bytes) => new RecordPage<T>(bytes, this.#records));
  }

  /** Evicts corrupt index blocks: a damaged section shows only when a query needs it. */
  evictCorruptIndexBlocks(): Promise<void> {
    return this.#loader.evictCorrupt(this.manifest.blocks.index);
  }

  async #indexBlock(block: number): Promise<IndexBlock> {
    const reference = this.manifest.blocks.index[block];
    if (reference === undefined) throw new BlockBrokenError('the manifest names no such block');
    return this.#loader.load(reference, 'length', (bytes) => IndexBlock.open(bytes, this.manifest.index.tables?.[block]));
  }
}

function requireStored<T>(stored: T | undefined): T {
  if (stored === undefined) throw new BlockBrokenError('the blocks of the generation do not match');
  return stored;
}

/** A stored page of the graph around a capsule. */
export interface StoredGraph extends Omit<NeighbourhoodPage, 'nodes'> {
  /** Ids and distances, in published order. */
  readonly nodes: readonly (readonly [id: string, distance: number])[];
}

/**
 * A stored lineage, with the first page of its graph. Titles and digests of the other capsules are on their own pages, so that a change of
 * one capsule rewrites no other lineage.
 */
export interface StoredLineage {
  readonly proof: LineageProof;
  /** Lineages under former ids; absent without any. */
  readonly formerly?: readonly LineageProof[];
  readonly graph: StoredGraph;
}

/** Splits a lineage for storage. */
export function storedLineage({ id, versions, head, formerly }: Lineage, relatives: Neighbourhood): StoredLineage {
  return { proof: { id, versions, head }, ...(formerly === undefined ? {} : { formerly }), graph: graphPage(relatives, 0) };
}

/** Name of a stored page of a graph beyond the first; no capsule id contains a space. */
export const graphPageName = (id: string, start: number): string => `${id} ${start}`;

/** The pages of a graph beyond the first, by the number of their first node. */
export function furtherPages(relatives: Neighbourhood): { readonly start: number; readonly page: StoredGraph }[] {
  const count = Math.ceil(relatives.nodes.length / LIMITS.lineageMaxNodes) - 1;
  return Array.from({ length: Math.max(0, count) }, (_, at) => {
    const start = (at + 1) * LIMITS.lineageMaxNodes;
    return { start, page: graphPage(relatives, start) };
  });
}

function graphPage(relatives: Neighbourhood, start: number): StoredGraph {
  const page = pageOfNeighbourhood(relatives, start, LIMITS.lineageMaxNodes);
  return {
    nodes: page.nodes.map(({ id, distance }) => [id, distance] as const),
    edges: page.edges,
    total: page.total,
    // If the relatives were truncated, the last page reports it.
    truncated: page.truncated || relatives.truncated,
  };
}
