import { type Neighbourhood, type NeighbourhoodPage, pageOfNeighbourhood } from '../../provenance/relation-graph.ts';
import type { ChangeEvent } from '../../schemas/knowledge/changes.ts';
import {
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
import { BlockBrokenError, type BlockLoader } from './load-block.ts';
import { lastNotAbove, type RecentRecords, RecordPage } from './record-page.ts';

/** A lineage with one page of its graph, before it is made a document. */
export interface LineageParts extends StoredLineage {
  /** The capsules of the page, in its order. */
  readonly around: readonly StoredVersion[];
}

/** One generation of the corpus, opened: every read of it sees the same content. Opening it reads nothing. */
export class Generation {
  /** Digest of the manifest. */
  readonly version: string;
  readonly manifest: GenerationManifest;
  /** The search index; a document's number is its place among all ids in ascending order. */
  readonly index: IndexReader;
  readonly #loader: BlockLoader;
  readonly #records: RecentRecords;
  /** Number of the first document of each page. */
  readonly #pageStarts: number[] = [];

  /**
   * @param records Keeps what was read of pages.
   * @throws {IndexFormatError} If the manifest names an index that this code cannot read.
   * @throws {BlockBrokenError} If its pages do not hold what its index counts.
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
    if (start !== manifest.index.documents) throw new BlockBrokenError('the index and the pages of documents do not belong together');
  }

  /** The newest version of a capsule, or `undefined` if there is none with this id. */
  async capsule(id: string): Promise<StoredVersion | undefined> {
    return (await this.#locate(id))?.stored;
  }

  /** A capsule's number in the index, or `undefined` if there is none with this id. */
  async documentNumber(id: string): Promise<number | undefined> {
    return (await this.#locate(id))?.number;
  }

  /** A version of a capsule by its number, or `undefined` if there is no such. */
  async capsuleVersion(id: string, version: string): Promise<StoredVersion | undefined> {
    const newest = await this.capsule(id);
    if (newest === undefined || newest.metadata.version === version) return newest;
    if (!newest.metadata.versions.some((entry) => entry.version === version)) return undefined;
    const earlier = await this.#byId<StoredVersion[]>(this.manifest.blocks.history, id);
    return earlier?.find(({ metadata }) => metadata.version === version);
  }

  /** The newest versions of the capsules with these document numbers, in the order asked for; all pages are read at once. */
  async capsules(numbers: readonly number[]): Promise<StoredVersion[]> {
    const places = numbers.map((number) => lastNotAbove(this.#pageStarts.length, (at) => this.#pageStarts[at] ?? 0, number));
    const pages = await this.#pages(places);
    return places.map((place, at) => requireStored(pages.get(place)?.at((numbers[at] ?? 0) - (this.#pageStarts[place] ?? 0))));
  }

  /** The newest version of the capsule with each of these ids, `undefined` where there is none; all pages are read at once. */
  async newestOf(ids: readonly string[]): Promise<(StoredVersion | undefined)[]> {
    const places = ids.map((id) => this.#pageNumber(id));
    const pages = await this.#pages(places.filter((place) => place >= 0));
    return ids.map((id, at) => pages.get(places[at] ?? -1)?.find(id));
  }

  /** What is proved about a capsule, without what is around it, or `undefined` if there is none with this id. Reads one page. */
  async lineageProof(id: string): Promise<LineageProof | undefined> {
    return (await this.#storedLineage(id))?.proof;
  }

  /**
   * A capsule's lineage with the page of its graph that begins at node `start`, and the capsules of that page in its order; or
   * `undefined` if there is no such capsule or no such page.
   */
  async lineage(id: string, start: number): Promise<LineageParts | undefined> {
    const stored = await this.#storedLineage(id);
    if (stored === undefined) return undefined;
    const graph = start === 0 ? stored.graph : await this.#byId<StoredGraph>(this.manifest.blocks.relatives, graphPageName(id, start));
    if (graph === undefined) return undefined;
    const ids = graph.nodes.map(([capsule]) => capsule);
    const around = await this.newestOf(ids);
    return { proof: stored.proof, graph, around: around.map(requireStored) };
  }

  /**
   * The text of a version of a paid capsule, or `undefined` if there is no such. Its page holds such texts alone, and is read for nothing
   * else. Use `readPaidText`, which checks it.
   */
  async paidText(id: string, version: string): Promise<string | undefined> {
    const texts = await this.#byId<PaidText[]>(this.manifest.blocks.texts ?? [], id);
    return texts?.find((text) => text.version === version)?.markdown;
  }

  /** A file that orders are given, by the digest of its bytes; `undefined` if the generation has none such. */
  async deliveredFile(sha256: string): Promise<Uint8Array | undefined> {
    const reference = this.manifest.blocks.files?.find((file) => file.sha256 === sha256);
    return reference && this.#loader.load(reference, 'sha256', (bytes) => bytes);
  }

  /** Events of the log of changes: those after the first `start`, at most `limit` of them. Reads the pages that they are on. */
  async changes(start: number, limit: number): Promise<ChangeEvent[]> {
    const end = Math.min(start + limit, this.manifest.changes.count);
    const wanted = this.manifest.blocks.changes.filter(({ start: first, events }) => first < end && first + events > start);
    const pages = await this.#loader.loadTexts(wanted, (bytes) => JSON.parse(new TextDecoder().decode(bytes)) as ChangeEvent[]);
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

  /** Number of the page of documents that a capsule is on if it is anywhere. */
  #pageNumber(id: string): number {
    const { documents } = this.manifest.blocks;
    return lastNotAbove(documents.length, (page) => documents[page]?.first ?? '', id);
  }

  /** Pages of documents by their numbers, all read at once. */
  async #pages(numbers: readonly number[]): Promise<Map<number, RecordPage<StoredVersion>>> {
    const wanted = [...new Set(numbers)];
    const references = wanted.map((number) => requireStored(this.manifest.blocks.documents[number]));
    const pages = await this.#loader.loadTexts(references, (bytes) => new RecordPage<StoredVersion>(bytes, this.#records));
    return new Map(pages.map((page, at) => [wanted[at] ?? -1, page]));
  }

  #page<T>(reference: BlockReference): Promise<RecordPage<T>> {
    return this.#loader.load(reference, 'sha256', (bytes) => new RecordPage<T>(bytes, this.#records));
  }

  /** Forgets blocks of the index that were damaged when they were read: each is kept until a query needs a damaged section of it. */
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
  if (stored === undefined) throw new BlockBrokenError('the blocks of the generation do not belong together');
  return stored;
}

/** The capsules around one as they are stored: where they stand, and nothing else about them. */
export interface StoredGraph extends Omit<NeighbourhoodPage, 'nodes'> {
  /** Ids and distances, in the order of the published graph. */
  readonly nodes: readonly (readonly [id: string, distance: number])[];
}

/**
 * A lineage as it is stored, with the first page of its graph. What the capsules around are called and which text they have is on
 * their own pages, so that a change of one capsule does not rewrite the lineages around it.
 */
export interface StoredLineage {
  readonly proof: LineageProof;
  readonly graph: StoredGraph;
}

/** Takes a lineage apart for storing. */
export function storedLineage({ id, versions, head }: Lineage, relatives: Neighbourhood): StoredLineage {
  return { proof: { id, versions, head }, graph: graphPage(relatives, 0) };
}

/** Name under which a page of a graph beyond the first is stored; no id of a capsule holds a space. */
export const graphPageName = (id: string, start: number): string => `${id} ${start}`;

/** The pages of a graph beyond the first, each under the number of its first node. */
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
    // Where the relatives were cut, the last page says so: there are more than are listed anywhere.
    truncated: page.truncated || relatives.truncated,
  };
}
