import { extname } from 'node:path';
import { textOnPage } from '../../documents/capsule-markdown.ts';
import type { FreeCapsule } from '../../publication/capsules/paid-capsules.ts';
import { countProgress, type OnProgress } from '../../publication/progress.ts';
import type { InterfaceLanguage } from '../../publication/strings/interface-strings.ts';
import type { Article } from '../../schemas/knowledge/generation.ts';
import { renderArticle } from '../../site/markdown/render-article.ts';
import { textLabels } from '../../site/markdown/text-labels.ts';
import type { PagedRecord } from '../content/paginate.ts';
import { threadsForWork, WorkerThreads } from './worker-threads.ts';

/** A capsule to render, as far as a thread needs it. */
type CapsuleText = Pick<FreeCapsule, 'metadata' | 'markdown' | 'references'>;

/** Some capsules to render, and the language of the interface around them. */
export interface ArticleBatch {
  readonly language: InterfaceLanguage;
  readonly capsules: readonly CapsuleText[];
}

/** Capsules of one batch: enough that messages between threads cost little. */
const BATCH_CAPSULES = 50;

/** Fewer capsules are rendered before a thread has loaded what it needs. */
const THREADED_MIN_CAPSULES = 200;

/**
 * The rendered texts of all free capsules, as records under their ids.
 *
 * @param threads Threads that render; 0 for this one. By default those of {@link threadsForWork} for many capsules, else 0.
 */
export async function renderArticles(
  capsules: readonly FreeCapsule[],
  language: InterfaceLanguage,
  threads = capsules.length < THREADED_MIN_CAPSULES ? 0 : threadsForWork(),
  onProgress?: OnProgress,
): Promise<PagedRecord[]> {
  const free = capsules.filter(({ markdown }) => markdown !== undefined);
  const records: PagedRecord[] = [];
  const count = countProgress('Rendering texts', free.length, onProgress);
  const collect = (batch: ArticleBatch, articles: readonly Article[]): void => {
    batch.capsules.forEach(({ metadata }, at) => void records.push({ id: metadata.capsule_id, value: articles[at] }));
    count(articles.length);
  };
  const batches = inBatches(free, language);
  if (threads === 0) for (const batch of batches) collect(batch, await renderBatch(batch));
  else {
    const program = new URL(`./article-worker${extname(import.meta.filename)}`, import.meta.url);
    for await (const { task, result } of new WorkerThreads<ArticleBatch, Article[]>(program, threads).inOrder(batches))
      collect(task, result);
  }
  return records;
}

/** The articles of a batch, in its order. */
export async function renderBatch({ language, capsules }: ArticleBatch): Promise<Article[]> {
  const articles: Article[] = [];
  for (const capsule of capsules) articles.push(await articleOf(capsule, language));
  return articles;
}

async function articleOf(capsule: CapsuleText, language: InterfaceLanguage): Promise<Article> {
  const { metadata, markdown = '', references } = capsule;
  const rendered = await renderArticle({ metadata, markdown, references }, textLabels(language, metadata.language));
  const shown = textOnPage(capsule);
  return { ...rendered, ...(shown === markdown ? {} : { markdown: shown }) };
}

function* inBatches(capsules: readonly FreeCapsule[], language: InterfaceLanguage): Generator<ArticleBatch> {
  for (let start = 0; start < capsules.length; start += BATCH_CAPSULES) {
    const batch = capsules.slice(start, start + BATCH_CAPSULES);
    yield { language, capsules: batch.map(({ metadata, markdown, references }) => ({ metadata, markdown, references }) as CapsuleText) };
  }
}
