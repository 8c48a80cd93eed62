import * as z from 'zod';
import { CAPSULE_COLUMNS } from '../../src/gateway/knowledge/capsule-filters.ts';
import type { ColumnSpec } from '../../src/search/format/columns.ts';
import type { SearchDocument } from '../../src/search/search-document.ts';
import { readLines } from '../eval/read-lines.ts';
import { syntheticDocuments } from './synthetic-corpus.ts';

/** Seed of all synthetic corpora of benchmarks, so that runs index the same documents. */
export const BENCH_SEED = 1;

export interface BenchCorpus {
  readonly documents: AsyncIterable<SearchDocument> | Iterable<SearchDocument>;
  readonly columns: readonly ColumnSpec[];
}

const fileDocument = z.object({ id: z.string(), title: z.string(), head: z.string().default(''), text: z.string() });
const HEADING_SEPARATOR = ' | ';

/**
 * A number of synthetic documents, or the documents of a file with one JSON object a line (`id`, `title`, `head`, `text`), plain or `.gz`.
 */
export function benchCorpus(name: string): BenchCorpus {
  if (/^\d+$/.test(name)) return { documents: syntheticDocuments(Number(name), BENCH_SEED), columns: CAPSULE_COLUMNS };
  return { documents: documentsOfFile(name), columns: [] };
}

async function* documentsOfFile(path: string): AsyncGenerator<SearchDocument> {
  for await (const { text: line } of readLines(path)) {
    const { id, title, head, text } = fileDocument.parse(JSON.parse(line));
    const headings = head === '' ? [] : head.split(HEADING_SEPARATOR);
    yield { id, language: 'en', title, headings, tags: [], summary: '', body: text };
  }
}
