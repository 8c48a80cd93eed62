import { basename, resolve } from 'node:path';
import * as z from 'zod';
import { indexCapsules } from '../../src/build/corpus-blocks/index-capsules.ts';
import type { EncodedIndex } from '../../src/search/build/build-index.ts';
import { buildSearchIndex } from '../support/build-search-index.ts';
import { realCapsules } from '../unit/gateway/real-generation.ts';
import { type EvalDocument, type EvalQuery, evalDocument, evalQuery, fileOf, readDistinct, readRecords } from './collection.ts';

const evalAnswer = z.object({ query: z.string().min(1), document: z.string().min(1), answers: z.array(z.string().min(1)).min(1) });

/** A question, the document that answers it, and strings of which one must stand in the quote. */
export interface AnsweredQuestion extends EvalQuery {
  readonly document: string;
  readonly answers: readonly string[];
}

export interface AnswerCollection {
  readonly name: string;
  readonly index: EncodedIndex;
  readonly documents: readonly Pick<EvalDocument, 'id' | 'language' | 'title' | 'text'>[];
  readonly questions: readonly AnsweredQuestion[];
}

/**
 * Reads a directory with `docs.jsonl`, `queries.jsonl` and `answers.jsonl` (`query`, `document`, `answers`), each plain or `.gz`. Questions
 * without answers are left out.
 *
 * @throws {Error} With file and line, as `readCollection`; also for an answer of an unknown question or document.
 */
export async function readAnswerCollection(directory: string): Promise<AnswerCollection> {
  const documents = await readRecords(await fileOf(directory, 'docs.jsonl'), evalDocument);
  documents.sort((a, b) => (a.id < b.id ? -1 : 1));
  const questions = await readQuestions(directory, documents);
  const index = await buildSearchIndex(documents.map(({ text, ...document }) => ({ ...document, body: text })));
  return { name: basename(resolve(directory)), index, documents, questions };
}

/**
 * Reads a directory with `queries.jsonl` and `answers.jsonl` about the sample publication; a document is the id of a capsule.
 *
 * @throws {Error} As {@link readAnswerCollection}.
 */
export async function readSampleQuestions(directory: string): Promise<AnswerCollection> {
  const capsules = await realCapsules();
  const documents = capsules.map(({ id, metadata, markdown }) => {
    const { access, language, title, summary } = metadata;
    return { id, language, title, text: access === 'public' ? markdown : summary };
  });
  const questions = await readQuestions(directory, documents);
  return { name: basename(resolve(directory)), index: await indexCapsules(capsules), documents, questions };
}

async function readQuestions(directory: string, documents: readonly { readonly id: string }[]): Promise<AnsweredQuestion[]> {
  const queries = new Map((await readRecords(await fileOf(directory, 'queries.jsonl'), evalQuery)).map((query) => [query.id, query]));
  const ids = new Set(documents.map(({ id }) => id));
  const path = await fileOf(directory, 'answers.jsonl');
  const answered = await readDistinct(path, evalAnswer, 'query', ({ query }) => query);
  return answered.map(({ query: id, document, answers }) => {
    const query = queries.get(id);
    if (query === undefined) throw new Error(`${path} answers the query ${JSON.stringify(id)}, which queries.jsonl lacks`);
    if (!ids.has(document)) throw new Error(`${path} names the document ${JSON.stringify(document)}, which the collection lacks`);
    return { ...query, document, answers };
  });
}
