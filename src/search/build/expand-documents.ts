import { IMPACT_MAX, QUANTIZED_IMPACT_MAX, quantizeImpact } from '../bm25.ts';
import { BM25_K1, EXPANSION_NEIGHBOURS, EXPANSION_SIMILARITY_POWER, EXPANSION_TERMS, EXPANSION_WEIGHT } from '../constants.ts';
import type { PostingList } from '../format/posting-record.ts';
import { concatenated, GrowingArray } from './corpus-collector.ts';
import { startsByTerm } from './invert.ts';
import { type ComparedCorpus, type DocumentRange, inverseDocumentFrequencies, type SimilarDocuments } from './similar-documents.ts';

/** Consecutive documents expanded with terms of their neighbours. */
export interface ExpandedDocuments {
  /** Quantized impact of each posting of these documents. */
  readonly impacts: Uint8Array;
  /** Postings of terms that their documents lack, in the order of the documents. */
  readonly addedTerms: Uint32Array;
  readonly addedDocuments: Uint32Array;
  readonly addedImpacts: Uint8Array;
}

/** All documents expanded with terms of their neighbours. */
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
 * Expands each document of a range with terms of its neighbours: a query may use words that others used about the same subject. A term of
 * the document gains only what it lacks to saturation, so that neighbours fill gaps and do not outweigh the text. Document frequencies stay
 * those of the texts.
 *
 * @param similar Of the documents of the range.
 */
export function expandDocuments(
  { corpus, impacts, inverted }: ComparedCorpus,
  similar: SimilarDocuments,
  range: DocumentRange,
): ExpandedDocuments {
  const idf = inverseDocumentFrequencies(corpus.documentCount, inverted, corpus.documentCount);
  const gathered = new Float64Array(idf.length);
  const own = new Uint8Array(idf.length);
  const touched: number[] = [];
  const firstPosting = corpus.documentStarts[range.start];
  const expanded = impacts.slice(firstPosting, corpus.documentStarts[range.end]);
  const added = {
    terms: new GrowingArray(Uint32Array),
    documents: new GrowingArray(Uint32Array),
    impacts: new GrowingArray(Uint8Array),
  };
  for (let document = range.start; document < range.end; document++) {
    const total = gatherImpacts({ corpus, impacts }, similar, document - range.start, gathered, touched);
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
      if (gain !== undefined) expanded[posting - firstPosting] = quantizeImpact(dequantize(own[term]) + gain, corpus.documentCount);
      kept.delete(term);
      own[term] = 0;
    }
    for (const [term, gain] of kept) {
      added.terms.push(term);
      added.documents.push(document);
      added.impacts.push(quantizeImpact(gain, corpus.documentCount));
    }
  }
  return {
    impacts: expanded,
    addedTerms: added.terms.values(),
    addedDocuments: added.documents.values(),
    addedImpacts: added.impacts.values(),
  };
}

/** The expansion of a corpus from those of consecutive ranges of its documents. */
export function joinExpanded(parts: readonly ExpandedDocuments[], termCount: number): ExpandedCorpus {
  const terms = concatenated(
    Uint32Array,
    parts.map(({ addedTerms }) => addedTerms),
  );
  const added = {
    documents: concatenated(
      Uint32Array,
      parts.map(({ addedDocuments }) => addedDocuments),
    ),
    impacts: concatenated(
      Uint8Array,
      parts.map(({ addedImpacts }) => addedImpacts),
    ),
  };
  return {
    impacts: concatenated(
      Uint8Array,
      parts.map(({ impacts }) => impacts),
    ),
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
