import type { Kernel } from '../kernel/kernel.ts';
import { analyseQuery } from './analyse-query.ts';
import { IndexReader } from './index-reader.ts';
import { sampleIndex } from './sample-index.ts';
import { search } from './search.ts';

/** A question with what questions have: stop words, a name of parts, letters beyond ASCII, a word that the index lacks. */
const QUESTION = 'How long may a cachedAnswer of the café be reused without asking hte server?';

/** Words of the index, one of which the misspelt word meant. */
const WORDS = ['answer', 'long', 'server', 'the'];

/** So many that the loops over them are compiled as if they had run for long. */
const DOCUMENTS = 4096;
const ROUNDS = 10;

/** Room for the longest records and for pairs, which longer lists have none of. */
const RECORD_BYTES_PER_DOCUMENT = 4;
const RECORD_BYTES_MAX = 512 * 1024;
const CANDIDATES_MAX = 2 ** 17;

/**
 * Gives a kernel the memory that the queries of an index will need, and answers a question from an index of its own until all
 * that a query runs through is compiled: without it the first queries of an isolate take several times as long. It changes no
 * answer and reads nothing.
 *
 * @param documents Of the index that will be asked.
 */
export async function warmUp(kernel: Kernel, documents: number): Promise<void> {
  const recordBytes = Math.min(RECORD_BYTES_MAX, documents * RECORD_BYTES_PER_DOCUMENT);
  kernel.begin({ documents, recordBytes, candidates: Math.min(CANDIDATES_MAX, documents) });
  const terms = analyseQuery(QUESTION, ['en']).flatMap((tokens) => tokens.map(({ term }) => term));
  const { head, open } = sampleIndex(
    terms.filter((term) => term !== 'hte'),
    WORDS,
    DOCUMENTS,
  );
  const reader = new IndexReader(head, open, kernel);
  for (let round = 0; round < ROUNDS; round++) await search(reader, QUESTION, { limit: 10 });
}
