import type { EvalDocument } from './collection.ts';

/** Most documents of a ranking, over which MAP is computed: the usual depth of trec_eval runs. */
export const RANK_DEPTH = 1_000;

/** Ranks the documents that it was made with. */
export interface Ranker {
  readonly name: string;
  /** Ids of at most `depth` documents, best first, none twice; empty if nothing matches. */
  rank(query: string, depth: number): Promise<readonly string[]>;
  /** Releases resources outside this process. */
  close?(): Promise<void>;
}

/** Makes a ranker of documents. */
export interface RankerFactory {
  readonly name: string;
  make(documents: readonly EvalDocument[]): Promise<Ranker>;
}

/** The cost of one query. */
export interface QueryCost {
  /** Values read from the store. */
  readonly reads: number;
  /** Bytes of these values. */
  readonly bytes: number;
  /** CPU time of the thread, user and system, in milliseconds. */
  readonly cpuMs: number;
}

/** A ranking and its cost. */
export interface CostedRanking {
  readonly ids: readonly string[];
  readonly cost: QueryCost;
}

/** A ranker that measures its costs. */
export interface CostedRanker extends Ranker {
  /** Bytes of the index in the store. */
  readonly indexBytes: number;
  /** Like `rank`, with the cost of the query. */
  rankWithCost(query: string, depth: number): Promise<CostedRanking>;
}
