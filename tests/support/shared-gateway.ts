import { beforeAll } from 'vitest';
import { serveBuiltFiles } from './built-files.ts';
import { type EdgeGateway, type EdgeOptions, NOW_HEADER, startEdgeGateway } from './edge-gateway.ts';
import { type Requests, requestsTo } from './use-edge-gateway.ts';

/** Variations that files of tests can share: nothing in them is there for tests to change. */
export interface SharedOptions extends Pick<EdgeOptions, 'signingSecrets' | 'webhookSecrets' | 'kv' | 'state'> {
  readonly blocks?: 'none';
  /** The files of the tested build; by default each answers with its path. */
  readonly files?: 'built';
}

/** Services that run in this process of tests, by their variations. They end with it. */
const running = new Map<string, Promise<EdgeGateway>>();

/**
 * A service that all files of tests in one process share, because starting one takes most of a second. It is warm, and what its agents
 * asked before counts. Tests cannot reach its stores and its log, and cannot set its clock or their network; those that do, and those
 * about an isolate that has just begun, start one of their own with `useEdgeGateway`.
 */
export function useSharedGateway(options: SharedOptions = {}): Requests {
  const name = JSON.stringify(options, (_key, value: unknown) => (value === undefined ? null : value));
  let gateway: EdgeGateway | undefined;
  beforeAll(async () => {
    const started = running.get(name) ?? start(options);
    running.set(name, started);
    // A start that fails is tried again by the next file.
    started.catch(() => running.delete(name));
    gateway = await started;
  });
  return requestsTo(async (path, init) => {
    const headers = new Headers(init?.headers);
    if (headers.has(NOW_HEADER) || headers.has('CF-Connecting-IP'))
      throw new Error('a shared service keeps its clock, and its networks apart; take useEdgeGateway');
    if (gateway === undefined) throw new Error('the service runs only inside of tests');
    return gateway.fetch(path, init);
  });
}

async function start({ files, ...options }: SharedOptions): Promise<EdgeGateway> {
  return startEdgeGateway({ ...options, ...(files === 'built' ? { files: await serveBuiltFiles() } : {}) });
}
