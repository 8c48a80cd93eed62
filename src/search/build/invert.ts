import type { CollectedCorpus } from './corpus-collector.ts';

/** The postings of a corpus, term after term, each list ascending by document. */
export interface InvertedCorpus {
  /** Where the list of each term begins; one entry more than there are terms. */
  readonly starts: Uint32Array;
  readonly documents: Uint32Array;
  readonly impacts: Uint8Array;
  /** Where the followers of each posting begin in those of the corpus; empty when the index holds no pairs. */
  readonly followerStarts: Uint32Array;
  /** How many followers each posting has. */
  readonly followerCounts: Uint8Array;
}

/**
 * Turns documents with terms into terms with documents.
 *
 * @param impacts Of each posting of the corpus, in its order.
 */
export function invert(corpus: CollectedCorpus, impacts: Uint8Array): InvertedCorpus {
  const starts = startsByTerm(corpus.terms, corpus.vocabulary.length);
  const next = starts.slice();
  const documents = new Uint32Array(corpus.terms.length);
  const inverted = new Uint8Array(corpus.terms.length);
  const followerStarts = new Uint32Array(corpus.followerCounts.length);
  const followerCounts = new Uint8Array(corpus.followerCounts.length);
  let follower = 0;
  for (let document = 0; document < corpus.documentCount; document++) {
    const end = corpus.documentStarts[document + 1];
    for (let posting = corpus.documentStarts[document]; posting < end; posting++) {
      const at = next[corpus.terms[posting]]++;
      documents[at] = document;
      inverted[at] = impacts[posting];
      if (followerCounts.length === 0) continue;
      followerStarts[at] = follower;
      followerCounts[at] = corpus.followerCounts[posting];
      follower += corpus.followerCounts[posting];
    }
  }
  return { starts, documents, impacts: inverted, followerStarts, followerCounts };
}

/** Where the postings of each term begin when they are grouped by term; one entry more than there are terms. */
export function startsByTerm(terms: Uint32Array, termCount: number): Uint32Array {
  const starts = new Uint32Array(termCount + 1);
  for (const term of terms) starts[term + 1] += 1;
  for (let term = 0; term < termCount; term++) starts[term + 1] += starts[term];
  return starts;
}
