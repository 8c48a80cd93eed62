import { encodeDays, encodeFacts } from '../../gateway/knowledge/capsule-lists/list-store.ts';
import { listEntries, makeLists, NEWEST_GROUP } from '../../gateway/knowledge/capsule-lists/make-lists.ts';
import type { DeployedGeneration } from '../../gateway/knowledge/corpus.ts';
import { furtherPages, graphPageName, storedLineage } from '../../gateway/knowledge/read-generation.ts';
import { encodeRecordPage, isList } from '../../gateway/knowledge/record-pages.ts';
import { namesShop, SITE_COLUMNS, siteAttributes, siteFields, withBaseUrl } from '../../gateway/knowledge/render-site-result.ts';
import { canonicalJson } from '../../provenance/canonical-json.ts';
import { endOfLog, extendLog, type LoggedCapsule, type LoggedChange } from '../../provenance/change-log.ts';
import { corpusDigest, type DetachedSignature } from '../../provenance/lineage-records.ts';
import { type BuildCache, type CachedResults, digestOf } from '../../publication/build-cache.ts';
import { freePart } from '../../publication/publish/published-capsules.ts';
import { type IndexedTextCache, indexedTextCache, indexText } from '../../publication/read/read-text-file.ts';
import type { CapsuleMetadata } from '../../schemas/knowledge/capsule.ts';
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
import { GENERATION_FORMATS, isKnownFormat } from '../../schemas/knowledge/kinds-and-levels.ts';
import type { SiteText } from '../../schemas/knowledge/result-kinds.ts';
import type { EarlierVersion, Subjects } from '../../schemas/knowledge/sections.ts';
import { PATHS } from '../../schemas/paths.ts';
import { ANALYSER_ID } from '../../search/analysis/analyse.ts';
import { type AnalysedBatch, analyseBatch } from '../../search/build/analyse-batch.ts';
import { IndexBuilder } from '../../search/build/build-index.ts';
import { INDEX_FORMAT_VERSION, type IndexHead } from '../../search/format/index-block.ts';
import { RANKING_VERSION } from '../../search/query/search.ts';
import type { SearchDocument } from '../../search/search-document.ts';
import { parseText } from '../../text/markdown/parse-text.ts';
import { referenceAddresses } from '../../text/markdown/resolve-links.ts';
import type { PublishedCapsule } from '../../text/publication-model.ts';
import type { SignatureCache } from '../sign-publication.ts';
import {
  type AddBlock,
  addingTo,
  BROWSER_LIST_SIZES,
  changePages,
  endsPage,
  LIST_SIZES,
  type ListSizes,
  type PagedRecord,
  pagesByHash,
  pagesInOrder,
  withLists,
} from './divide-records-into-pages.ts';
import { type AnalysisCache, type CapsuleIndexOptions, indexCapsules } from './index-capsules.ts';
import type { ArticleCache, ArticleRecord, SizedArticle } from './render-articles.ts';

/** Blocks by their digests. */
export type Blocks = Pick<ReadonlyMap<string, Uint8Array>, 'get' | 'has' | 'keys' | 'size' | typeof Symbol.iterator>;

export interface BuiltGeneration extends DeployedGeneration {
  readonly blocks: Blocks;
}

/** What earlier builds made, each under a digest of everything that it was made from. */
export interface CachedParts {
  readonly signatures: SignatureCache;
  readonly analyses: AnalysisCache;
  readonly articles: ArticleCache;
  /** Pages of articles, whose blocks are used again if they are still there. */
  readonly articlePages: Pick<CachedResults<BlockReference>, 'get' | 'set'>;
  readonly indexedTexts: Pick<IndexedTextCache, 'get'>;
}

/** The parts of a generation among the results of earlier builds. A kind that is not asked for is not opened, and so keeps what it has. */
export function cachedParts(cache: BuildCache): CachedParts {
  return {
    get signatures() {
      return cache.results<DetachedSignature>('signatures');
    },
    get analyses() {
      return cache.results<AnalysedBatch>('analyses');
    },
    get articles() {
      return { articles: cache.results<SizedArticle>('articles'), sizes: cache.results<readonly number[]>('article-sizes') };
    },
    get articlePages() {
      return cache.results<BlockReference>('article-pages');
    },
    get indexedTexts() {
      return indexedTextCache(cache);
    },
  };
}

export interface BlockCollection extends Blocks {
  readonly set: (sha256: string, bytes: Uint8Array) => unknown;
  /** Adds a block of an earlier generation; `false` if it is not here, or damaged. */
  readonly reuse?: (sha256: string) => boolean;
}

/** Earlier generations that the newest one lists, and that answer pinned queries. */
export const EARLIER_GENERATIONS = 3;

type IndexOptions = Omit<CapsuleIndexOptions, 'analyses' | 'texts' | 'older' | 'threads'>;

interface GenerationOptions extends IndexOptions {
  readonly changes?: readonly LoggedChange[];
  /** The {@link Article} of each free capsule and of each preview; none where the pages of capsules are files. */
  readonly articles?: readonly ArticleRecord[];
  /** The {@link Article} of each text that is sold. */
  readonly soldArticles?: readonly ArticleRecord[];
  /** Where the blocks are collected; by default in memory. */
  readonly blocks?: BlockCollection | undefined;
  /** Language of the readers of the lists of capsules. Left out if the lists are files, which need no blocks. */
  readonly listLanguage?: string | undefined;
  /** Guides, offers and errors, which have an index of their own. */
  readonly siteTexts?: readonly SiteText[];
  readonly files?: readonly Uint8Array[];
  /** Capsules of earlier versions of a product, by id. */
  readonly earlier?: ReadonlyMap<string, EarlierVersion>;
  readonly cache?: Partial<CachedParts>;
  readonly lists?: ListSizes;
}

/** Builds the blocks and the manifest of a corpus. The same capsules after the same generations give the same bytes. */
export async function buildGeneration(
  capsules: readonly PublishedCapsule[],
  previous: readonly DeployedGeneration[],
  {
    changes: log = [],
    articles = [],
    soldArticles = [],
    listLanguage,
    subjects,
    siteTexts = [],
    files = [],
    blocks = new Map(),
    earlier,
    cache = {},
    lists,
    ...indexed
  }: GenerationOptions = {},
): Promise<BuiltGeneration> {
  const sorted = [...capsules].sort((a, b) => (a.id < b.id ? -1 : 1));
  const countStatus = (status: string): number => sorted.filter(({ metadata }) => metadata.status === status).length;
  const add = addingTo(blocks);
  // One after another, so that the order of blocks is the same in every build.
  const addAll = (all: Iterable<Uint8Array>): Promise<BlockReference[]> => Array.fromAsync(all, (bytes) => add(bytes));
  const addArticles = (records: readonly ArticleRecord[]): Promise<BlockReference[]> =>
    Array.fromAsync(pagesByHash(records), async (page) => {
      const from = digestOf(...page.map(({ id, key }) => `${id} ${key}`));
      const known = cache.articlePages?.get(from);
      const isHere = known !== undefined && blocks.reuse?.(known.sha256) === true;
      const reference = isHere ? known : await add(encodeRecordPage(await loaded(page)));
      if (!isHere) cache.articlePages?.set(from, reference);
      return reference;
    });
  const addSiteTexts = (all: readonly (readonly PagedRecord[])[]): Promise<SiteTextPageReference[]> =>
    Array.fromAsync(all, async (page) => ({ ...(await add(encodeRecordPage(page))), texts: page.length }));
  const older = new Set([...(earlier ?? [])].flatMap(([id, { hasSameText }]) => (hasSameText ? [id] : [])));
  const index = await indexCapsules(sorted, { ...indexed, subjects, analyses: cache.analyses, texts: cache.indexedTexts, older });
  const newest = pagesInOrder(sorted.map((capsule) => newestRecord(freePart(capsule), earlier)));
  const documents: DocumentPageReference[] = await Array.fromAsync(newest, async (page) => ({
    ...(await add(encodeRecordPage(page))),
    first: page[0]?.id ?? '',
    documents: page.length,
  }));
  const extended = await extendLog(log, sorted.map(loggedCapsule));
  const changes: ChangePageReference[] = await Array.fromAsync(changePages(extended), async ({ start, events }) => ({
    ...(await add(new TextEncoder().encode(JSON.stringify(events)))),
    start,
    events: events.length,
  }));
  const byHash = (records: readonly PagedRecord[]): Promise<PageReference[]> =>
    Array.fromAsync(pagesByHash(records), (page) => add(encodeRecordPage(page)));
  const rendered = new Map(await Promise.all(soldArticles.map(async ({ id, load }) => [id, await load()] as const)));
  const sold = await byHash(sorted.flatMap((capsule) => paidRecord(capsule, rendered.get(capsule.id))));
  const site = siteTexts.length === 0 ? undefined : await siteBlocks(siteTexts, cache.analyses);
  const metadata = sorted.map((capsule) => capsule.metadata);
  const capsuleLists = listLanguage === undefined ? undefined : listBlocks(metadata, listLanguage, subjects);
  const pages: GenerationManifest['blocks'] = {
    index: await addAll(index.blocks),
    documents,
    history: await byHash(sorted.flatMap(earlierRecord)),
    lineages: await byHash(sorted.map(({ id, lineage, relatives }) => ({ id, value: storedLineage(lineage, relatives) }))),
    relatives: await byHash(sorted.flatMap(relativesRecord)),
    changes,
    ...(sold.length === 0 ? {} : { texts: sold }),
    ...(articles.length === 0 ? {} : { articles: await addArticles(articles) }),
    ...(capsuleLists === undefined ? {} : { facets: await addAll(capsuleLists.facets), entries: await addAll(capsuleLists.entries) }),
    ...(site === undefined ? {} : { site_index: await addAll(site.index.blocks), site_texts: await addSiteTexts(site.pages) }),
    ...(files.length === 0 ? {} : { files: await addAll(files) }),
  };
  const sizes = lists ?? (indexed.isForBrowsers ? BROWSER_LIST_SIZES : LIST_SIZES);
  const contents = await withLists(pages, add, sizes);
  const head = await manifestHead(index.head, add, sizes);
  const hasLists = 'head' in head || Object.values(contents).some((references: readonly PageReference[] = []) => references.some(isList));
  const body: Omit<GenerationManifest, 'previous'> = {
    format: hasLists ? GENERATION_FORMATS.withLists : GENERATION_FORMATS.inline,
    ranking_version: RANKING_VERSION,
    corpus_digest: (await corpusDigest(sorted.map(({ lineage }) => lineage))).slice('sha256:'.length),
    updated: `${sorted.reduce((latest, { metadata }) => (metadata.updated > latest ? metadata.updated : latest), '1970-01-01')}T00:00:00Z`,
    counts: {
      capsules: sorted.length,
      current: countStatus('current'),
      superseded: countStatus('superseded'),
      retracted: countStatus('retracted'),
      versions: sorted.reduce((sum, { versions }) => sum + versions.length, 0),
    },
    index: head,
    ...(site === undefined ? {} : { site: structuredClone(site.index.head) as NonNullable<GenerationManifest['site']> }),
    blocks: contents,
    changes: endOfLog(extended),
  };
  const { previous: _previous, ...repeated } = previous[0]?.manifest ?? {};
  if (previous[0] && canonicalJson(repeated) === canonicalJson(body)) {
    blocks.set(previous[0].version, new TextEncoder().encode(canonicalJson(previous[0].manifest)));
    return { ...previous[0], blocks };
  }
  const manifest: GenerationManifest = {
    ...body,
    previous: previous
      .filter((generation) => isReadable(generation.manifest))
      .slice(0, EARLIER_GENERATIONS)
      .map(({ version }) => version),
  };
  const { sha256 } = await add(new TextEncoder().encode(canonicalJson(manifest)));
  return { version: sha256, manifest, blocks };
}

async function manifestHead(head: IndexHead, add: AddBlock, { headMaxBytes }: ListSizes): Promise<GenerationManifest['index']> {
  const bytes = new TextEncoder().encode(JSON.stringify(head));
  if (bytes.length <= headMaxBytes) return structuredClone(head) as GenerationManifest['index'];
  const { format, analyser, documents } = head;
  return { format, analyser, documents, head: await add(bytes) };
}

/** Whether this code returns the same results from a generation as when it was the newest. */
export function isReadable(manifest: GenerationManifest): boolean {
  return (
    isKnownFormat(manifest.format) &&
    manifest.index.analyser === ANALYSER_ID &&
    manifest.index.format === INDEX_FORMAT_VERSION &&
    manifest.ranking_version === RANKING_VERSION
  );
}

function loaded(records: readonly ArticleRecord[]): Promise<{ id: string; value: Article }[]> {
  return Promise.all(records.map(async ({ id, load }) => ({ id, value: await load() })));
}

export function newestRecord(
  { id, metadata, markdown, preview, references, sections }: ReturnType<typeof freePart>,
  earlier?: ReadonlyMap<string, EarlierVersion>,
): PagedRecord {
  const linked = references === undefined ? {} : { references: referenceAddresses(references) };
  const anchors = sections === undefined ? {} : { anchors: [...sections] };
  const shown = preview === undefined ? {} : { preview };
  const version = earlier?.get(id);
  const ofEarlier = version && { earlier: { title: version.title, current: version.current, path: version.path } };
  return { id, value: { metadata, markdown, ...shown, ...linked, ...ofEarlier, ...anchors } satisfies StoredVersion };
}

function earlierRecord(capsule: PublishedCapsule): PagedRecord[] {
  const { id, metadata, versions } = freePart(capsule);
  const earlier = versions.filter((version) => version.metadata.version !== metadata.version);
  if (earlier.length === 0) return [];
  return [{ id, value: earlier.map((version): StoredVersion => ({ metadata: version.metadata, markdown: version.markdown })) }];
}

function paidRecord({ id, metadata, versions }: PublishedCapsule, article: Article | undefined): PagedRecord[] {
  if (metadata.access === 'public') return [];
  const texts = versions.map(({ metadata: { version }, markdown }): PaidText => {
    return { version, markdown, ...(version === metadata.version && article ? { article } : {}) };
  });
  return [{ id, value: texts }];
}

function relativesRecord({ id, relatives }: PublishedCapsule): PagedRecord[] {
  return furtherPages(relatives).map(({ start, page }) => ({ id: graphPageName(id, start), value: page }));
}

export function loggedCapsule({ lineage, metadata }: PublishedCapsule): LoggedCapsule {
  return { versions: lineage.versions, head: { statement: lineage.head.statement }, stateDate: metadata.status_date };
}

/** Average size of a page of entries in bytes: a list reads one or two for a page of its own. */
const PAGE_BYTES = 128 * 1024;

/** Approximate limit of the pages of entries; larger corpora have larger ones. */
const PAGES_MAX = 1_024;

/**
 * The lists of a corpus as blocks, with titles in the order of the language of readers. A change of a text alone changes the days and the page
 * of the newest capsules; a change of title, summary or tags also the pages of the lists that have the capsule.
 */
export function listBlocks(capsules: readonly CapsuleMetadata[], language: string, described?: Subjects) {
  const { directory, groups, days, facts } = makeLists(capsules, language, described);
  const listed = listEntries(capsules);
  const sizes = listed.map(({ entry }) => Buffer.byteLength(JSON.stringify(entry)));
  const all = groups.reduce((sum, { members }) => members.reduce((bytes, number) => bytes + (sizes[number] ?? 0), sum), 0);
  const target = Math.max(PAGE_BYTES, all / PAGES_MAX);
  const pages: number[][] = [];
  const pageStarts: number[] = [];
  let position = 0;
  let isEnded = true;
  for (const { name, members } of groups) {
    // Each change moves the newest capsules: they have a page of their own.
    const isWhole = name === NEWEST_GROUP;
    if (isWhole) isEnded = true;
    for (const number of members) {
      if (isEnded) {
        pages.push([]);
        pageStarts.push(position);
      }
      pages.at(-1)?.push(number);
      position += 1;
      isEnded = !isWhole && endsPage(`${name} ${capsules[number]?.capsule_id}`, sizes[number] ?? 0, target);
    }
  }
  return {
    facets: [new TextEncoder().encode(JSON.stringify({ ...directory, pageStarts })), encodeDays(days), encodeFacts(facts)],
    entries: encoded(listed, pages),
  };
}

function* encoded(listed: ReturnType<typeof listEntries>, pages: readonly (readonly number[])[]): Generator<Uint8Array> {
  for (const page of pages)
    yield encodeRecordPage(
      page.flatMap((number) => {
        const one = listed[number];
        return one === undefined ? [] : [{ id: one.id, value: one.entry }];
      }),
    );
}

/**
 * The index and the pages of site texts. They have an index of their own, so that a change of one neither moves the ranks of capsules nor
 * writes a block of theirs; a search over both counts frequencies over both.
 */
async function siteBlocks(texts: readonly SiteText[], analyses: AnalysisCache | undefined) {
  const sorted = texts.map((text) => ({ ...text, key: `${text.kind} ${text.id}` })).sort((a, b) => (a.key < b.key ? -1 : 1));
  const records = sorted.map(({ key, ...value }): PagedRecord & { readonly value: SiteText } => ({ id: key, value }));
  const key = digestOf('site texts', JSON.stringify(records));
  const analysed = analyses?.get(key) ?? analyseBatch(records.map(({ value }) => searchDocument(value)));
  analyses?.set(key, analysed);
  const builder = new IndexBuilder({ columns: SITE_COLUMNS, expansion: false, neighbours: false });
  builder.add(
    records.map(({ id, value }) => ({ id, language: value.language, attributes: siteAttributes(value) })),
    analysed,
  );
  return { index: builder.finish(), pages: pagesInOrder(records) };
}

function searchDocument(text: SiteText): SearchDocument {
  const { plain, ...found } = indexText(parseText(withBaseUrl(text.markdown, '')));
  // Who searches for such words and no others asks for the page. By names such as "MCP", and by words of the shop that mean much else, such as
  // "plan", texts are found only if no title or heading has them.
  const isOfPage = (words: string): boolean =>
    !/\p{Lu}{2}|\p{L}\p{N}/u.test(words) && (text.inFooter === true || (text.path === PATHS.buy && namesShop(words)));
  const questions = text.askedBy.filter(isOfPage);
  const codes = [...found.codes, ...text.askedBy.filter((words) => !isOfPage(words))];
  return { id: text.id, ...siteFields(text), ...found, questions, codes, body: plain };
}
