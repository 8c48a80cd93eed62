import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemRuntime } from '../../../src/platform/clock-and-deadlines.ts';
import { webhookSender } from '../../../src/platform/outgoing-requests.ts';
import { close, listen } from '../../support/listen.ts';

const got: { url: string | undefined; body: string; signature: unknown }[] = [];
let server: Server;
let host: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    void (async () => {
      let body = '';
      for await (const chunk of request) body += String(chunk);
      got.push({ url: request.url, body, signature: request.headers['merchant-signature'] });
      if (request.url === '/moved') response.writeHead(302, { Location: '/taken' }).end();
      else if (request.url === '/endless') {
        response.writeHead(200);
        const chunk = Buffer.alloc(65_536);
        const pump = (): void => {
          while (!response.destroyed && response.write(chunk));
        };
        response.on('drain', pump);
        pump();
      } else response.writeHead(request.url === '/fault' ? 500 : 204).end();
    })();
  });
  host = new URL(await listen(server)).host;
});
afterAll(() => close(server));

const send = (url: string, hosts = [host]) =>
  webhookSender(hosts, systemRuntime.timers)({ url, body: '{"type":"order_create"}', headers: { 'Merchant-Signature': 't=1,v1=2' } });

test('sends a webhook unchanged and accepts 2xx', async () => {
  expect(await send(`http://${host}/taken`)).toBeUndefined();
  expect(got.at(-1)).toEqual({ url: '/taken', body: '{"type":"order_create"}', signature: 't=1,v1=2' });
});

test('reports redirects and server errors as failures', async () => {
  const before = got.length;
  expect(await send(`http://${host}/moved`)).toBe('returned 302');
  expect(await send(`http://${host}/fault`)).toBe('returned 500');
  expect(got.length).toBe(before + 2);
});

test('reads only the beginning of an endless response', async () => expect(await send(`http://${host}/endless`)).toBeUndefined());

test('aborts a webhook whose receiver does not respond in time', async () => {
  let aborted: boolean | undefined;
  const timers = { wait: () => ({ over: Promise.resolve(), cancel: () => undefined }) };
  const never = (_address: string, init: RequestInit): Promise<Response> =>
    new Promise((_resolve, reject) => {
      init.signal?.addEventListener('abort', () => {
        aborted = true;
        reject(new Error('aborted'));
      });
    });
  const late = await webhookSender([host], timers, never)({ url: `http://${host}/`, body: '', headers: {} });
  expect([late, aborted]).toEqual(['no response within 5000 ms', true]);
});

test.each([
  ['a host that is not listed', 'https://elsewhere.example/', 'is not in commerce.webhook_hosts'],
  ['another port of a listed host', 'https://agent.example:8443/', 'is not in commerce.webhook_hosts'],
  ['http to another machine', 'http://agent.example/', 'is not https'],
  ['another scheme', 'ftp://agent.example/', 'is not https'],
  ['a password', 'https://user:secret@agent.example/', 'cannot be read'],
  ['a host before an @', 'https://agent.example@elsewhere.example/', 'cannot be read'],
  ['no address', 'agent.example', 'cannot be read'],
])('nothing is sent to %s', async (_case, url, fault) => {
  let asked = 0;
  const count = async (): Promise<Response> => {
    asked += 1;
    return new Response();
  };
  const sender = webhookSender(['agent.example'], systemRuntime.timers, count);
  expect(await sender({ url, body: '', headers: {} })).toContain(fault);
  expect(asked).toBe(0);
  expect(await sender({ url: 'https://agent.example/orders', body: '', headers: {} })).toBeUndefined();
});
