import { startWorkerd, type WorkerModules } from '../../support/workerd.ts';
import { HttpConnection, type RequestParts, rawRequest } from '../load/http-connection.ts';
import { childrenNamed } from '../process-figures.ts';

/** The first answer of an engine, and filling a store. */
const ANSWER_MAX_MS = 240_000;

export interface RunningWorker {
  readonly host: string;
  readonly port: number;
  readonly pid: number;
  /**
   * The body of a response.
   *
   * @throws {Error} If there is no response, or its status is not 200.
   */
  readonly ask: (path: string, sent?: Omit<RequestParts, 'path'>) => Promise<string>;
  readonly stop: () => Promise<void>;
}

export interface WorkerSetting {
  readonly modules: WorkerModules;
  readonly bindings?: Readonly<Record<string, unknown>>;
  readonly stores: string;
  /** Bound on the objects of an isolate; by default that of V8. */
  readonly heapMegabytes?: number;
}

/** Starts a worker; it has answered nothing yet. One at a time: the process is found by its name. */
export async function startWorker({ modules, bindings = {}, stores, heapMegabytes }: WorkerSetting): Promise<RunningWorker> {
  if (childrenNamed('workerd').length > 0) throw new Error('another worker is still running');
  if (heapMegabytes === undefined) delete process.env['MINIFLARE_WORKERD_V8_FLAGS'];
  else process.env['MINIFLARE_WORKERD_V8_FLAGS'] = `--max-old-space-size=${heapMegabytes}`;
  const values = Object.entries(bindings).map(([name, value]) => [name, { type: 'json', value }] as const);
  const env = { STORE: { type: 'kv', id: 'store' }, DATABASE: { type: 'd1', id: 'database' }, ...Object.fromEntries(values) };
  const miniflare = startWorkerd([{ name: 'engine', modules, env }], { persist: stores, onLog: () => undefined });
  const { hostname: host, port } = await miniflare.ready;
  const [pid] = childrenNamed('workerd');
  if (pid === undefined) throw new Error('workerd is not among the processes of /proc: only Linux can be measured');
  const connection = new HttpConnection(host, Number(port), ANSWER_MAX_MS);
  return {
    host,
    port: Number(port),
    pid,
    ask: async (path, sent = { method: 'GET' }) => {
      const { status, body } = await connection.send(rawRequest(host, { path, ...sent }));
      if (status !== 200) throw new Error(`${path.slice(0, 60)} returned ${status}: ${body.toString('utf8', 0, 300)}`);
      return body.toString();
    },
    stop: async () => {
      connection.close();
      await miniflare.dispose();
    },
  };
}
