import type { EvalDocument } from './collection.ts';

/** How many documents a ranking holds at most: what trec_eval's runs usually hold, and MAP is taken over. */
export const RANK_DEPTH = 1_000;

/** Something that orders the documents it was made with. */
export interface Ranker {
  readonly name: string;
  /** Ids of at most `depth` documents, best first, none twice; empty if nothing matches. */
  rank(query: string, depth: number): Promise<readonly string[]>;
  /** Lets go of what it holds outside this process, if it holds anything. */
  close?(): Promise<void>;
}

/** Makes a ranker of a set of documents. */
export interface RankerFactory {
  readonly name: string;
  make(documents: readonly EvalDocument[]): Promise<Ranker>;
}

/** What one query cost. */
export interface QueryCost {
  /** Values read from the store. */
  readonly reads: number;
  /** Bytes of these values. */
  readonly bytes: number;
  /** CPU time of the thread, user and system, in milliseconds. */
  readonly cpuMs: number;
}

/** A ranking and what it cost. */
export interface CostedRanking {
  readonly ids: readonly string[];
  readonly cost: QueryCost;
}

/** A ranker that knows its costs. */
export interface CostedRanker extends Ranker {
  /** Bytes of everything that its index puts into the store. */
  readonly indexBytes: number;
  /** As `rank`, with the cost of this one query. */
  rankWithCost(query: string, depth: number): Promise<CostedRanking>;
}
