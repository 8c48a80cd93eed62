import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { HttpClient } from '../../../bench/query-peers/http-client.ts';
import { percentile } from '../../../bench/query-peers/load.ts';
import { reasonOf } from '../../../bench/query-peers/prepare-engine.ts';
import { parseMemory, parseStat } from '../../../bench/query-peers/process-figures.ts';
import { splitText } from '../../../bench/query-peers/split-text.ts';

test('a process is known by its name, whatever characters it has, and by its parent', () => {
  expect(parseStat('4711 (work) (erd) S 42 4711 4711 0 -1')).toEqual({ name: 'work) (erd', parent: 42 });
});

test('memory is read in bytes', () => {
  const status = 'Name:\tworkerd\nVmHWM:\t  2048 kB\nVmRSS:\t  1024 kB\nThreads:\t9\n';
  expect(parseMemory(status)).toEqual({ resident: 2 ** 20, peak: 2 ** 21 });
});

test('a percentile is the value that a share of them does not exceed', () => {
  const values = Array.from({ length: 100 }, (_, at) => 100 - at);
  expect([0.5, 0.99, 1].map((share) => percentile(values, share))).toEqual([50, 99, 100]);
  expect(percentile([], 0.5)).toBe(0);
});

test.each([
  ['', 3, ['']],
  ['abc', 3, ['abc']],
  ['abcdefg', 3, ['abc', 'def', 'g']],
])('%j is divided into pieces of %i', (text, length, parts) => {
  expect(splitText(text, length)).toEqual(parts);
});

test('the reason of a process that ended is found in what it said', () => {
  expect(reasonOf('node:internal\n\nRangeError: Invalid string length\n    at JSON.stringify')).toBe('RangeError: Invalid string length');
  expect(reasonOf('<--- Last few GCs --->\nFATAL ERROR: Ineffective mark-compacts near heap limit JavaScript heap out of memory')).toBe(
    'heap out of memory',
  );
  expect(reasonOf('nothing')).toBeUndefined();
});

test('a client gives the body of an answer, and throws for another status', async () => {
  const server = createServer((request, response) => {
    response.statusCode = request.url === '/good' ? 200 : 500;
    response.end(`${request.method} ${request.url}`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const client = new HttpClient(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 1);
  try {
    expect(await client.ask('/good', 5_000)).toBe('GET /good');
    expect(await client.ask('/good', 5_000, { method: 'PUT', bytes: 'a' })).toBe('PUT /good');
    await expect(client.ask('/bad', 5_000)).rejects.toThrow('/bad was answered with 500: GET /bad');
  } finally {
    client.close();
    await new Promise((resolve) => server.close(resolve));
  }
});
