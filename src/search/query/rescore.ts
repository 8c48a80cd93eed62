import { NEIGHBOUR_SCORE_WEIGHT, RESCORED_DOCUMENTS } from '../constants.ts';
import type { Neighbours } from '../format/neighbours.ts';
import type { Kernel } from '../kernel/kernel.ts';

/** Points added to the score of a document, or taken if below 0; absent for a document that kept its score. */
export type ScoreAdjustments = Pick<ReadonlyMap<number, number>, 'get'>;

/** Documents already visited in the current ranking, a byte each; all 0 between rankings. */
let visited = new Uint8Array();

/**
 * Rescores the strongest documents and their neighbours by the scores of their neighbours: documents about the same thing are relevant to
 * the same queries.
 *
 * A document without neighbours keeps its score: support is measured against `expected`, the mean support of the documents of this ranking,
 * so that having no neighbours neither helps nor hurts. Neighbours count more with the length of the text, since the similarity of short
 * texts is noise. Every document that matches still does so.
 *
 * @param kernel Has found the documents that match.
 * @param matching How many they are.
 * @see {@link https://doi.org/10.1145/1099554.1099722 Diaz, Regularizing ad hoc retrieval scores (2005)}
 */
export function rescoreWithNeighbours(kernel: Kernel, matching: number, neighbours: Neighbours): ScoreAdjustments {
  const { scores } = kernel;
  if (visited.length < scores.length) visited = new Uint8Array(scores.length);
  const documents: number[] = [];
  const supports: number[] = [];
  let supportSum = 0;
  let scoreSum = 0;
  for (const document of kernel.findStrongest(matching, RESCORED_DOCUMENTS, undefined)) {
    const support = neighbours.support(document, scores);
    if (support < 0) continue;
    visited[document] = 1;
    documents.push(document);
    supports.push(support);
    supportSum += support;
    scoreSum += scores[document];
  }
  if (scoreSum === 0) return new Map();
  for (let at = 0, strongest = documents.length; at < strongest; at++) {
    neighbours.forEach(documents[at], (neighbour) => {
      if (visited[neighbour] === 1 || scores[neighbour] <= 0) return;
      visited[neighbour] = 1;
      documents.push(neighbour);
      supports.push(neighbours.support(neighbour, scores));
    });
  }
  const expected = supportSum / scoreSum;
  const unchanged = 1 - NEIGHBOUR_SCORE_WEIGHT + NEIGHBOUR_SCORE_WEIGHT * expected;
  const added = documents.map((document, at) => {
    visited[document] = 0;
    const score = scores[document];
    const support = supports[at];
    // A neighbour of others that has no neighbour itself gets the expected support.
    const trust = support < 0 ? 0 : neighbours.trust(document);
    const mixed = (1 - NEIGHBOUR_SCORE_WEIGHT) * score + NEIGHBOUR_SCORE_WEIGHT * (trust * support + (1 - trust) * expected * score);
    const rescored = Math.max(1, Math.round(mixed / unchanged));
    scores[document] = rescored;
    return rescored - score;
  });
  return { get: (document) => added[documents.indexOf(document)] };
}
