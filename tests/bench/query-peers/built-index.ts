import type { EngineKey } from './engines.ts';

/** What an engine needs at run time, as files that are written to its store. */
export interface BuiltIndex {
  /** What its worker is bound to. */
  readonly bindings: Readonly<Record<string, unknown>>;
  /** Values of KV by key: files of the folder that it was built in. */
  readonly values: readonly { readonly key: string; readonly file: string; readonly bytes: number }[];
  /** Of the building process, making the documents included. */
  readonly cpuSeconds: number;
  readonly wallSeconds: number;
  readonly peakBytes: number;
}

/** What is to be built. */
export interface BuildTask {
  readonly engine: Exclude<EngineKey, 'd1-fts5'>;
  readonly documents: number;
  /** An empty folder. */
  readonly folder: string;
}
