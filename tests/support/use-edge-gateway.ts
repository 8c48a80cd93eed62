import { afterAll, beforeAll } from 'vitest';
import { type EdgeGateway, type EdgeOptions, startEdgeGateway } from './edge-gateway.ts';

/** Ways to send requests to a tested service. */
export interface Requests extends Pick<EdgeGateway, 'fetch'> {
  /** POSTs a value as JSON. */
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Response>;
}

/** A tested service for one file or block of tests. */
export interface UsedGateway extends Requests {
  /** The running service, for what is not sent as a request. */
  readonly running: () => EdgeGateway;
}

/** Starts a service before the tests of the file or block, and stops it after them. */
export function useEdgeGateway(options: EdgeOptions | (() => Promise<EdgeOptions>) = {}): UsedGateway {
  let gateway: EdgeGateway | undefined;
  beforeAll(async () => {
    gateway = await startEdgeGateway(typeof options === 'function' ? await options() : options);
  });
  afterAll(() => gateway?.stop());
  const running = (): EdgeGateway => {
    if (gateway === undefined) throw new Error('the service runs only inside of tests');
    return gateway;
  };
  return { running, ...requestsTo((path, init) => running().fetch(path, init)) };
}

/** Ways to send requests, by the one that is given. */
export function requestsTo(fetch: EdgeGateway['fetch']): Requests {
  return {
    fetch,
    post: (path, body, headers = {}) =>
      fetch(path, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}
