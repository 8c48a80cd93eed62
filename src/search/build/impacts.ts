import { lengthScale, quantizeImpact, saturate } from '../bm25.ts';
import { FIELD_WEIGHTS, TITLE_SCORE_WEIGHT } from '../constants.ts';
import { SEARCH_FIELDS } from '../search-document.ts';
import { unpackFrequency } from './analyse-batch.ts';
import type { CollectedCorpus } from './corpus-collector.ts';

const FIELD_COUNT = SEARCH_FIELDS.length;
const TITLE = SEARCH_FIELDS.indexOf('title');
const WEIGHTS = SEARCH_FIELDS.map((field) => FIELD_WEIGHTS[field]);

/** Average lengths are rounded to powers of this, so that a small change of the corpus leaves every other document's impacts alone. */
const AVERAGE_STEP = 2 ** (1 / 8);

/**
 * The quantized impact of every posting of a corpus, in the order of its postings: BM25F without the inverse document frequency, which
 * depends on the query.
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

// Over the documents that have the field: else a field that few of them fill would count as long wherever it is.
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
