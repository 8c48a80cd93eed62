/**
 * The part of Cloudflare's types that `src/platform` uses and the simulated bindings give, for tests that import it: they are
 * compiled without `@cloudflare/workers-types`, whose globals are those of workerd and not those of Node.
 */

interface D1Meta {
  readonly changes: number;
  readonly last_row_id: number;
  readonly changed_db: boolean;
  readonly duration: number;
  readonly size_after: number;
  readonly rows_read: number;
  readonly rows_written: number;
}

interface D1Result<T = unknown> {
  readonly success: true;
  readonly results: T[];
  readonly meta: D1Meta & Record<string, unknown>;
}

interface D1PreparedStatement {
  bind(...values: unknown[]): D1PreparedStatement;
  first<T = unknown>(column: string): Promise<T | null>;
  first<T = Record<string, unknown>>(): Promise<T | null>;
  run<T = Record<string, unknown>>(): Promise<D1Result<T>>;
  all<T = Record<string, unknown>>(): Promise<D1Result<T>>;
  raw<T = unknown[]>(options?: { columnNames?: boolean }): Promise<T[]>;
}

interface D1Database {
  prepare(query: string): D1PreparedStatement;
  batch<T = unknown>(statements: D1PreparedStatement[]): Promise<D1Result<T>[]>;
}

interface KVNamespaceListResult {
  readonly keys: { readonly name: string }[];
  readonly list_complete: boolean;
  readonly cursor?: string;
}

interface KVNamespace {
  get(key: string, options: { type: 'arrayBuffer'; cacheTtl?: number }): Promise<ArrayBuffer | null>;
  get(key: string, options?: { type: 'text'; cacheTtl?: number }): Promise<string | null>;
  get(keys: string[], options: { type: 'text'; cacheTtl?: number }): Promise<Map<string, string | null>>;
  put(key: string, value: string | ArrayBuffer | ArrayBufferView): Promise<void>;
  delete(key: string): Promise<void>;
  list(options?: { prefix?: string; limit?: number; cursor?: string }): Promise<KVNamespaceListResult>;
}

interface Fetcher {
  fetch(input: Request | string | URL, init?: RequestInit): Promise<Response>;
}

interface AnalyticsEngineDataset {
  writeDataPoint(point?: { indexes?: string[]; blobs?: string[]; doubles?: number[] }): void;
}
