import { BM25_K1, EXPANSION_NEIGHBOURS, EXPANSION_SIMILARITY_POWER, EXPANSION_TERMS, EXPANSION_WEIGHT } from '../constants.ts';
import { LEVEL_MAX, levelOf, storedLevel } from '../format/levels.ts';
import type { LeveledDocuments } from '../format/write-postings.ts';
import type { CollectedCorpus } from './corpus-collector.ts';
import { GrowingBytes, GrowingUint32 } from './growing-array.ts';
import { IMPACT_MAX } from './impacts.ts';
import type { InvertedCorpus } from './invert.ts';
import { inverseFrequencies, type SimilarDocuments } from './similar-documents.ts';

/** Documents that were given terms which they lack, and the levels of those that they have. */
export interface ExpandedCorpus {
  /** Of each posting of the corpus, in its order. */
  readonly levels: Uint8Array;
  /** Postings that documents were given and lack. */
  readonly addedPostings: number;
  /** Ascending by document; `undefined` if no document was given the term. */
  readonly list: (term: number) => LeveledDocuments | undefined;
}

/** The most that occurrences can be worth: what a term lacks of it, its document may be given. */
const SATURATION = BM25_K1 + 1;

/**
 * Gives each document terms of its nearest ones: a question may use words that the document's author did not and that others
 * who wrote about the same used. A term which the document has gains only what it lacks to saturation, so that neighbours fill
 * gaps and do not outvote the text. Document frequencies stay those of the texts.
 */
export function expandDocuments(
  corpus: CollectedCorpus,
  levels: Uint8Array,
  inverted: InvertedCorpus,
  similar: SimilarDocuments,
): ExpandedCorpus {
  const idf = inverseFrequencies(corpus, inverted, corpus.documentCount);
  const gathered = new Float64Array(corpus.vocabulary.length);
  const own = new Uint8Array(corpus.vocabulary.length);
  const touched: number[] = [];
  const expanded = levels.slice();
  const added = new AddedPostings(corpus.vocabulary.length);
  const levelWith = (impact: number): number => storedLevel(levelOf(impact, IMPACT_MAX), corpus.documentCount);
  for (let document = 0; document < corpus.documentCount; document++) {
    const total = gather(corpus, levels, similar, document, gathered, touched);
    if (total === 0) continue;
    const [start = 0, end = 0] = corpus.documentStarts.subarray(document, document + 2);
    for (let posting = start; posting < end; posting++) own[corpus.terms[posting]] = levels[posting];
    const gains: { term: number; gain: number; worth: number }[] = [];
    for (const term of touched) {
      const lacking = Math.max(0, 1 - impactOf(own[term]) / SATURATION);
      const gain = (EXPANSION_WEIGHT * gathered[term] * lacking) / total;
      gathered[term] = 0;
      const worth = gain * idf[term];
      if (worth > 0) gains.push({ term, gain, worth });
    }
    touched.length = 0;
    gains.sort((a, b) => b.worth - a.worth || a.term - b.term);
    const kept = new Map(gains.slice(0, EXPANSION_TERMS).map(({ term, gain }) => [term, gain]));
    for (let posting = start; posting < end; posting++) {
      const term = corpus.terms[posting];
      const gain = kept.get(term);
      if (gain !== undefined) expanded[posting] = levelWith(impactOf(own[term]) + gain);
      kept.delete(term);
      own[term] = 0;
    }
    for (const [term, gain] of kept) added.add(term, document, levelWith(gain));
  }
  return { levels: expanded, addedPostings: added.length, list: added.lists() };
}

/** Adds up the weighted impacts of a document's neighbours. @returns The sum of the weights. */
function gather(
  corpus: CollectedCorpus,
  levels: Uint8Array,
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
      gathered[term] += weight * impactOf(levels[posting]);
    }
  }
  return total;
}

function impactOf(level: number): number {
  return (level / LEVEL_MAX) * IMPACT_MAX;
}

/** Postings that come document by document and are wanted term by term. */
class AddedPostings {
  readonly #termCount: number;
  readonly #terms = new GrowingUint32();
  readonly #documents = new GrowingUint32();
  readonly #levels = new GrowingBytes();

  constructor(termCount: number) {
    this.#termCount = termCount;
  }

  get length(): number {
    return this.#terms.length;
  }

  add(term: number, document: number, level: number): void {
    this.#terms.push(term);
    this.#documents.push(document);
    this.#levels.append(Uint8Array.of(level));
  }

  lists(): (term: number) => LeveledDocuments | undefined {
    const terms = this.#terms.values();
    const starts = new Uint32Array(this.#termCount + 1);
    for (const term of terms) starts[term + 1] += 1;
    for (let term = 0; term < this.#termCount; term++) starts[term + 1] += starts[term];
    const next = starts.slice();
    const documents = new Uint32Array(terms.length);
    const levels = new Uint8Array(terms.length);
    const [givenDocuments, givenLevels] = [this.#documents.values(), this.#levels.values()];
    terms.forEach((term, posting) => {
      const at = next[term];
      next[term] = at + 1;
      documents[at] = givenDocuments[posting];
      levels[at] = givenLevels[posting];
    });
    return (term) => {
      const start = starts[term];
      const end = starts[term + 1];
      return start === end ? undefined : { documents: documents.subarray(start, end), levels: levels.subarray(start, end) };
    };
  }
}
