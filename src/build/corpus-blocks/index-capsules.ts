import { CAPSULE_COLUMNS, capsuleAttributes, capsuleTier } from '../../gateway/knowledge/capsule-filters.ts';
import { summaryOf } from '../../gateway/knowledge/capsule-response.ts';
import type { AuthoredContent } from '../../publication/authored-content.ts';
import { type CachedResults, digestOf } from '../../publication/build-cache.ts';
import { formerTagIds } from '../../publication/read/content-ids.ts';
import {
  type IndexedText,
  type IndexedTextCache,
  indexedTextKey,
  indexText,
  parseWithSources,
} from '../../publication/read/read-text-file.ts';
import { countProgress, type OnProgress, runOnThreads, threadsForWork } from '../../publication/worker-threads.ts';
import { searchedText } from '../../schemas/knowledge/kinds-and-levels.ts';
import { type Subjects, subjectTitle } from '../../schemas/knowledge/sections.ts';
import { type AnalysedBatch, analyseBatch } from '../../search/build/analyse-batch.ts';
import { type BuildOptions, type EncodedIndex, IndexBuilder, type NumberedDocument } from '../../search/build/build-index.ts';
import { type DocumentRange, type RefinedDocuments, type RefinementTask, refineDocuments } from '../../search/build/expand-documents.ts';
import type { SearchDocument } from '../../search/search-document.ts';
import type { PublishedCapsule } from '../../text/publication-model.ts';
import { endsPage, groupsInOrder } from './divide-records-into-pages.ts';

/** Analyses of earlier indexes, each under a digest of everything that it was made from. */
export type AnalysisCache = Pick<CachedResults<AnalysedBatch>, 'has' | 'get' | 'set'>;

export interface CapsuleIndexOptions extends Pick<BuildOptions, 'budget' | 'expansion' | 'isForBrowsers'> {
  /** What they have is not analysed again. */
  readonly analyses?: AnalysisCache | undefined;
  readonly texts?: Pick<IndexedTextCache, 'get'> | undefined;
  readonly expansions?: AuthoredContent['expansions'] | undefined;
  /** Titles of subjects, which are searched where a digest in a tag stands for letters without a Latin form. */
  readonly subjects?: Subjects | undefined;
  /** Ids of capsules of earlier versions of a product, which rank like superseded ones: earlierVersions. */
  readonly older?: ReadonlySet<string> | undefined;
  /** Threads besides this one; 0 for none. By default those of {@link threadsForWork} where there is much to do. */
  readonly threads?: number | undefined;
  readonly onProgress?: OnProgress | undefined;
  /** Told how many capsules are analysed, and not known. */
  readonly onAnalysed?: ((analysed: number) => void) | undefined;
}

interface IndexedTexts extends Pick<SearchDocument, 'id' | 'language' | 'title' | 'tags' | 'summary' | 'questions' | 'expansions'> {
  /** Of a text that is sold, what searches find of it. */
  readonly markdown: string;
  readonly sources: readonly string[];
  readonly indexed?: IndexedText;
}

interface CapsuleGroup {
  readonly capsules: readonly PublishedCapsule[];
  readonly key: string;
}

/** Fewer capsules are analysed before a thread has loaded what it needs. */
const THREADED_MIN_CAPSULES = 400;

/** The search index of capsules, numbered in their order. The bytes depend neither on kept analyses nor on the number of threads. */
export async function indexCapsules(capsules: readonly PublishedCapsule[], options: CapsuleIndexOptions = {}): Promise<EncodedIndex> {
  const { analyses, older, threads, onProgress, onAnalysed, ...rest } = options;
  const textsOf = (group: CapsuleGroup): IndexedTexts[] => group.capsules.map((capsule) => indexedTexts(capsule, options));
  const groups = inGroups(capsules, options);
  const missing = new Set(groups.filter(({ key }) => analyses?.has(key) !== true));
  const missingCount = [...missing].reduce((sum, group) => sum + group.capsules.length, 0);
  onAnalysed?.(missingCount);
  const threadCount = threads ?? (missingCount < THREADED_MIN_CAPSULES ? 0 : threadsForWork());
  const fresh = runOnThreads(analyseTexts, import.meta.url, threadCount, missing, textsOf);
  const count = countProgress('Indexing', capsules.length, onProgress);
  const builder = new IndexBuilder({ columns: CAPSULE_COLUMNS, ...rest });
  try {
    for (const group of groups) {
      // A kept analysis may turn out to be damaged.
      const known = missing.has(group) ? undefined : (analyses?.get(group.key) ?? analyseTexts(textsOf(group)));
      const analysed = known ?? (await nextOf(fresh)).result;
      if (known === undefined) analyses?.set(group.key, analysed);
      builder.add(
        group.capsules.map((capsule) => numberedDocument(capsule, older)),
        analysed,
      );
      count(group.capsules.length);
    }
  } finally {
    await fresh.return(undefined);
  }
  return finishIndex(builder, threads);
}

/**
 * Analyses the texts of a group of capsules, also on threads.
 *
 * @public
 */
export function analyseTexts(texts: readonly IndexedTexts[]): AnalysedBatch {
  return analyseBatch(texts.map(searchDocument));
}

function numberedDocument({ id, metadata }: PublishedCapsule, older?: ReadonlySet<string>): NumberedDocument {
  const tier = capsuleTier(older?.has(id) && metadata.status === 'current' ? { ...metadata, status: 'superseded' } : metadata);
  return { id, language: metadata.language, tier, attributes: capsuleAttributes(summaryOf(metadata)) };
}

export function capsuleDocument(capsule: PublishedCapsule): SearchDocument {
  return { ...searchDocument(indexedTexts(capsule)), ...numberedDocument(capsule) };
}

function indexedTexts(capsule: PublishedCapsule, { texts, expansions: all, subjects }: CapsuleIndexOptions = {}) {
  const { id, metadata } = capsule;
  const { language, title, summary, questions, access } = metadata;
  const tags = searchedTags(metadata, subjects);
  const sources = metadata.sources.map(({ key }) => key);
  const markdown = access === 'public' ? capsule.markdown : searchedText(capsule.preview);
  const indexed = texts?.get(indexedTextKey(markdown, sources));
  const expansions = all?.get(id);
  return {
    ...{ id, language, title, tags, summary, sources },
    ...(questions === undefined ? {} : { questions }),
    ...(expansions === undefined ? {} : { expansions }),
    ...(indexed === undefined ? { markdown } : { markdown: '', indexed }),
  };
}

function searchedTags({ tags }: PublishedCapsule['metadata'], subjects?: Subjects): string[] {
  return tags.map((tag) => (formerTagIds(tag)[0] === tag ? tag : subjectTitle(tag, subjects)));
}

function searchDocument({ markdown, sources, indexed, ...texts }: IndexedTexts): SearchDocument {
  const { plain, ...found } = indexed ?? indexText(parseWithSources(markdown, sources));
  return { ...texts, ...found, body: plain };
}

/** Groups of an index: each costs the next index a little, and a changed capsule analyses its group again. */
const GROUPS_MAX = 256;

/** Fewest capsules of a group, on average. */
const GROUP_MIN_CAPSULES = 32;

/** Where a group ends depends on an id alone, so that an added or removed capsule changes one group. */
function inGroups(capsules: readonly PublishedCapsule[], { expansions, subjects }: CapsuleIndexOptions): CapsuleGroup[] {
  const average = Math.max(GROUP_MIN_CAPSULES, 2 ** Math.ceil(Math.log2(Math.max(1, capsules.length) / GROUPS_MAX)));
  return groupsInOrder(capsules, ({ id }) => endsPage(id, 1, average)).map((group) => ({
    capsules: group,
    key: digestOf(
      ...group.map(
        (capsule) => textsKey(capsule) + JSON.stringify([expansions?.get(capsule.id), searchedTags(capsule.metadata, subjects)]),
      ),
    ),
  }));
}

/** Keys of texts by the metadata of their capsules, which are the same objects while a development server runs. */
const textsKeys = new WeakMap<object, string>();

function textsKey(capsule: PublishedCapsule): string {
  const { metadata } = capsule;
  const known = textsKeys.get(metadata);
  if (known !== undefined) return known;
  // The digest of the text stands for it.
  const key = JSON.stringify({ ...indexedTexts({ ...capsule, markdown: '' }), access: metadata.access, text: metadata.content_sha256 });
  textsKeys.set(metadata, key);
  return key;
}

async function nextOf<T>(values: AsyncGenerator<T>): Promise<T> {
  const { value, done } = await values.next();
  if (done) throw new RangeError('a thread of the build returned too little');
  return value;
}

/** Documents of one range that a thread refines: enough that reading the corpus anew for each costs little. */
const RANGE_DOCUMENTS = 2_500;

const RANGE_MIN_DOCUMENTS = 300;

/** The index of a builder. The bytes do not depend on the number of threads, which is chosen for the corpus by default. */
export async function finishIndex(builder: IndexBuilder, threads?: number): Promise<EncodedIndex> {
  const { task, complete } = builder.prepare();
  const count = task?.corpus.documentCount ?? 0;
  const threadCount = threads ?? (count < 2 * RANGE_DOCUMENTS ? 0 : threadsForWork());
  if (task === undefined || threadCount === 0) return complete(task === undefined ? [] : [refineDocuments(task, { start: 0, end: count })]);
  const size = Math.min(RANGE_DOCUMENTS, Math.max(RANGE_MIN_DOCUMENTS, Math.ceil(count / threadCount)));
  const ranges = Array.from({ length: Math.ceil(count / size) }, (_, at) => ({ start: at * size, end: Math.min(count, (at + 1) * size) }));
  const shared = sharedTask(task);
  const refined = runOnThreads(refineRange, import.meta.url, threadCount, ranges, (range) => ({ task: shared, range }));
  return complete(await Array.fromAsync(refined, ({ result }) => result));
}

/**
 * Refines documents of a range, on threads.
 *
 * @public
 */
export function refineRange({ task, range }: { readonly task: RefinementTask; readonly range: DocumentRange }): RefinedDocuments {
  return refineDocuments(task, range);
}

function sharedTask({ corpus, impacts, inverted, ...wanted }: RefinementTask): RefinementTask {
  const share = <Values extends Uint8Array | Uint32Array>(values: Values): Values => {
    const shared = new (values.constructor as new (bytes: SharedArrayBuffer) => Values)(new SharedArrayBuffer(values.byteLength));
    shared.set(values);
    return shared;
  };
  return {
    ...wanted,
    corpus: { ...corpus, documentStarts: share(corpus.documentStarts), terms: share(corpus.terms) },
    impacts: share(impacts),
    inverted: { starts: share(inverted.starts), documents: share(inverted.documents), impacts: share(inverted.impacts) },
  };
}
