import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LIMITS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { NOW_HEADER, useEdgeGateway } from '../../support/edge-gateway.ts';

const gateway = useEdgeGateway();
let address: URL;
let agent: Agent;
beforeAll(async () => {
  address = await gateway.running().miniflare.ready;
  agent = new Agent({ keepAlive: true, maxSockets: 1 });
});
afterAll(() => agent.destroy());

interface Sent {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer;
}

interface Answered {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly port: number | undefined;
}

function send({ method = 'POST', path, headers = {}, body = Buffer.alloc(0) }: Sent): Promise<Answered> {
  return new Promise((resolve, reject) => {
    // Node names no length of the body of a DELETE by itself.
    const sized = { ...headers, 'Content-Length': String(body.length) };
    const sent = request({ agent, host: address.hostname, port: address.port, method, path, headers: sized }, (response) => {
      const port = response.socket.localPort;
      response.on('data', () => undefined);
      response.on('error', reject);
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, port }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const QUERY = `${PATHS.gateway}/query`;
const JSON_TYPE = { 'Content-Type': 'application/json' };
const full = Buffer.alloc(LIMITS.bodyMaxBytes, 'x');

/** Requests that are refused before their body is looked at, by the status of the answer. */
const EARLY: readonly (readonly [status: number, sent: Sent])[] = [
  [401, { path: QUERY, headers: JSON_TYPE, body: full }],
  [401, { path: QUERY, headers: { ...JSON_TYPE, Authorization: 'Bearer akg_live_no' }, body: full }],
  [401, { path: `${QUERY}?api_key=1`, headers: JSON_TYPE, body: full }],
  [404, { path: '/api/v1/nothing', headers: JSON_TYPE, body: full }],
  [405, { path: `${PATHS.gateway}/capabilities`, headers: JSON_TYPE, body: full }],
  [405, { method: 'DELETE', path: QUERY, body: full }],
  [413, { path: `${PATHS.capsulesApi}/fetch`, headers: JSON_TYPE, body: Buffer.alloc(LIMITS.bodyMaxBytes + 1, 'x') }],
  [413, { path: `${PATHS.capsulesApi}/fetch`, headers: JSON_TYPE, body: Buffer.alloc(2 ** 21, 'x') }],
  [414, { path: `${QUERY}?${'x'.repeat(LIMITS.requestUrlMaxLength)}`, headers: JSON_TYPE, body: full }],
  [415, { path: `${PATHS.capsulesApi}/fetch`, headers: { 'Content-Type': 'text/plain' }, body: full }],
];

async function sendAll(requests: readonly Sent[], rounds: number, network: (round: number) => string) {
  const statuses = new Map<number | undefined, number>();
  const ports = new Set<number | undefined>();
  let broken = 0;
  for (let round = 0; round < rounds; round += 1)
    for (const sent of requests) {
      const headers = { ...sent.headers, 'CF-Connecting-IP': network(round) };
      try {
        const { status, port } = await send({ ...sent, headers });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        ports.add(port);
      } catch {
        broken += 1;
      }
    }
  return { statuses: Object.fromEntries(statuses), connections: ports.size, broken };
}

describe('over one connection that is kept alive', () => {
  test('two hundred requests that are refused early, each with a whole body, break no connection', async () => {
    const rounds = 20;
    const { statuses, connections, broken } = await sendAll(
      EARLY.map(([, sent]) => sent),
      rounds,
      (round) => `10.77.${round}.1`,
    );
    const expected: Record<number, number> = {};
    for (const [status] of EARLY) expected[status] = (expected[status] ?? 0) + rounds;
    expect({ statuses, broken }).toEqual({ statuses: expected, broken: 0 });
    expect(connections).toBe(1);
  });

  test('neither do requests of a network that has used up its limit', async () => {
    const { requests } = RATE_LIMITS.network;
    const { statuses, connections, broken } = await sendAll(
      // At one time: the limit is filled up again as time passes.
      [{ path: QUERY, headers: { ...JSON_TYPE, [NOW_HEADER]: String(Date.now()) }, body: full }],
      requests + 150,
      () => '10.78.0.1',
    );
    expect({ statuses, connections, broken }).toEqual({ statuses: { 401: requests, 429: 150 }, connections: 1, broken: 0 });
  });
});
