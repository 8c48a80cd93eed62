import { type Neighbourhood, type NeighbourhoodPage, pageOfNeighbourhood } from '../../provenance/relation-graph.ts';
import type { ListEntry } from '../../schemas/knowledge/capsule-lists.ts';
import type { ChangeEvent } from '../../schemas/knowledge/corpus-responses.ts';
import type {
  Article,
  BlockReference,
  ChangePageReference,
  DocumentPageReference,
  GenerationManifest,
  PageReference,
  PaidText,
  SiteTextPageReference,
  StoredVersion,
} from '../../schemas/knowledge/generation-manifest.ts';
import type { Lineage, LineageProof } from '../../schemas/knowledge/lineage.ts';
import type { SiteText } from '../../schemas/knowledge/result-kinds.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { IndexBlock, type IndexHead } from '../../search/format/index-block.ts';
import { IndexReader, type MaybeRead } from '../../search/query/index-reader.ts';
import type { Kernel } from '../../search/scoring-wasm/kernel.ts';
import { remembered } from '../memory-caches.ts';
import { type ListStore, storedLists } from './capsule-lists/list-store.ts';
import { BlockBrokenError, type BlockLoader } from './load-block.ts';
import { PageDirectory, type PagePlace, pageOf, type RecentRecords, RecordPage } from './record-pages.ts';

export interface LineageParts extends StoredLineage {
  readonly around: readonly StoredVersion[];
}

type Kind = keyof GenerationManifest['blocks'];
type Numbered = PageDirectory<DocumentPageReference> | PageDirectory<SiteTextPageReference>;

/** An opened generation of the corpus: every read sees the same content. Opening it reads nothing. */
export class Generation {
  readonly version: string;
  readonly manifest: GenerationManifest;
  readonly #loader: BlockLoader;
  readonly #records: RecentRecords;
  readonly #ranking: Kernel;
  readonly #documents: PageDirectory<DocumentPageReference>;
  readonly #changes: PageDirectory<ChangePageReference>;
  readonly #directories = new Map<Kind, PageDirectory<PageReference>>();
  readonly #siteTexts: PageDirectory<SiteTextPageReference>;
  readonly #index: IndexReader | undefined;
  /** The index of guides, offers and errors; `undefined` where there are none. */
  readonly siteIndex: IndexReader | undefined;

  /** @throws {IndexFormatError | BlockBrokenError} If this code cannot read the index, or the pages do not contain what it counts. */
  constructor(version: string, manifest: GenerationManifest, loader: BlockLoader, records: RecentRecords, ranking: Kernel) {
    this.version = version;
    this.manifest = manifest;
    this.#loader = loader;
    this.#records = records;
    this.#ranking = ranking;
    const { index, site, blocks } = manifest;
    this.#documents = new PageDirectory(blocks.documents, loader, ({ documents }) => documents);
    this.#changes = new PageDirectory(blocks.changes, loader, ({ events }) => events);
    this.#siteTexts = new PageDirectory(blocks.site_texts ?? [], loader, ({ texts }) => texts);
    this.#index = 'head' in index ? undefined : this.#openIndex(index, 'index');
    this.siteIndex = site && this.#openIndex(site, 'site_index');
    if (this.#documents.size !== index.documents || this.#siteTexts.size !== (site?.documents ?? 0))
      throw new BlockBrokenError('the index and the pages of documents do not match');
  }

  index(): MaybeRead<IndexReader> {
    return this.#index ?? this.#loadIndex();
  }

  async #loadIndex(): Promise<IndexReader> {
    const { index } = this.manifest;
    if (!('head' in index)) throw new BlockBrokenError('the manifest has no head of the index');
    return this.#loader.load(index.head, 'sha256', (bytes) =>
      this.#openIndex(JSON.parse(new TextDecoder().decode(bytes)) as IndexHead, 'index'),
    );
  }

  async capsule(id: string): Promise<StoredVersion | undefined> {
    return (await this.#locate(id))?.stored;
  }

  async documentNumber(id: string): Promise<number | undefined> {
    return (await this.#locate(id))?.number;
  }

  async capsuleVersion(id: string, version: string): Promise<StoredVersion | undefined> {
    const newest = await this.capsule(id);
    if (newest === undefined || newest.metadata.version === version) return newest;
    if (!newest.metadata.versions.some((entry) => entry.version === version)) return undefined;
    const earlier = await this.#byId<StoredVersion[]>('history', id);
    return earlier?.find(({ metadata }) => metadata.version === version);
  }

  /** In the same order; all pages are read at once. */
  capsules(numbers: readonly number[]): Promise<StoredVersion[]> {
    return this.#numbered(this.#documents, numbers);
  }

  siteTexts(numbers: readonly number[]): Promise<SiteText[]> {
    return this.#numbered(this.#siteTexts, numbers);
  }

  async #numbered<T>(directory: Numbered, numbers: readonly number[]): Promise<T[]> {
    const places = await directory.at(numbers);
    const pages = await this.#pages<T>(places);
    return places.map((place, at) => requireStored(place && pages.get(place.reference.sha256)?.at((numbers[at] ?? 0) - place.start)));
  }

  async firstCapsules(): Promise<StoredVersion[]> {
    const [first] = await this.#documents.at([0]);
    return this.capsules(Array.from({ length: first?.reference.documents ?? 0 }, (_, number) => number));
  }

  /** In the order of the ids, `undefined` for unknown ones; all pages are read at once. */
  async newestOf(ids: readonly string[]): Promise<(StoredVersion | undefined)[]> {
    const places = await this.#documents.holding(ids, ({ first }) => first);
    const pages = await this.#pages<StoredVersion>(places);
    return ids.map((id, at) => pages.get(places[at]?.reference.sha256 ?? '')?.find(id));
  }

  /** Ids that begin like a text, in ascending order: those on the page that would hold it. Reads one page. */
  async idsAround(id: string): Promise<readonly string[]> {
    const [place] = await this.#documents.holding([id], ({ first }) => first);
    const [first] = place === undefined ? await this.#documents.at([0]) : [place];
    return first === undefined ? [] : (await this.#page<StoredVersion>(first.reference, false)).ids;
  }

  /** The first ids that begin with a text, at most `max`, in ascending order. */
  async idsWithPrefix(prefix: string, max: number): Promise<readonly string[]> {
    const ids: string[] = [];
    let [place] = await this.#documents.holding([prefix], ({ first }) => first);
    if (place === undefined) [place] = await this.#documents.at([0]);
    while (place !== undefined && ids.length < max) {
      const page = (await this.#page<StoredVersion>(place.reference, false)).ids;
      ids.push(...page.filter((id) => id.startsWith(prefix)));
      const isLast = (page.at(-1) ?? '') > prefix && page.at(-1)?.startsWith(prefix) !== true;
      const next: number = place.start + page.length;
      if (isLast || next >= this.#documents.size) break;
      [place] = await this.#documents.at([next]);
    }
    return ids.slice(0, max);
  }

  /** `undefined` for an unknown id. Reads one page. */
  async lineageProof(id: string): Promise<LineageProof | undefined> {
    return (await this.#byId<StoredLineage>('lineages', id))?.proof;
  }

  /** With the page of the graph that begins at node `start`; `undefined` for an unknown id or page. */
  async lineage(id: string, start: number): Promise<LineageParts | undefined> {
    const stored = await this.lineagePage(id, start);
    return stored && { ...stored, around: await this.around(stored.graph) };
  }

  async lineagePage(id: string, start: number): Promise<StoredLineage | undefined> {
    const stored = await this.#byId<StoredLineage>('lineages', id);
    if (stored === undefined || start === 0) return stored;
    const graph = await this.#byId<StoredGraph>('relatives', graphPageName(id, start));
    return graph && { ...stored, graph };
  }

  async around({ nodes }: StoredGraph): Promise<StoredVersion[]> {
    return (await this.newestOf(nodes.map(([id]) => id))).map(requireStored);
  }

  /** The text of a paid version. Use `readPaidText`, which verifies it. */
  async paidText(id: string, version: string): Promise<PaidText | undefined> {
    const texts = await this.#byId<PaidText[]>('texts', id);
    return texts?.find((text) => text.version === version);
  }

  article(id: string): Promise<Article | undefined> {
    return this.#byId<Article>('articles', id);
  }

  /** Only deployments whose functions serve the pages of capsules have them. */
  get lists(): ListStore {
    const { facets = [] } = this.manifest.blocks;
    return storedLists({
      read: async (block, decode) => this.#loader.load(requireStored(facets[block]), 'sha256', decode),
      pages: async (numbers) => {
        const references = (await this.#directory('entries').at(numbers)).map((place) => requireStored(place).reference);
        return this.#loader.loadTexts(references, (bytes) => new RecordPage<ListEntry>(bytes, this.#records));
      },
    });
  }

  async deliveredFile(sha256: string): Promise<Uint8Array | undefined> {
    const reference = this.manifest.blocks.files?.find((file) => file.sha256 === sha256);
    return reference && this.#loader.load(reference, 'sha256', (bytes) => bytes, true);
  }

  /** Events of the change log after the first `start`, at most `limit`. Reads only their pages. */
  async changes(start: number, limit: number): Promise<ChangeEvent[]> {
    const end = Math.min(start + limit, this.manifest.changes.count);
    const pages = await this.#loader.loadTexts(
      await this.#changes.overlapping(start, end),
      (bytes) => JSON.parse(new TextDecoder().decode(bytes)) as ChangeEvent[],
    );
    return pages.flat().filter(({ count }) => count > start && count <= end);
  }

  /** The kind of a block of this generation; `undefined` for any other block, or one in a list that cannot be read. */
  async kindOf(sha256: string): Promise<Kind | undefined> {
    const { index, blocks } = this.manifest;
    if ('head' in index && index.head.sha256 === sha256) return 'index';
    const isIt = (reference: BlockReference): boolean => reference.sha256 === sha256;
    for (const [kind, references = []] of Object.entries(blocks) as [Kind, readonly PageReference[] | undefined][]) {
      if (references.some(isIt)) return kind;
      const pages = await this.#directory(kind)
        .overlapping()
        .catch(() => []);
      if (pages.some(isIt)) return kind;
    }
    return undefined;
  }

  async #locate(id: string): Promise<{ number: number; stored: StoredVersion } | undefined> {
    const [place] = await this.#documents.holding([id], ({ first }) => first);
    if (place === undefined) return undefined;
    const page = await this.#page<StoredVersion>(place.reference, false);
    const position = page.position(id);
    const stored = page.at(position);
    return stored && { number: place.start + position, stored };
  }

  async #byId<T>(kind: Kind, id: string): Promise<T | undefined> {
    const directory = this.#directory(kind);
    const [place] = await directory.at([pageOf(id, directory.size)]);
    return place && (await this.#page<T>(place.reference, kind === 'texts')).find(id);
  }

  #directory(kind: Kind): PageDirectory<PageReference> {
    const references: readonly PageReference[] = this.manifest.blocks[kind] ?? [];
    return remembered(this.#directories, kind, () => new PageDirectory(references, this.#loader, ({ pages = 1 }) => pages));
  }

  async #pages<T>(places: readonly (PagePlace<BlockReference> | undefined)[]): Promise<Map<string, RecordPage<T>>> {
    const references = new Map(
      places.flatMap((place) => (place === undefined ? [] : [[place.reference.sha256, place.reference] as const])),
    );
    const pages = await this.#loader.loadTexts([...references.values()], (bytes) => new RecordPage<T>(bytes, this.#records));
    return new Map([...references.keys()].map((sha256, at) => [sha256, pages[at] as RecordPage<T>]));
  }

  #page<T>(reference: BlockReference, isSold: boolean): Promise<RecordPage<T>> {
    return this.#loader.load(reference, 'sha256', (bytes) => new RecordPage<T>(bytes, this.#records), isSold);
  }

  #openIndex(head: IndexHead, kind: 'index' | 'site_index'): IndexReader {
    return new IndexReader(head, (block) => this.#indexBlock(kind, block, head.tables?.[block]), this.#ranking);
  }

  #indexBlock(kind: 'index' | 'site_index', block: number, table: string | undefined): MaybeRead<IndexBlock> {
    const directory = this.#directory(kind);
    const places = directory.at([block]);
    const [place] = places instanceof Promise || block >= directory.size ? [] : places;
    return (place && this.#loader.loaded<IndexBlock>(place.reference)) ?? this.#loadIndexBlock(kind, block, places, table);
  }

  async #loadIndexBlock(
    kind: 'index' | 'site_index',
    block: number,
    places: MaybeRead<(PagePlace<PageReference> | undefined)[]>,
    table: string | undefined,
  ): Promise<IndexBlock> {
    const [place] = await places;
    if (place === undefined || block >= this.#directory(kind).size) throw new BlockBrokenError('the manifest names no such block');
    return this.#loader.load(place.reference, 'length', (bytes) => IndexBlock.open(bytes, table));
  }
}

function requireStored<T>(stored: T | undefined): T {
  if (stored === undefined) throw new BlockBrokenError('the blocks of the generation do not match');
  return stored;
}

export interface StoredGraph extends Omit<NeighbourhoodPage, 'nodes'> {
  /** Ids and distances, in published order. */
  readonly nodes: readonly (readonly [id: string, distance: number])[];
}

/** Titles and digests of the other capsules are on their own pages, so that a change of one capsule rewrites no other lineage. */
export interface StoredLineage {
  readonly proof: LineageProof;
  /** Lineages under former ids; absent without any. */
  readonly formerly?: readonly LineageProof[];
  readonly graph: StoredGraph;
}

export function storedLineage({ id, versions, head, formerly }: Lineage, relatives: Neighbourhood): StoredLineage {
  return { proof: { id, versions, head }, ...(formerly === undefined ? {} : { formerly }), graph: graphPage(relatives, 0) };
}

/** Name of a stored page of a graph beyond the first; no capsule id contains a space. */
export const graphPageName = (id: string, start: number): string => `${id} ${start}`;

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
