import type { EvalDocument } from './collection.ts';

/** Most documents of a ranking, over which MAP is computed: the usual depth of trec_eval runs. */
export const RANK_DEPTH = 1_000;

export interface Ranker {
  readonly name: string;
  /** Ids of at most `depth` documents, best first, none twice; empty if nothing matches. */
  rank(query: string, depth: number): Promise<readonly string[]>;
  close?(): Promise<void>;
}

export interface RankerFactory {
  readonly name: string;
  make(documents: readonly EvalDocument[]): Promise<Ranker>;
}

export interface QueryCost {
  readonly reads: number;
  readonly bytes: number;
  /** CPU time of the thread, user and system, in milliseconds. */
  readonly cpuMs: number;
}

export interface CostedRanking {
  readonly ids: readonly string[];
  readonly cost: QueryCost;
}

export interface CostedRanker extends Ranker {
  readonly indexBytes: number;
  rankWithCost(query: string, depth: number): Promise<CostedRanking>;
}
