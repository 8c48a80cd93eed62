import type { EngineKey } from './engines.ts';

export interface EngineFigures {
  readonly engine: EngineKey;
  /** Making the index, in a process of its own for those with a file, in D1 itself otherwise. */
  readonly build: { readonly wallSeconds: number };
  readonly storedBytes: number;
  readonly storedValues: number;
  /** The first answer of a fresh isolate: medians of several. */
  readonly cold: { readonly wallMs: number; readonly cpuMs: number; readonly reads: number; readonly bytes?: number };
  readonly steady: readonly {
    readonly connections: number;
    readonly perSecond: number;
    readonly p50Ms: number;
    readonly p99Ms: number;
    /** CPU of workerd for one request, simulators of stores included. */
    readonly cpuMs: number;
  }[];
  /** Queries that were asked one after the other, and those among them whose document was in the first ten. */
  readonly known: { readonly asked: number; readonly found: number };
  /** Of workerd after the `known` queries and up to then, less those of a worker without an engine at the same point. */
  readonly memory: { readonly residentBytes: number; readonly peakBytes: number };
  /** What happens if the objects of the isolate are bound to the 128 MB that a Worker has; absent if it answers. */
  readonly boundedFailure?: string;
}

export interface FailedEngine {
  readonly engine: EngineKey;
  readonly failure: string;
}

/** What a request costs without an engine. */
export type FloorFigures = Pick<EngineFigures, 'cold' | 'steady'>;

export interface QueryPeersReport {
  readonly date: string;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly memoryBytes: number };
  readonly versions: Readonly<Record<string, string>>;
  readonly seconds: number;
  readonly floor: FloorFigures;
  readonly corpora: readonly { readonly documents: number; readonly engines: readonly (EngineFigures | FailedEngine)[] }[];
}

export const isMeasured = (engine: EngineFigures | FailedEngine): engine is EngineFigures => !('failure' in engine);
