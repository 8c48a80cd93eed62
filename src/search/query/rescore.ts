import { SMOOTHED_DOCUMENTS, SMOOTHING_WEIGHT } from '../constants.ts';
import type { Neighbours } from '../format/neighbours.ts';
import type { Kernel } from '../kernel/kernel.ts';

/** What was added to the score of a document, or taken from it if below 0; absent for a document that kept its score. */
export type Smoothing = Pick<ReadonlyMap<number, number>, 'get'>;

/** Documents that have been met in the ranking under way, a byte each; all 0 between rankings. */
let met = new Uint8Array();

/**
 * Rescores the strongest documents and their neighbours by what their neighbours score: documents about the same thing are
 * relevant to the same questions.
 *
 * A document without neighbours keeps its score: support is measured against `expected`, the support that a document of this
 * ranking has on average, so that having no neighbours neither helps nor hurts. How far the neighbours count grows with the
 * length of the text, since the likeness of short texts is noise. Every document that matches still does so.
 *
 * @param kernel Has found the documents that match.
 * @param matching How many they are.
 * @see {@link https://doi.org/10.1145/1099554.1099722 Diaz, Regularizing ad hoc retrieval scores (2005)}
 */
export function smoothScores(kernel: Kernel, matching: number, neighbours: Neighbours): Smoothing {
  const { scores } = kernel;
  if (met.length < scores.length) met = new Uint8Array(scores.length);
  const documents: number[] = [];
  const supports: number[] = [];
  let supportSum = 0;
  let supported = 0;
  for (const document of kernel.findStrongest(matching, SMOOTHED_DOCUMENTS, undefined)) {
    const support = neighbours.support(document, scores);
    if (support < 0) continue;
    met[document] = 1;
    documents.push(document);
    supports.push(support);
    supportSum += support;
    supported += scores[document];
  }
  if (supported === 0) return new Map();
  for (let at = 0, strongest = documents.length; at < strongest; at++) {
    neighbours.forEach(documents[at], (neighbour) => {
      if (met[neighbour] === 1 || scores[neighbour] <= 0) return;
      met[neighbour] = 1;
      documents.push(neighbour);
      supports.push(neighbours.support(neighbour, scores));
    });
  }
  const expected = supportSum / supported;
  const unchanged = 1 - SMOOTHING_WEIGHT + SMOOTHING_WEIGHT * expected;
  const added = documents.map((document, at) => {
    met[document] = 0;
    const score = scores[document];
    const support = supports[at];
    // One that has no neighbour near enough to count, though it is one, is supported as is usual.
    const trust = support < 0 ? 0 : neighbours.trust(document);
    const mixed = (1 - SMOOTHING_WEIGHT) * score + SMOOTHING_WEIGHT * (trust * support + (1 - trust) * expected * score);
    const smoothed = Math.max(1, Math.round(mixed / unchanged));
    scores[document] = smoothed;
    return smoothed - score;
  });
  return { get: (document) => added[documents.indexOf(document)] };
}
