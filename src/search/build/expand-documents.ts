import { IMPACT_MAX, QUANTIZED_IMPACT_MAX, quantizeImpact } from '../bm25.ts';
import { BM25_K1, EXPANSION_NEIGHBOURS, EXPANSION_SIMILARITY_POWER, EXPANSION_TERMS, EXPANSION_WEIGHT } from '../constants.ts';
import type { PostingList } from '../format/posting-record.ts';
import { type CollectedCorpus, GrowingArray } from './corpus-collector.ts';
import { type InvertedCorpus, startsByTerm } from './invert.ts';
import { inverseDocumentFrequencies, type SimilarDocuments } from './similar-documents.ts';

/** Documents expanded with terms of their neighbours. */
export interface ExpandedCorpus {
  /** Quantized impact of each posting of the corpus. */
  readonly impacts: Uint8Array;
  /** Number of postings of terms that their documents lack. */
  readonly addedPostings: number;
  /** The added postings of a term, ascending by document; `undefined` if it has none. */
  readonly addedList: (term: number) => PostingList | undefined;
}

/** Upper bound of a saturated frequency. */
const SATURATION = BM25_K1 + 1;

/**
 * Expands each document with terms of its neighbours: a query may use words that others used about the same subject. A term of the document
 * gains only what it lacks to saturation, so that neighbours fill gaps and do not outweigh the text. Document frequencies stay those of the
 * texts.
 */
export function expandDocuments(
  corpus: CollectedCorpus,
  impacts: Uint8Array,
  inverted: InvertedCorpus,
  similar: SimilarDocuments,
): ExpandedCorpus {
  const idf = inverseDocumentFrequencies(corpus, inverted, corpus.documentCount);
  const gathered = new Float64Array(corpus.vocabulary.length);
  const own = new Uint8Array(corpus.vocabulary.length);
  const touched: number[] = [];
  const expanded = impacts.slice();
  const added = {
    terms: new GrowingArray(Uint32Array),
    documents: new GrowingArray(Uint32Array),
    impacts: new GrowingArray(Uint8Array),
  };
  for (let document = 0; document < corpus.documentCount; document++) {
    const total = gatherImpacts(corpus, impacts, similar, document, gathered, touched);
    if (total === 0) continue;
    const [start, end] = corpus.documentStarts.subarray(document, document + 2);
    for (let posting = start; posting < end; posting++) own[corpus.terms[posting]] = impacts[posting];
    const gains: { term: number; gain: number; weight: number }[] = [];
    for (const term of touched) {
      const missingShare = Math.max(0, 1 - dequantize(own[term]) / SATURATION);
      const gain = (EXPANSION_WEIGHT * gathered[term] * missingShare) / total;
      gathered[term] = 0;
      const weight = gain * idf[term];
      if (weight > 0) gains.push({ term, gain, weight });
    }
    touched.length = 0;
    gains.sort((a, b) => b.weight - a.weight || a.term - b.term);
    const kept = new Map(gains.slice(0, EXPANSION_TERMS).map(({ term, gain }) => [term, gain]));
    for (let posting = start; posting < end; posting++) {
      const term = corpus.terms[posting];
      const gain = kept.get(term);
      if (gain !== undefined) expanded[posting] = quantizeImpact(dequantize(own[term]) + gain, corpus.documentCount);
      kept.delete(term);
      own[term] = 0;
    }
    for (const [term, gain] of kept) {
      added.terms.push(term);
      added.documents.push(document);
      added.impacts.push(quantizeImpact(gain, corpus.documentCount));
    }
  }
  const terms = added.terms.values();
  const addedList = groupByTerm(terms, { documents: added.documents.values(), impacts: added.impacts.values() }, corpus.vocabulary.length);
  return { impacts: expanded, addedPostings: terms.length, addedList };
}

/** Sums the weighted impacts of a document's neighbours by term. @returns The sum of the weights. */
function gatherImpacts(
  corpus: CollectedCorpus,
  impacts: Uint8Array,
  { perDocument, documents, similarities }: SimilarDocuments,
  document: number,
  gathered: Float64Array,
  touched: number[],
): number {
  let total = 0;
  for (let place = document * perDocument; place < document * perDocument + Math.min(perDocument, EXPANSION_NEIGHBOURS); place++) {
    const neighbour = documents[place];
    if (neighbour < 0) break;
    const weight = similarities[place] ** EXPANSION_SIMILARITY_POWER;
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
