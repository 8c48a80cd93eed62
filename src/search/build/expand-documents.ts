import { IMPACT_MAX, inverseDocumentFrequency, QUANTIZED_IMPACT_MAX, quantizeImpact } from '../bm25.ts';
import { concatenated } from '../format/index-block.ts';
import type { PostingList } from '../format/postings.ts';
import { encodeNeighbours, type Neighbour } from '../format/similar-documents.ts';
import {
  BM25_K1,
  EXPANSION_COMPARED_TERMS,
  EXPANSION_NEIGHBOURS,
  EXPANSION_SIMILARITY_POWER,
  EXPANSION_TERMS,
  EXPANSION_WEIGHT,
  NEIGHBOUR_COMPARED_TERMS,
  NEIGHBOUR_SIMILARITY_MAX,
  NEIGHBOUR_TRUST_TERMS,
  NEIGHBOURS_MAX,
} from '../ranking-parameters.ts';
import { type CollectedCorpus, type InvertedCorpus, startsByTerm } from './collect-index-terms.ts';

const NONE_SIMILAR: SimilarDocuments = { perDocument: 0, documents: new Int32Array(), similarities: new Float32Array() };

/** A corpus to refine: what takes most of the time of an index, and can be done for several ranges of documents at once. */
export interface RefinementTask extends ComparedCorpus {
  readonly expansion: boolean;
  /** Whether neighbours are found that scores are rescored with. */
  readonly neighbours: boolean;
}

export interface RefinedDocuments {
  readonly expanded: ExpandedDocuments | undefined;
  readonly neighbours: FoundDocuments | undefined;
}

export function refineDocuments(task: RefinementTask, range: DocumentRange): RefinedDocuments {
  const ofExpansion = { terms: EXPANSION_COMPARED_TERMS, perDocument: EXPANSION_NEIGHBOURS, similarityMax: 1 };
  const ofNeighbours = { terms: NEIGHBOUR_COMPARED_TERMS, perDocument: NEIGHBOURS_MAX, similarityMax: NEIGHBOUR_SIMILARITY_MAX };
  const searches = [...(task.expansion ? [ofExpansion] : []), ...(task.neighbours ? [ofNeighbours] : [])];
  const found = findSimilarDocuments(task, searches, range);
  const similar = task.expansion ? found[0].similar : NONE_SIMILAR;
  return {
    expanded: task.expansion || task.corpus.stated.terms.length > 0 ? expandDocuments(task, similar, range) : undefined,
    neighbours: task.neighbours ? found.at(-1) : undefined,
  };
}

export function joinFound(parts: readonly FoundDocuments[]): FoundDocuments {
  return { similar: joined(parts.map(({ similar }) => similar)), duplicates: joined(parts.map(({ duplicates }) => duplicates)) };
}

function joined(parts: readonly SimilarDocuments[]): SimilarDocuments {
  return {
    perDocument: parts[0]?.perDocument ?? 0,
    documents: concatenated(Int32Array, parts, ({ documents }) => documents),
    similarities: concatenated(Float32Array, parts, ({ similarities }) => similarities),
  };
}

/** Consecutive documents: `start` to `end`, without `end`. */
export interface DocumentRange {
  readonly start: number;
  readonly end: number;
}

/** What documents are compared by. Plain data, so that threads can share its arrays. */
export interface ComparedCorpus {
  readonly corpus: Pick<CollectedCorpus, 'documentCount' | 'documentStarts' | 'terms' | 'stated'>;
  /** Of each posting of the corpus. */
  readonly impacts: Uint8Array;
  readonly inverted: Pick<InvertedCorpus, 'starts' | 'documents' | 'impacts'>;
}

/** The documents most similar to each document of a range, `perDocument` places each, nearest first, then -1. */
interface SimilarDocuments {
  readonly perDocument: number;
  readonly documents: Int32Array;
  /** 0 to 1: weighted share of a document's characteristic terms that the other has. */
  readonly similarities: Float32Array;
}

/** Documents below and above {@link SimilarityOptions.similarityMax}. */
interface FoundDocuments {
  readonly similar: SimilarDocuments;
  readonly duplicates: SimilarDocuments;
}

interface SimilarityOptions {
  readonly terms: number;
  readonly perDocument: number;
  /** More similar documents are near duplicates, listed separately: they are no independent evidence. */
  readonly similarityMax: number;
}

const DUPLICATES_MAX = 5;

/** Document frequency above which a term is not characteristic; bounds the work on large corpora. */
const FREQUENT_SHARE = 0.1;
const FREQUENT_MIN = 200;
const FREQUENT_MAX = 3_000;

/**
 * Compares the most characteristic terms of each document of a range, by inverse document frequency times impact, with all other documents.
 *
 * @param searches In ascending order of their terms: a document is compared once for all of them.
 */
function findSimilarDocuments(compared: ComparedCorpus, searches: readonly SimilarityOptions[], range: DocumentRange): FoundDocuments[] {
  const { start, end } = range;
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
  return lists.map(({ similar, duplicates }) => ({ similar: similar.lists, duplicates: duplicates.lists }));
}

/** Encodes the neighbours of every document: near duplicates, and mutually similar documents, which ranking uses. */
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
function inverseDocumentFrequencies(documentCount: number, { starts }: Pick<InvertedCorpus, 'starts'>, most: number): Float64Array {
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
  readonly lists: SimilarDocuments;
  length = 0;

  constructor(perDocument: number, documentCount: number) {
    this.documents = new Uint32Array(perDocument);
    this.similarities = new Float64Array(perDocument);
    const places = perDocument * documentCount;
    this.lists = { perDocument, documents: new Int32Array(places).fill(-1), similarities: new Float32Array(places) };
  }

  keep(document: number): void {
    const { perDocument, documents, similarities } = this.lists;
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

interface ExpandedDocuments {
  readonly impacts: Uint8Array;
  /** Postings of terms that their documents lack, in the order of the documents. */
  readonly addedTerms: Uint32Array;
  readonly addedDocuments: Uint32Array;
  readonly addedImpacts: Uint8Array;
}

export interface ExpandedCorpus {
  readonly impacts: Uint8Array;
  /** Number of postings of terms that their documents lack. */
  readonly addedPostings: number;
  readonly addedList: (term: number) => PostingList | undefined;
}

const SATURATION = BM25_K1 + 1;

/**
 * Expands each document of a range with terms of its neighbours: a query may use words that others used about the same subject. A term of
 * the document gains only what it lacks to saturation, so that neighbours fill gaps and do not outweigh the text. Document frequencies stay
 * those of the texts. Expansions that a document states count like terms of its neighbours.
 *
 * @param similar Of the documents of the range.
 */
function expandDocuments(compared: ComparedCorpus, similar: SimilarDocuments, range: DocumentRange): ExpandedDocuments {
  const { corpus, impacts, inverted } = compared;
  const idf = inverseDocumentFrequencies(corpus.documentCount, inverted, corpus.documentCount);
  const gathered = new Float64Array(idf.length);
  const own = new Uint8Array(idf.length);
  const touched: number[] = [];
  const firstPosting = corpus.documentStarts[range.start];
  const expanded = impacts.slice(firstPosting, corpus.documentStarts[range.end]);
  const added = { terms: [] as number[], documents: [] as number[], impacts: [] as number[] };
  for (let document = range.start; document < range.end; document++) {
    const total = gatherImpacts({ corpus, impacts }, similar, document - range.start, gathered, touched);
    const [statedStart, statedEnd] = corpus.stated.starts.subarray(document, document + 2);
    if (total === 0 && statedStart === statedEnd) continue;
    const [start, end] = corpus.documentStarts.subarray(document, document + 2);
    for (let posting = start; posting < end; posting++) own[corpus.terms[posting]] = impacts[posting];
    const gains: { term: number; gain: number; weight: number }[] = [];
    for (const term of touched) {
      const gain = gainOf(gathered[term], own[term]) / total;
      gathered[term] = 0;
      const weight = gain * idf[term];
      if (weight > 0) gains.push({ term, gain, weight });
    }
    touched.length = 0;
    gains.sort((a, b) => b.weight - a.weight || a.term - b.term);
    const gained = new Map(gains.slice(0, EXPANSION_TERMS).map(({ term, gain }) => [term, gain]));
    for (let at = statedStart; at < statedEnd; at++) {
      const term = corpus.stated.terms[at];
      gained.set(term, (gained.get(term) ?? 0) + gainOf(dequantize(corpus.stated.impacts[at]), own[term]));
    }
    for (let posting = start; posting < end; posting++) {
      const term = corpus.terms[posting];
      const gain = gained.get(term);
      if (gain !== undefined) expanded[posting - firstPosting] = quantizeImpact(dequantize(own[term]) + gain, corpus.documentCount);
      gained.delete(term);
      own[term] = 0;
    }
    for (const [term, gain] of gained) {
      added.terms.push(term);
      added.documents.push(document);
      added.impacts.push(quantizeImpact(gain, corpus.documentCount));
    }
  }
  return {
    impacts: expanded,
    addedTerms: Uint32Array.from(added.terms),
    addedDocuments: Uint32Array.from(added.documents),
    addedImpacts: Uint8Array.from(added.impacts),
  };
}

function gainOf(impact: number, own: number): number {
  return EXPANSION_WEIGHT * impact * Math.max(0, 1 - dequantize(own) / SATURATION);
}

export function joinExpanded(parts: readonly ExpandedDocuments[], termCount: number): ExpandedCorpus {
  const terms = concatenated(Uint32Array, parts, ({ addedTerms }) => addedTerms);
  const added = {
    documents: concatenated(Uint32Array, parts, ({ addedDocuments }) => addedDocuments),
    impacts: concatenated(Uint8Array, parts, ({ addedImpacts }) => addedImpacts),
  };
  return {
    impacts: concatenated(Uint8Array, parts, ({ impacts }) => impacts),
    addedPostings: terms.length,
    addedList: groupByTerm(terms, added, termCount),
  };
}

/** Sums the weighted impacts by term of the neighbours at a place. @returns The sum of the weights. */
function gatherImpacts(
  { corpus, impacts }: Pick<ComparedCorpus, 'corpus' | 'impacts'>,
  { perDocument, documents, similarities }: SimilarDocuments,
  place: number,
  gathered: Float64Array,
  touched: number[],
): number {
  let total = 0;
  const first = place * perDocument;
  for (let at = first; at < first + Math.min(perDocument, EXPANSION_NEIGHBOURS); at++) {
    const neighbour = documents[at];
    if (neighbour < 0) break;
    const weight = similarities[at] ** EXPANSION_SIMILARITY_POWER;
    total += weight;
    const end = corpus.documentStarts[neighbour + 1];
    for (let posting = corpus.documentStarts[neighbour]; posting < end; posting++) {
      const term = corpus.terms[posting];
      if (gathered[term] === 0) touched.push(term);
      gathered[term] += weight * dequantize(impacts[posting]);
    }
  }
  return total;
}

function dequantize(impact: number): number {
  return (impact / QUANTIZED_IMPACT_MAX) * IMPACT_MAX;
}

/** @param added In the order of the documents. */
function groupByTerm(terms: Uint32Array, added: PostingList, termCount: number): ExpandedCorpus['addedList'] {
  const starts = startsByTerm(terms, termCount);
  const next = starts.slice();
  const documents = new Uint32Array(terms.length);
  const impacts = new Uint8Array(terms.length);
  terms.forEach((term, posting) => {
    const at = next[term]++;
    documents[at] = added.documents[posting];
    impacts[at] = added.impacts[posting];
  });
  return (term) => {
    const [start, end] = starts.subarray(term, term + 2);
    return start === end ? undefined : { documents: documents.subarray(start, end), impacts: impacts.subarray(start, end) };
  };
}
