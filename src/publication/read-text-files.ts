import { extname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { type BuildCache, digestOf, fromMemory, type MemoryCache } from './build-cache.ts';
import { type ReadFile, readTextSync, type Substitutes } from './content-files.ts';
import type { ContentProblem } from './content-problem.ts';
import { indexedTextKey, keptIndexedTexts } from './markdown/indexed-text.ts';
import { countProgress, type OnProgress } from './progress.ts';
import { type RawText, type ReadingRules, type ReadText, readTextFile, type TextKind, type TextReading } from './text-reading.ts';
import type { TextBatch } from './text-worker.ts';
import { threadsForWork, WorkerThreads } from './worker-threads.ts';

/** What is known of texts before they are read. */
export interface ReadingSources {
  /** Results of earlier readings of the same publication by this process. */
  readonly memo?: MemoryCache | undefined;
  /** Results of earlier processes. */
  readonly kept?: BuildCache | undefined;
  /** Texts in place of those of files; a file without one is left out. */
  readonly substitutes?: Substitutes | undefined;
  /** Threads that read texts, 0 for none besides this one; by default those of {@link threadsForWork} for many texts, else 0. */
  readonly threads?: number | undefined;
  /** Told how far the reading is. */
  readonly onProgress?: OnProgress | undefined;
}

/** A text with what it says by itself. */
interface TextFileReading extends RawText {
  readonly reading: TextReading;
}

/** What was read of files, by path; files of `substitutes` without a text are missing. */
interface FileReadings {
  readonly texts: ReadonlyMap<string, TextFileReading>;
  /** Why files are no texts, by path. */
  readonly refused: ReadonlyMap<string, readonly ContentProblem[]>;
}

/** Texts of one message to a thread: enough that messages cost little. */
const BATCH_TEXTS = 50;

/** Fewer texts are read before a thread has loaded what it needs. */
const THREADED_MIN_TEXTS = 400;

/** Files after which this thread lets others act, such as a listener of signals. */
const FILES_AT_ONCE = 256;

/** Steps of the progress. */
const STEPS = {
  capsule: 'Reading capsules',
  offer: 'Reading offers',
  page: 'Reading pages',
  frozen: 'Reading earlier versions',
} as const satisfies Readonly<Record<TextKind, string>>;

/** Reads files, each by itself. What is known of a file with the same bytes and the same rules is not read again. */
export async function readTextFiles(
  root: string,
  paths: readonly string[],
  rules: ReadingRules,
  { memo, kept, substitutes, threads, onProgress }: ReadingSources,
): Promise<FileReadings> {
  const rulesDigest = digestOf(JSON.stringify(rules));
  const cached = kept?.results<TextReading>(`texts-of-${rules.kind}s`);
  const indexed = kept && keptIndexedTexts(kept);
  const texts = new Map<string, TextFileReading>();
  const refused = new Map<string, readonly ContentProblem[]>();
  if (paths.length === 0) return { texts, refused };
  const count = countProgress(STEPS[rules.kind], paths.length, onProgress);
  const add = ({ path, raw }: RawText, reading: TextReading): void => {
    texts.set(path, { path, raw, reading });
    count();
    memo?.set('reading', path, [raw, rulesDigest], reading);
  };
  const readRaw = (path: string): ReadFile =>
    substitutes?.has(path)
      ? { raw: substitutes.get(path), problems: [] }
      : fromMemory(memo, 'file', path, [], () => readTextSync(root, path));

  async function* changedTexts(): AsyncGenerator<RawText> {
    for (const [at, path] of paths.entries()) {
      if (at % FILES_AT_ONCE === FILES_AT_ONCE - 1) await setImmediate();
      const { raw, problems } = readRaw(path);
      if (raw === undefined) {
        if (problems.length > 0) refused.set(path, problems);
        continue;
      }
      const known = memo?.get<TextReading>('reading', path, [raw, rulesDigest]) ?? cached?.get(digestOf(rulesDigest, path, raw));
      if (known === undefined) yield { path, raw };
      else add({ path, raw }, known);
    }
  }

  const addRead = (text: RawText, { reading, indexed: index }: ReadText): void => {
    add(text, reading);
    cached?.set(digestOf(rulesDigest, text.path, text.raw), reading);
    if (index !== undefined) indexed?.set(indexedTextKey(bodyOf(reading, text.raw), index.sourceKeys), index.text);
  };
  for await (const { text, read } of readEach(changedTexts(), rules, threads)) addRead(text, read);
  return { texts, refused };
}

/** The text below the front matter of a file. */
export function bodyOf({ body }: TextReading, raw: string): string {
  return typeof body === 'string' ? body : raw.slice(body.start, body.end);
}

/** What is read of each text: on threads if there are many. */
async function* readEach(
  texts: AsyncGenerator<RawText>,
  rules: ReadingRules,
  threads: number | undefined,
): AsyncGenerator<{ readonly text: RawText; readonly read: ReadText }> {
  const first: RawText[] = [];
  const fewest = threads === undefined ? THREADED_MIN_TEXTS : threads === 0 ? Number.POSITIVE_INFINITY : 1;
  while (threads !== 0 && first.length < fewest) {
    const next = await texts.next();
    if (next.done) break;
    first.push(next.value);
  }
  if (first.length < fewest) {
    for (const text of first) yield { text, read: readTextFile(text, rules) };
    for await (const text of texts) yield { text, read: readTextFile(text, rules) };
    return;
  }
  const program = new URL(`./text-worker${extname(import.meta.filename)}`, import.meta.url);
  for await (const { task, result } of new WorkerThreads<TextBatch, ReadText[]>(program, threads ?? threadsForWork()).inOrder(
    inBatches(first, texts, rules),
  ))
    for (const [at, read] of result.entries()) {
      const text = task.texts[at];
      if (text !== undefined) yield { text, read };
    }
}

async function* inBatches(first: readonly RawText[], rest: AsyncGenerator<RawText>, rules: ReadingRules): AsyncGenerator<TextBatch> {
  let texts: RawText[] = [];
  const inOrder = async function* (): AsyncGenerator<RawText> {
    yield* first;
    yield* rest;
  };
  for await (const text of inOrder()) {
    texts.push(text);
    if (texts.length < BATCH_TEXTS) continue;
    yield { rules, texts };
    texts = [];
  }
  if (texts.length > 0) yield { rules, texts };
}
