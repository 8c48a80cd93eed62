import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import * as z from 'zod';
import type { SearchDocument } from '../../src/search/search-document.ts';
import { isJudged, type Judgements } from './metrics.ts';
import { type Line, readLines } from './read-lines.ts';

export const evalDocument = z.object({
  id: z.string().min(1),
  title: z.string().default(''),
  text: z.string(),
  headings: z.array(z.string()).default([]),
  tags: z.array(z.string()).default([]),
  summary: z.string().default(''),
  questions: z.array(z.string()).optional(),
  language: z.string().default('en'),
});

export const evalQuery = z.object({ id: z.string().min(1), text: z.string() });

/** A document of a collection; absent members are empty, and the language is English. */
export type EvalDocument = Readonly<z.infer<typeof evalDocument>>;

export type EvalQuery = Readonly<z.infer<typeof evalQuery>>;

export interface Collection {
  readonly name: string;
  readonly documents: readonly EvalDocument[];
  readonly queries: readonly EvalQuery[];
  /** By query id; at least one query has a relevant document. Judged documents outside the collection count in the ideal, as in trec_eval. */
  readonly judgements: ReadonlyMap<string, Judgements>;
}

/**
 * Reads a directory with `docs.jsonl` (`id`, `text`, optionally `title`, `headings`, `tags`, `summary`, `questions`, `language`), `queries.jsonl` (`id`,
 * `text`) and `qrels.tsv` (a header line, then tab-separated query-id, corpus-id and score), each plain or `.gz`. Other members, empty lines
 * and judgements of unknown queries are ignored.
 *
 * @throws {Error} With file and line: a missing file, a malformed line, a duplicate id, a second score of a pair, or no relevant document.
 */
export async function readCollection(directory: string): Promise<Collection> {
  const documents = await readRecords(fileOf(directory, 'docs.jsonl'), evalDocument);
  const queries = await readRecords(fileOf(directory, 'queries.jsonl'), evalQuery);
  const judgements = await readJudgements(fileOf(directory, 'qrels.tsv'), new Set(queries.map(({ id }) => id)));
  return { name: basename(resolve(directory)), documents, queries, judgements };
}

const page = z.object({ id: z.string(), title: z.string(), head: z.string().default(''), text: z.string() });

/** Pages of a site, in English, from a file with one JSON object a line: `id`, `title`, `head` (headings joined by ` | `), `text`. */
export async function* pagesOfFile(path: string): AsyncGenerator<SearchDocument> {
  for await (const line of readLines(path)) {
    const { id, title, head, text } = page.parse(parseJson(path, line));
    yield { id, language: 'en', title, headings: head === '' ? [] : head.split(' | '), tags: [], summary: '', body: text };
  }
}

/**
 * The path of a file of a collection, plain or `.gz`.
 *
 * @throws {Error} If there is neither.
 */
export function fileOf(directory: string, name: string): string {
  const path = join(directory, name);
  if (existsSync(path)) return path;
  if (existsSync(`${path}.gz`)) return `${path}.gz`;
  throw new Error(`${path}: no such file, nor one ending in .gz`);
}

/**
 * The records of a file of JSON lines, each with an id of its own.
 *
 * @throws {Error} With file and line: a malformed line, a duplicate id.
 */
export function readRecords<T extends { readonly id: string }>(path: string, schema: z.ZodType<T>): Promise<T[]> {
  return readDistinct(path, schema, 'id', ({ id }) => id);
}

/**
 * The records of a file of JSON lines, no two with the same key.
 *
 * @param name What messages call the key.
 * @throws {Error} With file and line: a malformed line, a duplicate key.
 */
export async function readDistinct<T>(path: string, schema: z.ZodType<T>, name: string, keyOf: (record: T) => string): Promise<T[]> {
  const records: T[] = [];
  const lines = new Map<string, number>();
  for await (const line of readLines(path)) {
    const parsed = schema.safeParse(parseJson(path, line));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      throw new Error(`${path}:${line.number} ${issue === undefined ? '' : `${issue.path.join('.') || 'line'}: ${issue.message}`}`);
    }
    const key = keyOf(parsed.data);
    const earlier = lines.get(key);
    if (earlier !== undefined) throw new Error(`${path}:${line.number} has the ${name} ${JSON.stringify(key)} of line ${earlier}`);
    lines.set(key, line.number);
    records.push(parsed.data);
  }
  return records;
}

function parseJson(path: string, { text, number }: Line): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`${path}:${number} is not JSON`);
  }
}

async function readJudgements(path: string, queryIds: ReadonlySet<string>): Promise<Map<string, Map<string, number>>> {
  const judgements = new Map<string, Map<string, number>>();
  let isHeader = true;
  for await (const { text, number } of readLines(path)) {
    const [queryId = '', documentId = '', score = '', ...more] = text.split('\t');
    if (isHeader) {
      isHeader = false;
      if (!/^-?\d+$/.test(score)) continue;
      throw new Error(`${path}:${number} is not a line of column names (query-id, corpus-id, score)`);
    }
    if (queryId === '' || documentId === '' || more.length > 0 || !/^-?\d+$/.test(score)) {
      throw new Error(`${path}:${number} is not query-id, corpus-id and a whole number with tabs between`);
    }
    if (!queryIds.has(queryId)) continue;
    const ofQuery = judgements.get(queryId) ?? new Map<string, number>();
    if ((ofQuery.get(documentId) ?? Number(score)) !== Number(score)) {
      throw new Error(`${path}:${number} gives the pair ${queryId}, ${documentId} a second score`);
    }
    ofQuery.set(documentId, Number(score));
    judgements.set(queryId, ofQuery);
  }
  if (![...judgements.values()].some(isJudged)) throw new Error(`${path}: no query of queries.jsonl has a relevant document`);
  return judgements;
}
