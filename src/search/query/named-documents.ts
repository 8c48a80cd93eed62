import { NAME_IMPACTS } from '../constants.ts';
import { type PostingList, readOwnList } from '../format/postings.ts';
import type { Kernel } from '../kernel/kernel.ts';
import type { QueryName, QueryPlan } from './plan-query.ts';
import { termWeight } from './score-documents.ts';

/** A document with a name of the query. */
interface NamedDocument {
  points: number;
  /** Those of names that are all that the query asks for. */
  wholePoints: number;
  /** Its bits in the mask of a document. */
  bits: number;
  /** Whether its id or title is what the query asks for. */
  isAskedFor: boolean;
  /** Whether it has no word of the query. */
  isWordless: boolean;
}

/** The documents with the names of a query: few, because a name of many documents is not indexed. */
export class NamedDocuments {
  readonly #documents = new Map<number, NamedDocument>();

  /**
   * @param documentCount Documents over which frequencies are counted.
   * @param firstBit Bit of the first name of the plan in the mask of a document.
   */
  constructor({ names }: Pick<QueryPlan, 'names'>, documentCount: number, firstBit: number) {
    names.forEach((name, number) => {
      const weight = termWeight(name, documentCount);
      const bit = firstBit + number;
      eachPosting(name, (document, impact) => {
        const named = this.#documents.get(document) ?? { points: 0, wholePoints: 0, bits: 0, isAskedFor: false, isWordless: false };
        named.points += weight * impact;
        if (name.isWhole) named.wholePoints += weight * impact;
        named.bits |= bit < 32 ? 1 << bit : 0;
        named.isAskedFor ||= name.isWhole && impact === NAME_IMPACTS.title;
        this.#documents.set(document, named);
      });
    });
  }

  /** Points of a document because its name is all that the query asks for. */
  wholePointsOf(document: number): number {
    return this.#documents.get(document)?.wholePoints ?? 0;
  }

  /** Makes the documents match, before the kernel finds those that do. */
  mark({ scores, masks }: Kernel): void {
    for (const [document, named] of this.#documents) {
      if (document >= scores.length) continue;
      masks[document] |= named.bits;
      named.isWordless = scores[document] === 0;
      if (named.isWordless) scores[document] = 1;
    }
  }

  /** Adds the points, after documents were rescored with their neighbours. */
  addPoints({ scores }: Kernel): void {
    for (const [document, { points, isWordless }] of this.#documents)
      if (document < scores.length) scores[document] += isWordless ? points - 1 : points;
  }

  /** The documents whose id or title is all that the query asks for, ascending. */
  askedFor(): number[] {
    return [...this.#documents].flatMap(([document, named]) => (named.isAskedFor ? [document] : [])).sort((a, b) => a - b);
  }

  /** Whether a document is one of {@link askedFor}. */
  isAskedFor(document: number): boolean {
    return this.#documents.get(document)?.isAskedFor === true;
  }
}

/** Calls `visit` for every document with a name. */
export function eachPosting({ indexed }: QueryName, visit: (document: number, impact: number) => void): void {
  for (const part of indexed.parts) {
    if (!('records' in part)) {
      visit(part.document, part.impact);
      continue;
    }
    const { documents, impacts }: PostingList = readOwnList(part.records.subarray(part.at, part.end));
    for (const [posting, document] of documents.entries()) visit(document, impacts[posting]);
  }
}
