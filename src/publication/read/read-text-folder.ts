import { setImmediate } from 'node:timers/promises';
import type { Editorial } from '../../schemas/editorial-rules.ts';
import type { TextDescription } from '../../text/markdown/title-and-summary.ts';
import { type BuildCache, digestOf, fromMemory, type MemoryCache } from '../build-cache.ts';
import { type ContentProblem, fieldProblem } from '../content-problem.ts';
import { countProgress, type OnProgress, runOnThreads, threadsForWork } from '../worker-threads.ts';
import { listContentFiles, readTextSync, type Substitutes } from './content-files.ts';
import { type FrontMatterFinding, fieldLines, type ParsedFile } from './front-matter.ts';
import {
  fieldsOf,
  indexedTextCache,
  indexedTextKey,
  type RawText,
  type ReadingRules,
  type ReadText,
  readTextFile,
  type TextKind,
  type TextReading,
} from './read-text-file.ts';

export interface TextFile<T> {
  readonly id: string;
  readonly path: string;
  readonly file: ParsedFile<T>;
  readonly reading: TextReading;
  readonly written: ReadonlySet<string> | undefined;
}

/** A file whose front matter has mistakes: its text is checked nevertheless. */
export interface InvalidFile extends TextFile<unknown> {
  readonly problems: readonly ContentProblem[];
}

export interface TextFolder<T> {
  readonly texts: readonly TextFile<T>[];
  readonly invalid: readonly InvalidFile[];
  /** Ids of files that could not be parsed: references to them are not mistakes. */
  readonly unread: readonly string[];
  readonly problems: readonly ContentProblem[];
}

interface FolderForm<W, T> extends ReadingSources {
  readonly kind: Exclude<TextKind, 'frozen'>;
  readonly skip?: readonly string[];
  readonly editorial: Editorial;
  readonly complete: (
    written: W,
    path: string,
    id: string,
    text: () => TextDescription,
  ) => Promise<{ readonly data: T | undefined; readonly findings: readonly FrontMatterFinding[] }>;
  /** Everything except its file that the front matter of a text depends on. */
  readonly settings: string;
}

export async function readTexts<W, T>(root: string, folder: string, form: FolderForm<W, T>): Promise<TextFolder<T>> {
  const { kind, skip, editorial, settings, memory } = form;
  const found = await listContentFiles(root, folder, skip);
  const paths = found.files.map(({ path }) => path);
  const read = await readTextFiles(root, paths, { kind, editorial }, form);
  const problems = [...found.problems];
  const texts: TextFile<T>[] = [];
  const invalid: InvalidFile[] = [];
  const unread: string[] = [];
  for (const { path, id } of found.files) {
    const refused = read.refused.get(path);
    if (refused !== undefined) {
      problems.push(...refused);
      unread.push(id);
    }
    const text = read.texts.get(path);
    if (text === undefined) continue;
    const { raw, reading } = text;
    const one = await fromMemory(memory, 'text', path, [id, reading, settings], () => completeText(path, id, raw, reading, form));
    problems.push(...reading.problems, ...one.problems);
    if (one.text !== undefined) texts.push(one.text);
    else unread.push(id);
    if (one.invalid !== undefined) invalid.push(one.invalid);
  }
  return { texts, invalid, unread, problems };
}

async function completeText<W, T>(path: string, id: string, raw: string, reading: TextReading, { editorial, complete }: FolderForm<W, T>) {
  const { frontMatter, bodyLine, description } = reading;
  if (frontMatter === undefined) return { problems: [] };
  const file: ParsedFile<unknown> = { data: frontMatter.data, body: bodyOf(reading, raw), bodyLine, lineOf: fieldLines(path, raw) };
  const unfinished = { id, path, file, reading, written: fieldsOf(frontMatter.data) };
  if (!frontMatter.isValid) return { problems: [], invalid: { ...unfinished, problems: reading.problems } };
  // Valid by the schema of `kind`, whose type is W.
  const { data, findings } = await complete(frontMatter.data as W, path, id, () => description);
  const problems = findings.map((finding) => located(path, file, finding, editorial));
  if (data !== undefined && problems.every(({ level }) => level === 'warning'))
    return { problems, text: { ...unfinished, file: { ...file, data } } };
  return { problems, invalid: { ...unfinished, problems } };
}

function located(
  file: string,
  { lineOf }: ParsedFile<unknown>,
  { consequence, ...finding }: FrontMatterFinding,
  { unknown_fields, complete_front_matter }: Editorial,
): ContentProblem {
  const isStrict = (finding.path[0] === 'title' ? complete_front_matter : unknown_fields) === 'error';
  if (finding.level !== 'warning' || isStrict) return fieldProblem(file, lineOf, { ...finding, level: 'error' });
  const message = consequence === undefined ? finding.message : `${finding.message}; ${consequence}`;
  return fieldProblem(file, lineOf, { ...finding, message });
}

export interface ReadingSources {
  readonly memory?: MemoryCache | undefined;
  readonly cache?: BuildCache | undefined;
  /** Texts in place of those of files; a file without one is left out. */
  readonly substitutes?: Substitutes | undefined;
  /** Further threads that read texts; by default those of {@link threadsForWork} for many texts, else 0. */
  readonly threads?: number | undefined;
  readonly onProgress?: OnProgress | undefined;
}

interface TextFileReading extends RawText {
  readonly reading: TextReading;
}

/** Texts of one message to a thread: enough that messages cost little. */
const BATCH_TEXTS = 50;

/** Fewer texts are read before a thread has loaded what it needs. */
const THREADED_MIN_TEXTS = 400;

/** Files after which this thread lets others act, such as a listener of signals. */
const FILES_AT_ONCE = 256;

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
  { memory, cache, substitutes, threads, onProgress }: ReadingSources,
) {
  const rulesDigest = digestOf(JSON.stringify(rules));
  const cached = cache?.results<TextReading>(`texts-of-${rules.kind}s`);
  const indexed = cache && indexedTextCache(cache);
  const texts = new Map<string, TextFileReading>();
  const refused = new Map<string, readonly ContentProblem[]>();
  if (paths.length === 0) return { texts, refused };
  const count = countProgress(STEPS[rules.kind], paths.length, onProgress);
  const add = ({ path, raw }: RawText, reading: TextReading): void => {
    texts.set(path, { path, raw, reading });
    count();
    memory?.set('reading', path, [raw, rulesDigest], reading);
  };

  const changed: RawText[] = [];
  for (const [at, path] of paths.entries()) {
    if (at % FILES_AT_ONCE === FILES_AT_ONCE - 1) await setImmediate();
    const { raw, problems } = substitutes?.has(path)
      ? { raw: substitutes.get(path), problems: [] }
      : fromMemory(memory, 'file', path, [], () => readTextSync(root, path));
    if (raw === undefined) {
      if (problems.length > 0) refused.set(path, problems);
      continue;
    }
    const known = memory?.get<TextReading>('reading', path, [raw, rulesDigest]) ?? cached?.get(digestOf(rulesDigest, path, raw));
    if (known === undefined) changed.push({ path, raw });
    else add({ path, raw }, known);
  }
  const threadCount = changed.length === 0 ? 0 : (threads ?? (changed.length < THREADED_MIN_TEXTS ? 0 : threadsForWork()));
  const batches = Array.from({ length: Math.ceil(changed.length / BATCH_TEXTS) }, (_, at) =>
    changed.slice(at * BATCH_TEXTS, (at + 1) * BATCH_TEXTS),
  );
  for await (const { task, result } of runOnThreads(readBatch, import.meta.url, threadCount, batches, (texts) => ({ rules, texts })))
    for (const [at, { reading, indexed: index }] of result.entries()) {
      const { path = '', raw = '' } = task[at] ?? {};
      add({ path, raw }, reading);
      cached?.set(digestOf(rulesDigest, path, raw), reading);
      if (index !== undefined) indexed?.set(indexedTextKey(bodyOf(reading, raw), index.sourceKeys), index.text);
    }
  return { texts, refused };
}

/**
 * Reads files by the same rules, also on threads.
 *
 * @public
 */
export function readBatch({ rules, texts }: { readonly rules: ReadingRules; readonly texts: readonly RawText[] }): ReadText[] {
  return texts.map((text) => readTextFile(text, rules));
}

export function bodyOf({ body }: TextReading, raw: string): string {
  return typeof body === 'string' ? body : raw.slice(body.start, body.end);
}
