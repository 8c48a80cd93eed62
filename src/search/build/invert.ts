import type { CollectedCorpus } from './corpus-collector.ts';

/** The postings of a corpus, term after term, each list ascending by document. */
export interface InvertedCorpus {
  /** Where the list of each term begins; one entry more than there are terms. */
  readonly starts: Uint32Array;
  readonly documents: Uint32Array;
  readonly levels: Uint8Array;
  /** Where the followers of each posting begin in those of the corpus; empty when pairs are not kept. */
  readonly followerStarts: Uint32Array;
  /** How many they are. */
  readonly followerCounts: Uint8Array;
}

/** Turns documents with terms into terms with documents. */
export function invert(corpus: CollectedCorpus, levels: Uint8Array): InvertedCorpus {
  const termCount = corpus.vocabulary.length;
  const starts = new Uint32Array(termCount + 1);
  for (const term of corpus.terms) starts[term + 1] += 1;
  for (let term = 0; term < termCount; term++) starts[term + 1] += starts[term];
  const next = starts.slice(0, termCount);
  const documents = new Uint32Array(corpus.terms.length);
  const inverted = new Uint8Array(corpus.terms.length);
  const keepsFollowers = corpus.followerCounts.length > 0;
  const followerStarts = new Uint32Array(keepsFollowers ? corpus.terms.length : 0);
  const followerCounts = new Uint8Array(followerStarts.length);
  let follower = 0;
  for (let document = 0; document < corpus.documentCount; document++) {
    const end = corpus.documentStarts[document + 1];
    for (let posting = corpus.documentStarts[document]; posting < end; posting++) {
      const term = corpus.terms[posting];
      const at = next[term];
      next[term] = at + 1;
      documents[at] = document;
      inverted[at] = levels[posting];
      if (!keepsFollowers) continue;
      followerStarts[at] = follower;
      followerCounts[at] = corpus.followerCounts[posting];
      follower += corpus.followerCounts[posting];
    }
  }
  return { starts, documents, levels: inverted, followerStarts, followerCounts };
}
