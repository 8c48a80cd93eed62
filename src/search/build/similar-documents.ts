import { inverseDocumentFrequency } from '../bm25.ts';
import { NEIGHBOUR_TRUST_TERMS } from '../constants.ts';
import { encodeNeighbours, type Neighbour } from '../format/neighbours.ts';
import type { CollectedCorpus } from './corpus-collector.ts';
import type { InvertedCorpus } from './invert.ts';

/** Consecutive documents: `start` to `end`, without `end`. */
export interface DocumentRange {
  readonly start: number;
  readonly end: number;
}

/** What documents are compared by. Plain data, so that threads can share its arrays. */
export interface ComparedCorpus {
  readonly corpus: Pick<CollectedCorpus, 'documentCount' | 'documentStarts' | 'terms'>;
  /** Of each posting of the corpus. */
  readonly impacts: Uint8Array;
  readonly inverted: Pick<InvertedCorpus, 'starts' | 'documents' | 'impacts'>;
}

/** The documents most similar to each document of a range, `perDocument` places each, nearest first, then -1. */
export interface SimilarDocuments {
  readonly perDocument: number;
  readonly documents: Int32Array;
  /** 0 to 1: weighted share of a document's characteristic terms that the other has. */
  readonly similarities: Float32Array;
}

/** Documents below and above {@link SimilarityOptions.similarityMax}. */
export interface FoundDocuments {
  readonly similar: SimilarDocuments;
  /** Near duplicates. */
  readonly duplicates: SimilarDocuments;
}

export interface SimilarityOptions {
  /** Characteristic terms of a document to compare. */
  readonly terms: number;
  readonly perDocument: number;
  /** More similar documents are near duplicates, listed separately: they are no independent evidence. */
  readonly similarityMax: number;
}

/** Most near duplicates of one document. */
const DUPLICATES_MAX = 5;

/** Document frequency above which a term is not characteristic; bounds the work on large corpora. */
const FREQUENT_SHARE = 0.1;
const FREQUENT_MIN = 200;
const FREQUENT_MAX = 3_000;

/**
 * Compares the most characteristic terms of each document of a range, by inverse document frequency times impact, with all documents that
 * have one.
 *
 * @param searches In ascending order of their terms: a document is compared once for all of them.
 * @returns What each search found.
 */
export function findSimilarDocuments(
  compared: ComparedCorpus,
  searches: readonly SimilarityOptions[],
  { start, end }: DocumentRange,
): FoundDocuments[] {
  const { corpus, impacts, inverted } = compared;
  const { documentCount } = corpus;
  const frequent = Math.min(FREQUENT_MAX, Math.max(FREQUENT_MIN, documentCount * FREQUENT_SHARE));
  const idf = inverseDocumentFrequencies(documentCount, inverted, frequent);
  const scores = new Float64Array(documentCount);
  const touched = new Uint32Array(documentCount);
  const lists = searches.map(({ terms, perDocument, similarityMax }) => ({
    terms,
    similarityMax,
    similar: new TopList(perDocument, end - start),
    duplicates: new TopList(similarityMax < 1 ? DUPLICATES_MAX : 0, end - start),
  }));
  const most = Math.max(0, ...searches.map(({ terms }) => terms));
  for (let document = start; document < end; document++) {
    const postings = characteristicPostings(compared, idf, document, most);
    let touchedCount = 0;
    let whole = 0;
    let next = 0;
    for (const { terms, similarityMax, similar, duplicates } of lists) {
      for (; next < Math.min(terms, postings.length); next++) {
        const posting = postings[next];
        const term = corpus.terms[posting];
        const weight = idf[term];
        whole += weight * impacts[posting];
        const listEnd = inverted.starts[term + 1];
        for (let at = inverted.starts[term]; at < listEnd; at++) {
          const other = inverted.documents[at];
          if (scores[other] === 0) touched[touchedCount++] = other;
          scores[other] += weight * inverted.impacts[at];
        }
      }
      for (let at = 0; at < touchedCount; at++) {
        const other = touched[at];
        const similarity = Math.min(1, scores[other] / whole);
        if (other !== document) (similarity <= similarityMax ? similar : duplicates).offer(other, similarity);
      }
      similar.keep(document - start);
      duplicates.keep(document - start);
    }
    for (let at = 0; at < touchedCount; at++) scores[touched[at]] = 0;
  }
  return lists.map(({ similar, duplicates }) => ({ similar: similar.kept, duplicates: duplicates.kept }));
}

/**
 * Encodes the neighbours of every document: near duplicates, and mutually similar documents, which ranking uses.
 */
export function encodeMutualNeighbours(corpus: CollectedCorpus, { similar, duplicates }: FoundDocuments): Uint8Array {
  const trust = new Uint8Array(corpus.documentCount);
  const lists = Array.from({ length: corpus.documentCount }, (_, document) => {
    const mutual = listOf(similar, document, false).filter((neighbour) => hasNeighbour(similar, neighbour.document, document));
    const terms = corpus.documentStarts[document + 1] - corpus.documentStarts[document];
    if (mutual.length > 0) trust[document] = Math.round((255 * terms) / (terms + NEIGHBOUR_TRUST_TERMS));
    return [...listOf(duplicates, document, true), ...mutual];
  });
  return encodeNeighbours(lists, trust);
}

function listOf({ perDocument, documents, similarities }: SimilarDocuments, document: number, isDuplicate: boolean): Neighbour[] {
  const list: Neighbour[] = [];
  for (let place = document * perDocument; place < (document + 1) * perDocument; place++) {
    const neighbour = documents[place];
    if (neighbour >= 0) list.push({ document: neighbour, similarity: similarities[place], isDuplicate });
  }
  return list;
}

function hasNeighbour({ perDocument, documents }: SimilarDocuments, document: number, neighbour: number): boolean {
  return documents.subarray(document * perDocument, (document + 1) * perDocument).includes(neighbour);
}

/** Inverse document frequency of each term; zero for a term in one document or in more than `most`. */
export function inverseDocumentFrequencies(documentCount: number, { starts }: Pick<InvertedCorpus, 'starts'>, most: number): Float64Array {
  const frequencies = new Float64Array(starts.length - 1);
  for (let term = 0; term < frequencies.length; term++) {
    const frequency = starts[term + 1] - starts[term];
    frequencies[term] = frequency < 2 || frequency > most ? 0 : inverseDocumentFrequency(documentCount, frequency);
  }
  return frequencies;
}

function characteristicPostings({ corpus, impacts }: ComparedCorpus, idf: Float64Array, document: number, count: number): number[] {
  const postings: { posting: number; weight: number }[] = [];
  const end = corpus.documentStarts[document + 1];
  for (let posting = corpus.documentStarts[document]; posting < end; posting++) {
    const weight = idf[corpus.terms[posting]] * impacts[posting];
    if (weight > 0) postings.push({ posting, weight });
  }
  postings.sort((a, b) => b.weight - a.weight || a.posting - b.posting);
  return postings.slice(0, count).map(({ posting }) => posting);
}

/** The top few documents, by similarity and then by number, for one document after another. */
class TopList {
  readonly documents: Uint32Array;
  readonly similarities: Float64Array;
  readonly kept: SimilarDocuments;
  length = 0;

  constructor(perDocument: number, documentCount: number) {
    this.documents = new Uint32Array(perDocument);
    this.similarities = new Float64Array(perDocument);
    const places = perDocument * documentCount;
    this.kept = { perDocument, documents: new Int32Array(places).fill(-1), similarities: new Float32Array(places) };
  }

  /** Stores the list of a document and clears it. */
  keep(document: number): void {
    const { perDocument, documents, similarities } = this.kept;
    for (let place = 0; place < this.length; place++) {
      documents[document * perDocument + place] = this.documents[place];
      similarities[document * perDocument + place] = this.similarities[place];
    }
    this.length = 0;
  }

  offer(document: number, similarity: number): void {
    if (this.documents.length === 0) return;
    if (this.length === this.documents.length && !this.#precedes(document, similarity, this.length - 1)) return;
    let place = this.length < this.documents.length ? this.length++ : this.length - 1;
    for (; place > 0 && this.#precedes(document, similarity, place - 1); place--) {
      this.documents[place] = this.documents[place - 1];
      this.similarities[place] = this.similarities[place - 1];
    }
    this.documents[place] = document;
    this.similarities[place] = similarity;
  }

  #precedes(document: number, similarity: number, place: number): boolean {
    const other = this.similarities[place];
    return similarity > other || (similarity === other && document < this.documents[place]);
  }
}
