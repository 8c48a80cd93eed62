import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, test } from 'vitest';
import { HttpConnection, readAnswer } from '../../../bench/load/http-connection.ts';
import { latenciesOf } from '../../../bench/load/load-figures.ts';
import { rawRequest } from '../../../bench/load/raw-request.ts';
import { runLoad } from '../../../bench/load/run-load.ts';

const HOST = '127.0.0.1';
const GET = rawRequest(HOST, { method: 'GET', path: '/' });

/** Runs something with a server of this process. */
async function withServer<T>(listener: RequestListener, use: (port: number) => Promise<T>): Promise<T> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, HOST, resolve));
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

describe('HttpConnection', () => {
  test('asks several times over one connection, whatever form bodies have', async () => {
    const ports = new Set<number | undefined>();
    const listener: RequestListener = async (request, response) => {
      ports.add(request.socket.remotePort);
      const body = await textOf(request);
      if (request.url === '/chunks') {
        response.write('one ');
        response.write('two');
        response.end();
      } else if (request.url === '/nothing') response.writeHead(204).end();
      else response.end(`${request.method} ${request.headers['x-more']} ${body}`);
    };
    await withServer(listener, async (port) => {
      const connection = new HttpConnection(HOST, port);
      const parts = { method: 'POST', path: '/', headers: { 'X-More': 'yes' }, body: '{"a":"é"}' } as const;
      const posted = await connection.send(rawRequest(HOST, parts));
      expect([posted.status, posted.body.toString()]).toEqual([200, 'POST yes {"a":"é"}']);
      const chunked = await connection.send(rawRequest(HOST, { method: 'GET', path: '/chunks' }));
      expect(chunked.body.toString()).toBe('one two');
      expect(await connection.send(rawRequest(HOST, { method: 'GET', path: '/nothing' }))).toMatchObject({ status: 204 });
      expect(ports.size).toBe(1);
      connection.close();
    });
  });

  test('fails if the connection ends before the answer, and opens another for the next', async () => {
    let asked = 0;
    const listener: RequestListener = (request, response) => {
      asked += 1;
      if (asked === 1) request.socket.destroy();
      else response.end('here');
    };
    await withServer(listener, async (port) => {
      const connection = new HttpConnection(HOST, port);
      await expect(connection.send(GET)).rejects.toThrow();
      expect(await connection.send(GET)).toMatchObject({ status: 200 });
      connection.close();
    });
  });
});

test('readAnswer() waits for the whole answer, wherever its bytes are divided', () => {
  const chunked = Buffer.from('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n');
  const plain = Buffer.from('HTTP/1.1 413 Too Large\r\ncontent-length: 4\r\nConnection: close\r\n\r\nbody');
  for (const whole of [chunked, plain]) {
    for (let length = 0; length < whole.length; length += 1) expect(readAnswer(whole.subarray(0, length))).toBeUndefined();
  }
  expect(readAnswer(Buffer.concat([chunked, plain]))).toMatchObject({ answer: { status: 200 }, length: chunked.length, closes: false });
  expect(readAnswer(chunked)?.answer.body.toString()).toBe('abcde');
  expect(readAnswer(plain)).toMatchObject({ answer: { status: 413 }, length: plain.length, closes: true });
  expect(() => readAnswer(Buffer.from('nonsense\r\n\r\n'))).toThrow('no answer of HTTP/1.1');
});

describe('runLoad()', () => {
  test('counts answers by route and status, faults of the service and lost connections', async () => {
    const listener: RequestListener = (request, response) => {
      if (request.url === '/lost') request.socket.destroy();
      else response.writeHead(request.url === '/fault' ? 503 : 200).end('x');
    };
    const requestOf = (path: string, statuses: readonly number[]) => ({
      route: path,
      bytes: rawRequest(HOST, { method: 'GET', path }),
      statuses,
    });
    await withServer(listener, async (port) => {
      const requests = [requestOf('/good', [200]), requestOf('/fault', [200]), requestOf('/lost', [200]), requestOf('/odd', [404])];
      const outcome = await runLoad({ host: HOST, port, connections: 2, rate: 4_000, seconds: 0.01, requests });
      expect(outcome.statuses).toEqual({ '/good: 200': 10, '/fault: 503': 10, '/odd: 200': 10 });
      expect(outcome).toMatchObject({ serverErrors: 10, socketErrors: 10, unexpected: 20 });
      expect([latenciesOf(outcome).count, latenciesOf(outcome, { route: '/good' }).count]).toEqual([30, 10]);
    });
  });

  test('at a fixed rate counts latency from the intended start, so that a service that stalls is not asked less', async () => {
    const STALL_MS = 80;
    let asked = 0;
    const listener: RequestListener = (_request, response) => {
      asked += 1;
      if (asked === 1) setTimeout(() => response.end('x'), STALL_MS);
      else response.end('x');
    };
    await withServer(listener, async (port) => {
      const requests = [{ route: 'a', bytes: GET, statuses: [200] }];
      const outcome = await runLoad({ host: HOST, port, connections: 1, rate: 1_000, seconds: 0.04, requests });
      // The last of forty should have been sent after 39 ms, and could not be before the stall was over.
      expect(outcome.answered.latencyMs).toHaveLength(40);
      expect(Math.min(...outcome.answered.latencyMs)).toBeGreaterThan(STALL_MS - 45);
    });
  });
});
