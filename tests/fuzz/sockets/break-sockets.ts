import { connect } from 'node:net';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { below, type Random, seededRandom } from '../../eval/random.ts';
import { builtGenerated, startEdgeGateway } from '../../support/edge-gateway.ts';
import { oneOf } from '../choose.ts';

/** Bytes that break the grammar of HTTP, or stretch it, and what becomes of the connection while they are sent. */
interface BrokenRequest {
  readonly name: string;
  /** What is written, piece by piece; one character is one byte. */
  readonly pieces: readonly string[];
  /** Milliseconds between two pieces. */
  readonly pauseMs?: number;
  /** What the client does after the last piece: nothing, says that no more comes, or breaks off. */
  readonly after?: 'waits' | 'ends' | 'breaks off';
  /** Whether no answer at all is what one would expect: the request is not whole. */
  readonly unfinished?: boolean;
  /** Status that it must be answered with, where there is but one right one. */
  readonly status?: number;
  /** Most answers that may come; more would be an answer to what was smuggled. */
  readonly answersMax?: number;
}

const STATUS = `${PATHS.publicCapsules}/status`;
const QUERY = `${PATHS.gateway}/query`;
const SMUGGLED = `GET ${PATHS.gateway}/smuggled HTTP/1.1\r\nHost: smuggled\r\n\r\n`;
const request = (line: string, headers: readonly string[] = ['Host: a'], body = ''): string =>
  `${line}\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n${body}`;
const get = (...headers: string[]): string => request(`GET ${STATUS} HTTP/1.1`, ['Host: a', ...headers]);
const post = (headers: readonly string[], body: string): string =>
  request(`POST ${QUERY} HTTP/1.1`, ['Host: a', 'Content-Type: application/json', ...headers], body);
const whole = (name: string, text: string, more: Partial<BrokenRequest> = {}): BrokenRequest => ({
  name,
  pieces: [text],
  answersMax: 1,
  ...more,
});

/** Every way to break a request that has a name. */
const BROKEN_REQUESTS: readonly BrokenRequest[] = [
  whole('no method', request(`${STATUS} HTTP/1.1`)),
  whole('no version', `GET ${STATUS}\r\n\r\n`),
  whole('only spaces', '   \r\n\r\n'),
  whole('empty lines first', `\r\n\r\n${get()}`),
  whole('two spaces', request(`GET  ${STATUS} HTTP/1.1`)),
  whole('tabs for spaces', request(`GET\t${STATUS}\tHTTP/1.1`)),
  whole('a space in the target', request(`GET ${STATUS} x HTTP/1.1`)),
  whole('bytes beyond ASCII in the target', request(`GET ${STATUS}?\xff\xfe\xc3 HTTP/1.1`)),
  whole('NUL in the target', request(`GET ${STATUS}\0 HTTP/1.1`)),
  whole('lower-case method', request(`get ${STATUS} HTTP/1.1`)),
  whole('unknown method', request(`BREW ${STATUS} HTTP/1.1`)),
  whole('endless method', request(`${'A'.repeat(70_000)} ${STATUS} HTTP/1.1`)),
  whole('CONNECT', request('CONNECT a:443 HTTP/1.1')),
  whole('TRACE', request(`TRACE ${STATUS} HTTP/1.1`)),
  whole('asterisk', request('OPTIONS * HTTP/1.1')),
  whole('absolute form', request(`GET http://other.example${STATUS} HTTP/1.1`)),
  whole('absolute form of another scheme', request('GET gopher://x/1 HTTP/1.1')),
  whole('target without a slash', request('GET api/v1 HTTP/1.1')),
  whole('empty target', request('GET  HTTP/1.1')),
  whole('fragment', request(`GET ${STATUS}#x HTTP/1.1`)),
  whole('climbing target', request('GET /api/../../../etc/passwd HTTP/1.1')),
  whole('long target', request(`GET /api/${'a'.repeat(100_000)} HTTP/1.1`)),
  whole('HTTP/1.0', request(`GET ${STATUS} HTTP/1.0`, [])),
  whole('HTTP/0.9', `GET ${STATUS}\r\n`, { unfinished: true }),
  whole('HTTP/1.2', request(`GET ${STATUS} HTTP/1.2`)),
  whole('HTTP/2.0', request(`GET ${STATUS} HTTP/2.0`)),
  whole('HTTP/9999999999.1', request(`GET ${STATUS} HTTP/9999999999.1`)),
  whole('preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  whole('no Host', request(`GET ${STATUS} HTTP/1.1`, [])),
  whole('two Hosts', request(`GET ${STATUS} HTTP/1.1`, ['Host: a', 'Host: b'])),
  whole('odd Host', request(`GET ${STATUS} HTTP/1.1`, ['Host: a b<>"@:99999999'])),
  whole('empty Host', request(`GET ${STATUS} HTTP/1.1`, ['Host:'])),
  whole('NUL in a header', get('X-A: a\0b')),
  whole('bare CR in a header', get('X-A: a\rX-B: b')),
  whole('bare LF for line ends', get().replaceAll('\r\n', '\n')),
  whole('header without a colon', get('X-A')),
  whole('header without a name', get(': a')),
  whole('space before the colon', get('X-A : b')),
  whole('header folded', get('X-A: a\r\n b')),
  whole('bytes beyond ASCII in a header', get('X-\xff: \xff\xfe')),
  whole('control characters in a name', get('X-\x01\x7f: a')),
  whole('huge header', get(`X-A: ${'a'.repeat(300_000)}`)),
  whole('many headers', get(...Array.from({ length: 5_000 }, (_, index) => `X-${index}: a`))),
  whole('many equal headers', get(...Array.from({ length: 500 }, () => 'Authorization: Bearer a'))),
  whole('huge Authorization', get(`Authorization: Bearer ${'a'.repeat(60_000)}`)),
  whole('Content-Length and Transfer-Encoding', post(['Content-Length: 4', 'Transfer-Encoding: chunked'], `0\r\n\r\n${SMUGGLED}`)),
  whole(
    'Transfer-Encoding and Content-Length',
    post(['Transfer-Encoding: chunked', `Content-Length: ${5 + SMUGGLED.length}`], `0\r\n\r\n${SMUGGLED}`),
  ),
  whole('two Content-Lengths', post(['Content-Length: 2', `Content-Length: ${2 + SMUGGLED.length}`], `{}${SMUGGLED}`)),
  whole('two Content-Lengths in one', post(['Content-Length: 2, 3'], `{}${SMUGGLED}`)),
  whole('negative Content-Length', post(['Content-Length: -1'], `{}${SMUGGLED}`)),
  whole('Content-Length with a sign', post(['Content-Length: +2'], `{}${SMUGGLED}`)),
  whole('Content-Length in hexadecimal', post(['Content-Length: 0x2'], `{}${SMUGGLED}`)),
  whole('Content-Length beyond all numbers', post(['Content-Length: 99999999999999999999999999'], '{}'), { unfinished: true }),
  whole('Content-Length that is no number', post(['Content-Length: x'], '{}')),
  whole('obfuscated chunked', post(['Transfer-Encoding: xchunked', 'Content-Length: 2'], `{}${SMUGGLED}`)),
  whole('chunked with a tab', post(['Transfer-Encoding:\tchunked'], '2\r\n{}\r\n0\r\n\r\n')),
  whole('chunked, then identity', post(['Transfer-Encoding: chunked, identity'], `2\r\n{}\r\n0\r\n\r\n${SMUGGLED}`)),
  whole('gzip, then chunked', post(['Transfer-Encoding: gzip, chunked'], '2\r\n{}\r\n0\r\n\r\n')),
  whole('two Transfer-Encodings', post(['Transfer-Encoding: chunked', 'Transfer-Encoding: identity'], `0\r\n\r\n${SMUGGLED}`)),
  whole('chunk size that is none', post(['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n')),
  whole('negative chunk size', post(['Transfer-Encoding: chunked'], '-2\r\n{}\r\n0\r\n\r\n')),
  whole('huge chunk size', post(['Transfer-Encoding: chunked'], 'ffffffffffffffffff\r\n{}\r\n0\r\n\r\n')),
  whole('chunk longer than its size', post(['Transfer-Encoding: chunked'], '1\r\n{}\r\n0\r\n\r\n')),
  whole('chunk shorter than its size', post(['Transfer-Encoding: chunked'], 'ff\r\n{}\r\n0\r\n\r\n'), { after: 'ends' }),
  whole('chunk extensions', post(['Transfer-Encoding: chunked'], `2;a=b;${'c'.repeat(5_000)}\r\n{}\r\n0\r\n\r\n`)),
  whole('trailers', post(['Transfer-Encoding: chunked'], '2\r\n{}\r\n0\r\nContent-Length: 9\r\nX: y\r\n\r\n')),
  whole('a body with GET', request(`GET ${STATUS} HTTP/1.1`, ['Host: a', 'Content-Length: 2'], '{}')),
  whole('a large body with GET', request(`GET ${STATUS} HTTP/1.1`, ['Host: a', 'Content-Length: 40000'], 'x'.repeat(40_000)), {
    status: 200,
  }),
  whole('a broken body with GET', request(`GET ${STATUS} HTTP/1.1`, ['Host: a', 'Transfer-Encoding: chunked'], 'zz\r\n'), { status: 200 }),
  whole('a broken body to nowhere', request('POST /api/nowhere HTTP/1.1', ['Host: a', 'Transfer-Encoding: chunked'], 'zz\r\n'), {
    status: 404,
  }),
  whole(
    'a broken body with a method that is not taken',
    request(`PUT ${STATUS} HTTP/1.1`, ['Host: a', 'Transfer-Encoding: chunked'], 'zz\r\n'),
    { status: 405 },
  ),
  whole(
    'a broken body at a long address',
    request(`POST /api/${'a'.repeat(LIMITS.requestUrlMaxLength)} HTTP/1.1`, ['Host: a', 'Transfer-Encoding: chunked'], 'zz\r\n'),
    { status: 414 },
  ),
  whole('a body with HEAD', request(`HEAD ${STATUS} HTTP/1.1`, ['Host: a', 'Content-Length: 2'], '{}')),
  whole('Expect of something else', post(['Expect: 200-ok', 'Content-Length: 2'], '{}')),
  whole('Expect: 100-continue', post(['Expect: 100-continue', 'Content-Length: 2'], '{}'), { answersMax: 2 }),
  whole(
    'Upgrade',
    get('Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=='),
  ),
  whole('Upgrade to h2c', get('Connection: Upgrade, HTTP2-Settings', 'Upgrade: h2c', 'HTTP2-Settings: AAMAAABkAARAAAAAAAIAAAAA')),
  whole('TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'.padEnd(300, '\x07'), { after: 'ends' }),
  whole('noise', Array.from({ length: 2_000 }, (_, index) => String.fromCharCode((index * 97 + 31) % 256)).join(''), { after: 'ends' }),
  whole('body larger than the bound', post(['Content-Length: 200000'], 'x'.repeat(200_000))),
  whole('chunked body larger than the bound', post(['Transfer-Encoding: chunked'], `30d40\r\n${'x'.repeat(200_000)}\r\n0\r\n\r\n`)),
  whole('body that ends early', post(['Content-Length: 100'], '{"query"'), { after: 'ends', unfinished: true }),
  whole('body that breaks off', post(['Content-Length: 100'], '{"query"'), { after: 'breaks off', unfinished: true }),
  whole('headers that break off', get().slice(0, 40), { after: 'breaks off', unfinished: true }),
  whole('headers that end early', get().slice(0, 40), { after: 'ends', unfinished: true }),
  whole('nothing at all', '', { after: 'ends', unfinished: true }),
  whole('body that never comes', post(['Content-Length: 100'], ''), { unfinished: true }),
  { name: 'slow headers', pieces: [...get()], pauseMs: 1, answersMax: 1 },
  { name: 'slow body', pieces: [post(['Content-Length: 17'], ''), ...'{"query":"cache"}'], pauseMs: 5, answersMax: 1 },
  { name: 'pipelined', pieces: [get().repeat(20)], answersMax: 20 },
  { name: 'pipelined, the second broken', pieces: [`${get()}BROKEN\r\n\r\n${get()}`], answersMax: 3 },
  { name: 'pipelined after a refused body', pieces: [post(['Content-Length: 2'], '{}') + get()], answersMax: 2 },
];

/** A well-formed request in which some bytes were changed, left out or doubled. */
function garbledRequest(random: Random): BrokenRequest {
  let text = oneOf(random, [
    get(),
    post(['Content-Length: 17'], '{"query":"cache"}'),
    post(['Transfer-Encoding: chunked'], '11\r\n{"query":"cache"}\r\n0\r\n\r\n'),
  ]);
  for (let turn = 1 + below(random, 4); turn > 0; turn -= 1) {
    const at = below(random, text.length);
    const byte = String.fromCharCode(below(random, 256));
    text =
      text.slice(0, at) +
      oneOf(random, [byte, '', text.slice(at, at + 20) + text.slice(at, at + 1), '\r\n', ' ', '\0']) +
      text.slice(at + 1);
  }
  return { name: `garbled ${JSON.stringify(text).slice(0, 400)}`, pieces: [text], after: 'ends', unfinished: true, answersMax: 3 };
}

/** Connections open at a time. */
const AT_A_TIME = 16;
/** Milliseconds after which a connection that is neither answered nor closed counts as one that hangs. */
const PATIENCE_MS = 4_000;
/** Milliseconds of silence after an answer, in which another one could come. */
const QUIET_MS = 150;
/** What came back on a connection. */
interface Received {
  readonly text: string;
  readonly end: 'closed' | 'quiet' | 'timeout';
}

/**
 * Sends requests that break the grammar of HTTP, those that have a name and others garbled at random, to the compiled functions in workerd, over connections of their own. Each must be answered with
 * 4xx, refused by workerd itself, closed, or answered well where it is only odd; the service must go on answering.
 *
 * @param garbled How many are garbled at random.
 * @returns The number of faults found.
 */
export async function breakSockets(seed: number, print: (line: string) => void, garbled: number): Promise<number> {
  const { deployment } = await builtGenerated();
  const edge = await startEdgeGateway({ generated: { deployment: { ...deployment, rateLimits: 'bench' } } });
  try {
    const port = Number((await edge.miniflare.ready).port);
    const random = seededRandom(seed);
    const cases = [...BROKEN_REQUESTS, ...Array.from({ length: garbled }, () => garbledRequest(random))];
    const ends: Record<string, number> = {};
    const faults: string[] = [];
    const began = performance.now();
    for (let at = 0; at < cases.length; at += AT_A_TIME) {
      const batch = cases.slice(at, at + AT_A_TIME);
      await Promise.all(
        batch.map(async (each) => {
          const received = await exchange(port, each);
          const { statuses, faults: own } = judgeReceived(each, received);
          const name = statuses.length === 0 ? received.end : statuses.join('+');
          ends[name] = (ends[name] ?? 0) + 1;
          faults.push(...own.map((fault) => `${each.name}: ${fault}`));
        }),
      );
      const alive = await exchange(port, WELL_FORMED);
      if (!alive.text.startsWith('HTTP/1.1 200 '))
        faults.push(`after ${batch.map(({ name }) => name).join(', ')}: a good request gets ${JSON.stringify(alive.text.slice(0, 80))}`);
    }
    const seconds = (performance.now() - began) / 1_000;
    print(`\nbroken requests in workerd: ${cases.length} in ${seconds.toFixed(1)} s, seed ${seed}`);
    print(
      `  ${Object.entries(ends)
        .map(([end, count]) => `${end}: ${count}`)
        .join('  ')}`,
    );
    for (const fault of faults) print(`  FINDING ${fault}`);
    return faults.length;
  } finally {
    await edge.stop();
  }
}

const WELL_FORMED: BrokenRequest = {
  name: 'good',
  pieces: [`GET ${PATHS.publicCapsules}/status HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`],
};

/** Sends a request over a connection of its own, and gathers what comes back until it is closed or silent. */
function exchange(port: number, { pieces, pauseMs = 0, after = 'waits', unfinished = false }: BrokenRequest): Promise<Received> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    let text = '';
    let quiet: NodeJS.Timeout | undefined;
    const finish = (end: Received['end']): void => {
      clearTimeout(quiet);
      clearTimeout(patience);
      socket.destroy();
      resolve({ text, end });
    };
    const patience = setTimeout(() => finish('timeout'), unfinished ? QUIET_MS * 4 : PATIENCE_MS);
    socket.on('data', (data) => {
      text += data.toString('latin1');
      clearTimeout(quiet);
      quiet = setTimeout(() => finish('quiet'), QUIET_MS);
    });
    socket.on('close', () => finish('closed'));
    socket.on('error', () => finish('closed'));
    socket.on('connect', async () => {
      for (const piece of pieces) {
        socket.write(piece, 'latin1');
        if (pauseMs > 0) await new Promise((resume) => setTimeout(resume, pauseMs));
      }
      if (after === 'ends') socket.end();
      if (after === 'breaks off') setTimeout(() => socket.destroy(), 20);
    });
  });
}

function judgeReceived(
  { unfinished = false, answersMax = 1, status }: BrokenRequest,
  { text, end }: Received,
): { statuses: number[]; faults: string[] } {
  const statuses = [...text.matchAll(/^HTTP\/1\.[01] (\d{3}) /gm)].map(([, status]) => Number(status));
  const faults: string[] = [];
  for (const answer of text.split(/^(?=HTTP\/1\.[01] \d{3} )/m)) {
    // What has no request id was answered by workerd itself, without asking the functions; it has to close the connection.
    const isOurs = /^X-Request-Id: /m.test(answer);
    if (/^HTTP\/1\.[01] 5/.test(answer) && (isOurs || !/^Connection: close\r$/m.test(answer)))
      faults.push(`is answered with ${JSON.stringify(answer.slice(0, 1_200))}`);
  }
  if (status !== undefined && statuses[0] !== status) faults.push(`is answered ${statuses[0]} instead of ${status}`);
  if (statuses.length > answersMax) faults.push(`is answered ${statuses.length} times: ${statuses.join(', ')}`);
  if (statuses.length === 0 && end === 'timeout' && !unfinished) faults.push('is neither answered nor closed');
  if (text !== '' && statuses.length === 0) faults.push(`is answered with what is no HTTP: ${JSON.stringify(text.slice(0, 80))}`);
  if (/akg_(live|test)_[0-9A-Za-z]{8}|\n\s+at /.test(text)) faults.push('shows the inside');
  return { statuses, faults };
}
