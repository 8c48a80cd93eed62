import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { functionPaths } from '../../../src/routes/route-table.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { serveBuiltFiles } from '../../support/built-files.ts';
import { builtGenerated, useEdgeGateway } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { FUNCTION_ROUTES, TABLE } from '../../support/function-routes.ts';
import { HOSTILE_NAMES } from '../../support/hostile-paths.ts';
import { words } from '../../support/words.ts';

const { deployment } = await builtGenerated();
const offer = deployment.offers[0]?.id ?? '';
const asked: string[] = [];
const gateway = useEdgeGateway(async () => {
  const serve = await serveBuiltFiles();
  return {
    files: (request) => {
      asked.push(new URL(request.url).pathname);
      return serve(request);
    },
  };
});

const AT_A_TIME = 16;

async function faultsOf(requests: readonly (readonly [path: string, init: RequestInit])[]): Promise<string[]> {
  const faults: string[] = [];
  const waiting = requests.values();
  const lane = async (): Promise<void> => {
    for (const [path, init] of waiting) {
      const { status, body } = await gateway.fetch(path, init);
      await body?.cancel();
      if (status >= 500) faults.push(`${init.method ?? 'GET'} ${path}: ${status}`);
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, lane));
  return faults;
}

const FOLDERS = functionPaths(TABLE).flatMap((path) => (path.endsWith('/*') ? [path.slice(0, -1)] : []));

describe('a name that no file can have', () => {
  test('is no fault in any folder and by any method', async () => {
    const requests = FOLDERS.flatMap((folder, turn) =>
      HOSTILE_NAMES.flatMap((name, at) =>
        ['GET', ...((at + turn) % 3 === 0 ? ['HEAD', 'POST'] : [])].map((method) => [folder + name, { method }] as const),
      ),
    );
    expect(await faultsOf(requests)).toEqual([]);
  });

  // Each route meets every fourth name, the next route the next ones; `npm run fuzz` tries more of them.
  test.each(FUNCTION_ROUTES.filter(({ route }) => route.path.includes('{')).map((each, turn) => ({ ...each, init: each.init, turn })))(
    'is no fault as a parameter of $id',
    async ({ route, path, init, turn }) => {
      const segments = path.split('/');
      const names = HOSTILE_NAMES.filter((_, at) => (at + turn) % 4 === 0);
      const places = route.path.split('/').flatMap((segment, at) => (segment.startsWith('{') ? [at] : []));
      const paths = places.flatMap((at) => names.map((name) => segments.with(at, name).join('/')));
      expect(await faultsOf(paths.map((address) => [address, init]))).toEqual([]);
    },
  );

  test.each(['/buy/', '/checkout/a/', '/orders/a/b/c/'])(
    'is 404 below %s, without the server of files being asked for it',
    async (prefix) => {
      for (const name of HOSTILE_NAMES.filter((each) => /[^\w~./\\-]|[^/]{251}|^\/|\.\w+\//.test(each) && each.length < 1_950)) {
        asked.length = 0;
        const response = await gateway.fetch(prefix + name);
        const isPage = !/\.(?:json|md)$/.test(name);
        const type = isPage ? /^text\/html/ : /^application\/problem\+json/;
        expect([name, response.status, response.headers.get('content-type')]).toEqual([name, 404, expect.stringMatching(type)]);
        expect(await response.text()).toContain(isPage ? '<html' : '"code":');
        expect(asked.filter((path) => path.startsWith(prefix))).toEqual([]);
      }
    },
  );
});

describe('an address without a page', () => {
  const ADDRESSES = ['/buy/no-such-offer', `/buy/${'a'.repeat(300)}`, '/buy/%00', '/buy/a/b', `/buy/${offer}.html/a`, '/orders/a/b/c'];

  test.each(ADDRESSES)('%s is answered with the page about that, and with a problem document to who prefers that', async (address) => {
    for (const accept of [undefined, '*/*', 'text/html, application/json;q=0.9', 'image/png']) {
      const response = await gateway.fetch(address, { headers: accept === undefined ? {} : { Accept: accept } });
      expect([response.status, response.headers.get('content-type')]).toEqual([404, expect.stringMatching(/^text\/html/)]);
    }
    for (const accept of ['application/json', 'application/problem+json, text/html;q=0.5'])
      await expectProblem(
        await gateway.fetch(address, { headers: { Accept: accept } }),
        /^\/buy\/[^/]*$/.test(address) ? 'offer_not_found' : 'route_not_found',
      );
  });
});

async function statusOf(line: string, header: string, body: string): Promise<number> {
  const { port } = await gateway.running().miniflare.ready;
  const socket = connect(Number(port), '127.0.0.1').setEncoding('latin1');
  socket.write(`${line} HTTP/1.1\r\nHost: a\r\n${header}\r\n\r\n${body}`);
  try {
    for await (const text of socket) return Number(/^HTTP\/1\.1 (\d{3}) /.exec(String(text))?.[1]);
    return Number.NaN;
  } finally {
    socket.destroy();
  }
}

const STATUS = `${PATHS.publicCapsules}/status`;
const [LARGE, BROKEN] = [
  ['Content-Length: 40000', 'x'.repeat(40_000)],
  ['Transfer-Encoding: chunked', 'zz\r\n'],
] as const;

test.each([
  [`GET ${STATUS}`, ...LARGE, 200],
  [`GET ${STATUS}`, ...BROKEN, 200],
  ['POST /api/nowhere', ...BROKEN, 404],
  [`PUT ${STATUS}`, ...BROKEN, 405],
  [`POST /api/${'a'.repeat(LIMITS.requestUrlMaxLength)}`, ...BROKEN, 414],
] as const)('%s with a body that is not read (%s) is answered as without it', async (line, header, body, status) => {
  expect(await statusOf(line, header, body)).toBe(status);
});

test.each(['identity;q=0', '*;q=0'])('a page is answered whatever coding is refused: %s', async (coding) => {
  expect((await fetch(`${gateway.running().origin}/buy/${offer}`, { headers: { 'Accept-Encoding': coding } })).status).toBe(200);
});

test.each([`/buy/%${offer.charCodeAt(0).toString(16)}${offer.slice(1)}`, '/%63heckout'])(
  '%s is the page, though a letter of it is encoded',
  async (address) => expect((await gateway.fetch(address)).status).toBe(200),
);

test.each([
  ...words`
    /.well-known/x402/a /.well-known/x402/a/ /.well-known/api-catalog/ /.well-known/api-catalog/x
    /.well-known/oauth-protected-resource/ /.well-known/oauth-protected-resource/mcp/x /.well-known/mcp/server-card/x
    /mcp/server-card/x /llms.txt/ /robots.txt/x /_headers /_headers/x /_redirects /_routes.json /_worker.js/index.js
  `,
])('%s is 404, though there is a file of the name of its folder', async (address) => {
  for (const method of ['GET', 'HEAD']) expect((await gateway.fetch(address, { method })).status).toBe(404);
});
