import { textOnPage } from '../../documents/capsule-markdown-files.ts';
import { type CachedResults, digestOf } from '../../publication/build-cache.ts';
import { countProgress, type OnProgress, runOnThreads, threadsForWork } from '../../publication/worker-threads.ts';
import type { Article } from '../../schemas/knowledge/generation-manifest.ts';
import { renderArticle } from '../../site/markdown/render-markdown.ts';
import { textLabels } from '../../site/markdown/text-labels.ts';
import type { FreeCapsule } from '../../text/publication-model.ts';
import type { InterfaceLanguage } from '../../text/strings/interface-strings.ts';
import { endsPage, groupsInOrder, type SizedRecord } from './divide-records-into-pages.ts';

type CapsuleText = Pick<FreeCapsule, 'metadata' | 'markdown' | 'references'>;

interface ArticleBatch {
  readonly language: InterfaceLanguage;
  readonly capsules: readonly CapsuleText[];
}

export interface SizedArticle {
  readonly article: Article;
  readonly bytes: number;
}

/** The rendered text of a capsule, read when it is needed: all together take more memory than anything else in a build. */
export interface ArticleRecord extends SizedRecord {
  readonly key: string;
  readonly load: () => Promise<Article>;
}

export interface ArticleCache {
  readonly articles: Pick<CachedResults<SizedArticle>, 'get' | 'set' | 'has' | 'save'>;
  /** Sizes of consecutive articles, to know them without reading these. */
  readonly sizes: Pick<CachedResults<readonly number[]>, 'get' | 'set'>;
}

interface RenderingOptions {
  /** What it has is not rendered again, and nothing stays in memory. */
  readonly cache?: ArticleCache | undefined;
  /** Threads that render; 0 for this one. By default those of {@link threadsForWork} for many capsules, else 0. */
  readonly threads?: number | undefined;
  readonly onProgress?: OnProgress | undefined;
  /** Told how many articles are rendered, and not known, of how many. */
  readonly onRendered?: ((rendered: number, all: number) => void) | undefined;
}

/** Capsules of one batch: enough that messages between threads cost little. */
const BATCH_CAPSULES = 50;

/** Fewer capsules are rendered before a thread has loaded what it needs. */
const THREADED_MIN_CAPSULES = 200;

/** Capsules whose sizes are kept together, on average. */
const GROUP_CAPSULES = 256;

/** The rendered texts of all capsules that have one here, as records under their ids, in the same order. */
export async function renderArticles(
  capsules: readonly FreeCapsule[],
  language: InterfaceLanguage,
  { cache, threads, onProgress, onRendered }: RenderingOptions = {},
): Promise<ArticleRecord[]> {
  const words = digestOf(JSON.stringify(language));
  const keyed = capsules.filter(({ markdown }) => markdown !== undefined).map((capsule) => ({ capsule, key: articleKey(capsule, words) }));
  const missing = keyed.filter(({ key }) => cache?.articles.has(key) !== true);
  onRendered?.(missing.length, keyed.length);
  const count = countProgress('Rendering texts', missing.length, onProgress);
  const made = new Map<string, SizedArticle>();
  const threadCount = threads ?? (missing.length < THREADED_MIN_CAPSULES ? 0 : threadsForWork());
  const toRender = (batch: readonly KeyedCapsule[]): ArticleBatch => ({
    language,
    capsules: batch.map(({ capsule: { metadata, markdown, references } }) => ({ metadata, markdown, references }) as CapsuleText),
  });
  for await (const { task: batch, result: articles } of runOnThreads(
    renderBatch,
    import.meta.url,
    threadCount,
    inBatches(missing),
    toRender,
  )) {
    for (const [at, { key }] of batch.entries()) {
      const article = articles[at] as SizedArticle;
      if (cache === undefined) made.set(key, article);
      else cache.articles.set(key, article);
    }
    count(articles.length);
  }
  // What was set can be read from then on.
  if (missing.length > 0) cache?.articles.save();
  const load = async ({ capsule, key }: KeyedCapsule): Promise<SizedArticle> =>
    // A kept article may be damaged, or could not be written.
    made.get(key) ?? cache?.articles.get(key) ?? (await renderSized(capsule, language));
  const records: ArticleRecord[] = [];
  // Groups end where an id says so, so that an added or removed capsule changes one.
  for (const group of groupsInOrder(keyed, ({ capsule: { id } }) => endsPage(id, 1, GROUP_CAPSULES))) {
    const from = digestOf(...group.map(({ key }) => key));
    const known = cache?.sizes.get(from);
    const sizes = known ?? (await Promise.all(group.map(async (one) => (await load(one)).bytes)));
    if (known === undefined) cache?.sizes.set(from, sizes);
    for (const [at, one] of group.entries())
      records.push({ id: one.capsule.id, bytes: sizes[at] ?? 0, key: one.key, load: async () => (await load(one)).article });
  }
  return records;
}

interface KeyedCapsule {
  readonly capsule: FreeCapsule;
  readonly key: string;
}

function articleKey({ metadata, markdown, references = {} }: FreeCapsule, words: string): string {
  const { title, summary, sources, language, content_sha256, access } = metadata;
  // A text that is sold and its preview have the same metadata.
  const text = access === 'paid' ? markdown : content_sha256;
  return digestOf(words, JSON.stringify([title, summary, sources, language, text, references]));
}

function* inBatches(keyed: readonly KeyedCapsule[]): Generator<readonly KeyedCapsule[]> {
  for (let start = 0; start < keyed.length; start += BATCH_CAPSULES) yield keyed.slice(start, start + BATCH_CAPSULES);
}

/**
 * Renders texts, also on threads.
 *
 * @public
 */
export async function renderBatch({ language, capsules }: ArticleBatch): Promise<SizedArticle[]> {
  return Array.fromAsync(capsules, (capsule) => renderSized(capsule, language));
}

async function renderSized(capsule: CapsuleText, language: InterfaceLanguage): Promise<SizedArticle> {
  const { metadata, markdown = '', references } = capsule;
  const rendered = await renderArticle({ metadata, markdown, references }, textLabels(language, metadata.language));
  const shown = textOnPage(capsule);
  const article = { ...rendered, ...(shown === markdown ? {} : { markdown: shown }) };
  return { article, bytes: Buffer.byteLength(JSON.stringify(article)) };
}
