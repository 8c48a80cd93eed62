import { lengthScale, quantizeImpact, saturate } from '../bm25.ts';
import { FIELD_WEIGHTS, TITLE_SCORE_WEIGHT } from '../constants.ts';
import { SEARCH_FIELDS } from '../search-document.ts';
import { unpackFrequency } from './analyse-batch.ts';
import type { CollectedCorpus } from './corpus-collector.ts';

const FIELD_COUNT = SEARCH_FIELDS.length;
const TITLE = SEARCH_FIELDS.indexOf('title');
const WEIGHTS = SEARCH_FIELDS.map((field) => FIELD_WEIGHTS[field]);

/** Average lengths are rounded to powers of this, so that a small change of the corpus does not change all impacts. */
const AVERAGE_STEP = 2 ** (1 / 8);

/**
 * The quantized impact of every posting of a corpus: BM25F without the inverse document frequency, which scoring multiplies in.
 */
export function computeImpacts(corpus: CollectedCorpus): Uint8Array {
  const averages = SEARCH_FIELDS.map((_, field) => roundAverage(averageLength(corpus, field)));
  const impacts = new Uint8Array(corpus.terms.length);
  const scales = new Float64Array(FIELD_COUNT);
  for (let document = 0; document < corpus.documentCount; document++) {
    for (let field = 0; field < FIELD_COUNT; field++) {
      scales[field] = lengthScale(corpus.fieldLengths[document * FIELD_COUNT + field], averages[field]);
    }
    const end = corpus.documentStarts[document + 1];
    for (let posting = corpus.documentStarts[document]; posting < end; posting++) {
      impacts[posting] = quantizeImpact(impactOf(corpus.frequencies[posting], scales), corpus.documentCount);
    }
  }
  return impacts;
}

function impactOf(frequencies: number, scales: Float64Array): number {
  let weighted = 0;
  for (let field = 0; field < FIELD_COUNT; field++) {
    const occurrences = unpackFrequency(frequencies, field);
    if (occurrences > 0) weighted += occurrences * WEIGHTS[field] * scales[field];
  }
  const inTitle = unpackFrequency(frequencies, TITLE);
  return saturate(weighted) + (inTitle > 0 ? TITLE_SCORE_WEIGHT * saturate(inTitle * scales[TITLE]) : 0);
}

// Over documents with the field: otherwise a field that few documents have would always count as long.
function averageLength({ documentCount, fieldLengths }: CollectedCorpus, field: number): number {
  let sum = 0;
  let count = 0;
  for (let document = 0; document < documentCount; document++) {
    const length = fieldLengths[document * FIELD_COUNT + field];
    sum += length;
    if (length > 0) count++;
  }
  return count === 0 ? 1 : sum / count;
}

function roundAverage(average: number): number {
  return AVERAGE_STEP ** Math.round(Math.log(average) / Math.log(AVERAGE_STEP));
}

/** The postings of a corpus by term, each list ascending by document. */
export interface InvertedCorpus {
  /** Start of the list of each term, and their end. */
  readonly starts: Uint32Array;
  readonly documents: Uint32Array;
  readonly impacts: Uint8Array;
  /** Start of the followers of each posting in those of the corpus; empty in an index without pairs. */
  readonly followerStarts: Uint32Array;
  /** Number of followers of each posting. */
  readonly followerCounts: Uint8Array;
}

/** Inverts a corpus. @param impacts Of each posting of the corpus. */
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

/** Start of the postings of each term in a list grouped by term, and their end. */
export function startsByTerm(terms: Uint32Array, termCount: number): Uint32Array {
  const starts = new Uint32Array(termCount + 1);
  for (const term of terms) starts[term + 1] += 1;
  for (let term = 0; term < termCount; term++) starts[term + 1] += starts[term];
  return starts;
}
