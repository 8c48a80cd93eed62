import { type EngineWorker, serveEngine } from './serve-engine.ts';

/** An engine that finds nothing: what a request costs by itself. */
export function engineWorker(): EngineWorker<object> {
  return serveEngine(() => ({ search: async () => [], touchStore: async () => undefined, storeReads: () => ({ reads: 0, bytes: 0 }) }));
}
