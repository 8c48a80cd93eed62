import { type PostingBuffer, postingBuffer, RecordReader } from '../format/read-record.ts';
import { fingerprint } from '../format/term-hash.ts';
import type { QueryPair, QueryTerm } from './plan-query.ts';
import type { SearchOutcome } from './search.ts';
import { pairWorth, scoringOrder, termWorth } from './scoring-order.ts';

/**
 * A part of a score. `term` is what a term of the query gives, `expansion` what it gives to a document that lacks it and has
 * near neighbours with it, `pair` what two terms give that are neighbours in query and document, `neighbours` what the scores of
 * near neighbours give, or take if below 0.
 */
export interface ScoreContribution {
  readonly kind: 'term' | 'expansion' | 'pair' | 'neighbours';
  /** Positions in the plan's terms: one, two for a pair, none for neighbours. */
  readonly terms: readonly number[];
  /** How much one level counts: rarer terms and repeated ones more. For terms and expansions. */
  readonly worth?: number;
  /** How strongly the document is about the term, 1 to `LEVEL_MAX`. For terms and expansions. */
  readonly level?: number;
  readonly points: number;
}

/**
 * The parts of the scores that a search has given to some documents; they add up to them.
 *
 * It reads the records of the query's terms again, for all documents at once.
 *
 * @param documentCount Of the whole index.
 * @param postingsMax As the scores were computed with.
 * @param documents Distinct.
 */
export function explainScores(
  { plan, smoothing }: Pick<SearchOutcome, 'plan' | 'smoothing'>,
  documentCount: number,
  postingsMax: number,
  documents: readonly number[],
): Map<number, ScoreContribution[]> {
  const parts = new Map(documents.map((document) => [document, [] as ScoreContribution[]]));
  if (parts.size === 0) return parts;
  const order = scoringOrder(plan, postingsMax);
  const reader = new ListReader(documentCount, documents);
  for (const number of [...order.scored].sort((a, b) => a - b)) {
    const term = plan.terms[number];
    const worth = termWorth(term, documentCount);
    reader.forEachFound(term, (document, level, kind) => {
      parts.get(document)?.push({ kind, terms: [number], worth, level, points: worth * level });
    });
  }
  for (const pair of order.pairs) {
    const matching = reader.documentsWithPair(pair, plan.terms);
    const points = pairWorth(pair.weight, documentCount, matching.length);
    for (const document of matching) parts.get(document)?.push({ kind: 'pair', terms: [pair.first, pair.second], points });
  }
  for (const [document, ofDocument] of parts) {
    const points = smoothing.get(document) ?? 0;
    if (points !== 0) ofDocument.push({ kind: 'neighbours', terms: [], points });
  }
  return parts;
}

/** Reads lists of an index for the few documents that are asked for. */
class ListReader {
  readonly #buffer: PostingBuffer = postingBuffer(1024);
  /** 1 for a document that is asked for. */
  readonly #wanted: Uint8Array;
  readonly #documentCount: number;

  constructor(documentCount: number, documents: readonly number[]) {
    this.#documentCount = documentCount;
    this.#wanted = new Uint8Array(documentCount);
    for (const document of documents) this.#wanted[document] = 1;
  }

  /** Calls `visit` for every document that is asked for and that has the term or was given it. */
  forEachFound({ indexed }: QueryTerm, visit: (document: number, level: number, kind: 'term' | 'expansion') => void): void {
    for (const part of indexed.parts) {
      if (!('records' in part)) {
        if (this.#wanted[part.document] === 1) visit(part.document, part.level, 'term');
        continue;
      }
      const record = new RecordReader(part.records, part.at);
      this.#visitWanted(record.readOwn(this.#buffer), (document, level) => visit(document, level, 'term'));
      this.#visitWanted(record.readExpansion(this.#buffer), (document, level) => visit(document, level, 'expansion'));
    }
  }

  /** Every document in which the second term of a pair may follow the first: a fingerprint says so, and it has both. */
  documentsWithPair({ first, second }: QueryPair, terms: readonly QueryTerm[]): number[] {
    const wanted = fingerprint(terms[second].indexed.hash);
    const candidates: number[] = [];
    for (const part of terms[first].indexed.parts) {
      if (!('records' in part)) continue;
      const record = new RecordReader(part.records, part.at);
      if (!record.hasFollowers) continue;
      const own = record.readOwn(this.#buffer);
      const documents = this.#buffer.documents.slice(0, own);
      record.readExpansion(this.#buffer);
      for (const posting of record.findFollowers(wanted)) candidates.push(documents[posting]);
    }
    const hasSecond = this.#documentsOf(terms[second]);
    return candidates.filter((document) => hasSecond[document] === 1);
  }

  /** 1 for every document that has a term itself. */
  #documentsOf({ indexed }: QueryTerm): Uint8Array {
    const has = new Uint8Array(this.#documentCount);
    for (const part of indexed.parts) {
      if (!('records' in part)) {
        has[part.document] = 1;
        continue;
      }
      const count = new RecordReader(part.records, part.at).readOwn(this.#buffer);
      for (let posting = 0; posting < count; posting++) has[this.#buffer.documents[posting]] = 1;
    }
    return has;
  }

  #visitWanted(count: number, visit: (document: number, level: number) => void): void {
    const { documents, levels } = this.#buffer;
    for (let posting = 0; posting < count; posting++) {
      const document = documents[posting];
      if (this.#wanted[document] === 1) visit(document, levels[posting]);
    }
  }
}
