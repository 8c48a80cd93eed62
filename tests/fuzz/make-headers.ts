import { below, chance, oneOf, type Random, weighted } from '../eval/random.ts';
import { signatureOf } from '../support/stripe-messages.ts';
import { words } from '../support/words.ts';
import { IDEMPOTENCY_CANARY } from './canaries.ts';
import type { DescribedOperation } from './described-api.ts';
import { hostileText, longText } from './hostile-values.ts';
import type { RequestSource } from './make-request.ts';

type Header = readonly [name: string, value: string];

/** Headers of a request: those that the operation wants, and sometimes others, odd ones, many or huge ones. */
export function makeHeaders(operation: DescribedOperation, source: RequestSource, faulty: boolean, body: Uint8Array | undefined): Header[] {
  const { random, nowMs } = source;
  const headers: Header[] = [];
  if (body !== undefined) headers.push(...contentType(random, faulty));
  if (operation.needsKey || chance(random, 0.05)) headers.push(...authorization(operation, source, faulty));
  for (const { name, required, example } of operation.parameters.filter((parameter) => parameter.in === 'header')) {
    if (!(required ? !faulty || chance(random, 0.97) : chance(random, 0.3))) continue;
    const isKey = name === 'Idempotency-Key';
    const good = isKey
      ? idempotencyKey(random)
      : name === 'Stripe-Signature' && body
        ? signatureOf(body, { atMs: nowMs })
        : String(example ?? 'x');
    headers.push([name, faulty && chance(random, isKey ? 0.4 : 0.1) ? oddIdempotencyKey(random) : good]);
  }
  if (chance(random, 0.2)) headers.push(['Accept', accept(operation, random)]);
  if (chance(random, 0.1)) headers.push(['If-None-Match', entityTags(source)]);
  if (chance(random, 0.1))
    headers.push(['X-Request-Id', chance(random, 0.6) ? `fuzz-${below(random, 1e9)}` : headerText(hostileText(random))]);
  if (faulty && chance(random, 0.25)) headers.push(...oddHeaders(random));
  if (faulty && chance(random, 0.03))
    headers.push(...Array.from({ length: oneOf(random, [20, 90]) }, (_, index): Header => [`X-Many-${index}`, 'x']));
  return headers;
}

function contentType(random: Random, faulty: boolean): Header[] {
  const plain: Header = ['Content-Type', 'application/json'];
  if (!faulty || chance(random, 0.85)) return [plain];
  return oneOf<Header[]>(random, [
    [],
    [['Content-Type', 'application/json; charset=utf-8']],
    [['Content-Type', 'application/json; charset="UTF-8"']],
    [['Content-Type', 'application/json; charset=utf-16']],
    [['Content-Type', 'APPLICATION/JSON']],
    [['Content-Type', 'application/json;']],
    [['Content-Type', 'application/json, text/plain']],
    [['Content-Type', 'application/jsonx']],
    [['Content-Type', 'application/ld+json']],
    [['Content-Type', 'text/plain']],
    [['Content-Type', 'application/x-www-form-urlencoded']],
    [['Content-Type', 'multipart/form-data; boundary=x']],
    [['Content-Type', headerText(hostileText(random))]],
    [plain, ['Content-Encoding', oneOf(random, ['gzip', 'br', 'identity', 'deflate', 'gzip, gzip', 'x'])]],
    [plain, plain],
  ]);
}

function authorization({ path }: DescribedOperation, { random, remembered }: RequestSource, faulty: boolean): Header[] {
  // Keys with every scope are kept from being revoked or replaced.
  const all = chance(random, 0.5) && !/\/(revoke|rotate)$/.test(path) ? remembered.take('whole_key', random) : undefined;
  const key = all ?? remembered.take('api_key', random) ?? 'none';
  const good: Header = ['Authorization', `Bearer ${key}`];
  if (!faulty || chance(random, 0.7)) return [good];
  return weighted<Header[]>(random, [
    [2, () => []],
    [4, () => [['Authorization', `Bearer ${remembered.take('odd_key', random) ?? key}`]]],
    [1, () => [['Authorization', '']]],
    [1, () => [['Authorization', 'Bearer']]],
    [1, () => [['Authorization', `bearer ${key}`]]],
    [1, () => [['Authorization', `Basic ${key}`]]],
    [1, () => [['Authorization', `Bearer  ${key} `]]],
    [1, () => [['Authorization', `Bearer ${key},Bearer ${key}`]]],
    [1, () => [good, good]],
    [1, () => [['Authorization', `Bearer ${flipCharacter(key, random)}`]]],
    [1, () => [['Authorization', `Bearer ${key.slice(0, -1)}`]]],
    [1, () => [['Authorization', `Bearer akg_live_${key.slice(9)}`]]],
    [1, () => [['Authorization', `Bearer ${'akg_test_'.repeat(20)}`]]],
    [1, () => [['Authorization', headerText(longText(random, [256, 257, 4_000]))]]],
    [1, () => [['Authorization', headerText(hostileText(random))]]],
    [1, () => [['X-Api-Key', key]]],
    [1, () => [['Cookie', `api_key=${key}`]]],
  ]);
}

function flipCharacter(text: string, random: Random): string {
  const position = below(random, text.length);
  return `${text.slice(0, position)}${text[position] === '0' ? '1' : '0'}${text.slice(position + 1)}`;
}

/** One of a few keys, so that repetitions happen; all of them can be recognised wherever they turn up. */
function idempotencyKey(random: Random): string {
  const key = `${IDEMPOTENCY_CANARY}${String(below(random, chance(random, 0.5) ? 40 : 1e9)).padStart(24, '0')}`;
  return chance(random, 0.5) ? key : `"${key}"`;
}

function oddIdempotencyKey(random: Random): string {
  return oneOf(random, [
    '',
    '""',
    '"',
    'short',
    'a b'.repeat(10),
    'x'.repeat(255),
    'x'.repeat(256),
    'x'.repeat(5_000),
    '\u00e9'.repeat(30),
    headerText(hostileText(random)),
  ]);
}

function accept(operation: DescribedOperation, random: Random): string {
  const types = [...operation.answers.values()].flatMap(({ types: own }) => [...own.keys()]);
  return oneOf(random, [
    ...types,
    ...types.map((type) => `${type};q=0.5, */*;q=0.1`),
    '*/*',
    '',
    ...words`text/* image/png application/json;q=0 */*;q=0 application/json;q=abc application/json;q=1.0001 ,,,`,
    'a/b,'.repeat(500),
    headerText(hostileText(random)),
  ]);
}

function entityTags({ random, remembered }: RequestSource): string {
  const known = remembered.take('etag', random) ?? '"x"';
  return oneOf(random, [
    known,
    `W/${known}`,
    '*',
    '"x"',
    `"a", ${known}`,
    known.slice(1),
    '""',
    ','.repeat(2_000),
    headerText(hostileText(random)),
  ]);
}

function oddHeaders(random: Random): Header[] {
  return oneOf<Header[]>(random, [
    [['X-HTTP-Method-Override', 'DELETE']],
    [['Range', 'bytes=0-1']],
    [['Origin', 'https://evil.example']],
    [['Origin', 'null']],
    [['X-Forwarded-Host', 'evil.example']],
    [['X-Forwarded-For', '127.0.0.1']],
    [['X-Forwarded-Proto', 'javascript']],
    [['Forwarded', 'host=evil.example']],
    [['X-Original-URL', '/api/v1/admin']],
    [['Cookie', 'a=b; '.repeat(200)]],
    [['Accept-Language', 'xx, *;q=0']],
    [['Accept-Encoding', 'identity;q=0']],
    [['If-Match', '"x"']],
    [['If-Modified-Since', 'Thu, 01 Jan 1970 00:00:00 GMT']],
    [['Cache-Control', 'no-cache, max-age=-1']],
    [['Referer', 'javascript:alert(1)']],
    [['User-Agent', headerText(hostileText(random))]],
    [['CF-Connecting-IP', oneOf(random, ['::1', '1.2.3.4', 'x', '', '::ffff:1.2.3.4', '999.1.1.1', 'fe80::1%eth0', '2001:db8::1'])]],
    [['X-Long', 'x'.repeat(oneOf(random, [1_000, 8_000]))]],
  ]);
}

/** A text as the bytes of a header: UTF-8, without what no header can hold. */
function headerText(text: string): string {
  return String.fromCharCode(...new TextEncoder().encode(text.slice(0, 4_000)))
    .replace(/[\r\n\0]/g, '')
    .trim();
}
