export interface StoreReads {
  readonly reads: number;
  readonly bytes?: number;
}

/** A search engine in a worker; it loads what it needs at its first query. */
export interface ServedEngine {
  readonly search: (query: string, limit: number) => Promise<readonly string[]>;
  /** Makes the simulator of the store answer once, without reading anything of the index. */
  readonly touchStore: () => Promise<unknown>;
  readonly storeReads: () => StoreReads;
}

export interface EngineWorker<Bindings> {
  readonly fetch: (request: Request, bindings: Bindings) => Promise<Response>;
}

const LIMIT = 10;

/**
 * Serves an engine: `/search?q=` answers with ids, `/reads` with what queries have read, and `/ready` once the store can be read.
 * One engine serves all requests of an isolate.
 */
export function serveEngine<Bindings>(make: (bindings: Bindings) => ServedEngine): EngineWorker<Bindings> {
  let engine: ServedEngine | undefined;
  return {
    fetch: async (request, bindings) => {
      engine ??= make(bindings);
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === '/search') return Response.json(await engine.search(searchParams.get('q') ?? '', LIMIT));
      if (pathname === '/reads') return Response.json(engine.storeReads());
      await engine.touchStore();
      return Response.json([]);
    },
  };
}

/** A value that is made at the first call and again after a failure. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => {
    made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
