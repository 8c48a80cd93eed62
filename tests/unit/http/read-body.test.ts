import { describe, expect, test } from 'vitest';
import { formBody, jsonBody, readBody } from '../../../src/http/read-body.ts';

const SITE = 'https://signpost.example';

function requestOf(pull: (controller: ReadableStreamDefaultController<Uint8Array>, turn: number) => void): Request {
  let turn = 0;
  const body = new ReadableStream<Uint8Array>({ pull: (controller) => pull(controller, turn++) });
  return new Request('http://127.0.0.1/', { method: 'POST', body, duplex: 'half' } as RequestInit);
}

describe('readBody()', () => {
  test('joins the pieces of a body up to the cap', async () => {
    const body = requestOf((controller, turn) => (turn < 4 ? controller.enqueue(Uint8Array.of(turn, turn)) : controller.close()));
    expect(await readBody(body, SITE, 8)).toEqual({ ok: true, value: Uint8Array.of(0, 0, 1, 1, 2, 2, 3, 3) });
    expect(await readBody(new Request('http://127.0.0.1/'), SITE)).toEqual({ ok: true, value: new Uint8Array() });
  });

  test('holds a body that says how long it is to the cap all the same', async () => {
    const saying = (length: string, size: number) =>
      new Request('http://127.0.0.1/', { method: 'POST', body: new Uint8Array(size).fill(1), headers: { 'Content-Length': length } });
    expect(await readBody(saying('8', 8), SITE, 8)).toEqual({ ok: true, value: new Uint8Array(8).fill(1) });
    for (const length of ['8', '9', '-1', 'x', ''])
      expect(await readBody(saying(length, 9), SITE, 8)).toMatchObject({ ok: false, refusal: { code: 'payload_too_large' } });
  });

  test.each([
    ['Content-Length', '-1'],
    ['Content-Length', '0x4'],
    ['Content-Length', '4, 4'],
    ['Transfer-Encoding', 'chunked'],
  ])('refuses a longer body, and cancels it if its stream is not one of bytes, whatever length it states (%s: %s)', async (name, value) => {
    let asked = 0;
    const endless = requestOf((controller) => {
      asked += 1;
      controller.enqueue(new Uint8Array(4));
    });
    const headers = new Map([
      ['content-length', '4'],
      [name.toLowerCase(), value],
    ]);
    Object.defineProperty(endless, 'headers', {
      value: { get: (wanted: string) => headers.get(wanted) ?? null, has: (wanted: string) => headers.has(wanted) },
    });
    expect(await readBody(endless, SITE, 8)).toMatchObject({ ok: false, refusal: { code: 'payload_too_large' } });
    expect(asked).toBeLessThan(25);
  });

  test('a body that breaks off, as when its client goes away or its chunks are malformed, is refused and is no fault of ours', async () => {
    for (const before of [0, 1, 2, 'stated']) {
      const broken = requestOf((controller, turn) => {
        if (typeof before === 'number' && turn < before) controller.enqueue(new Uint8Array(4));
        else controller.error(new TypeError('chunk size is not hexadecimal'));
      });
      if (before === 'stated') broken.headers.set('Content-Length', '8');
      const read = await readBody(broken, SITE, 8);
      expect(read).toMatchObject({ ok: false, refusal: { code: 'invalid_json' } });
      expect(JSON.stringify(read)).not.toContain('hexadecimal');
    }
  });
});

describe('formBody()', () => {
  const read = (text: string) => formBody(new TextEncoder().encode(text));

  test('takes UTF-8, percent-encoded or not, and a percent sign that encodes nothing for itself', () => {
    expect(read('name=%C3%A9+%E2%82%AC&note=100%&tax=é')).toEqual({ ok: true, value: { name: 'é €', note: '100%', tax: 'é' } });
  });

  test.each(['name=%FF', 'name=%C3', 'name=%ED%A0%80', 'name=%C0%AF', '%E2%82=x', 'name=ok&note=a%80b'])('refuses %s', (text) => {
    expect(read(text)).toMatchObject({ ok: false, refusal: { code: 'invalid_json', detail: 'The form is not UTF-8.' } });
  });
});

const MIB = 2 ** 20;

function bodyIn(pieces: number, bytes: number, cancelled?: () => void | Promise<void>, address = `${SITE}/`) {
  const asked = { pieces: 0, isCancelled: false };
  const body = new ReadableStream({
    type: 'bytes',
    pull: (controller) => {
      if (asked.pieces === pieces) {
        controller.close();
        controller.byobRequest?.respond(0);
        return;
      }
      asked.pieces += 1;
      controller.enqueue(new Uint8Array(bytes));
    },
    cancel: () => {
      asked.isCancelled = true;
      return cancelled?.();
    },
  });
  return { asked, request: new Request(address, { method: 'POST', body, duplex: 'half' } as RequestInit) };
}

const TOO_LARGE = { ok: false, refusal: { code: 'payload_too_large', detail: 'The body has more than 10 bytes.' } };

test('a body of exactly the bound is taken, one byte more is not', async () => {
  expect(await readBody(bodyIn(1, 10).request, SITE, 10)).toEqual({ ok: true, value: new Uint8Array(10) });
  expect(await readBody(bodyIn(1, 11).request, SITE, 10)).toMatchObject(TOO_LARGE);
});

test('the rest of a longer one is read to its end, so that the connection can be used again', async () => {
  const whole = bodyIn(16, MIB);
  expect(await readBody(whole.request, SITE, 10)).toMatchObject(TOO_LARGE);
  expect(whole.asked).toEqual({ pieces: 16, isCancelled: false });
});

test('of an endless one no more than 17 MiB are read, even if the rest cannot be cancelled', async () => {
  for (const cancelled of [() => undefined, () => Promise.reject(new Error('gone'))]) {
    const endless = bodyIn(1_000, MIB, cancelled);
    expect(await readBody(endless.request, SITE, 10)).toMatchObject(TOO_LARGE);
    expect(endless.asked).toEqual({ pieces: 17, isCancelled: true });
  }
});

test('on this machine the rest is read to its end however long it is', async () => {
  for (const baseUrl of ['http://127.0.0.1:8788', 'http://localhost', 'http://[::1]:8788']) {
    const whole = bodyIn(20, MIB);
    expect(await readBody(whole.request, baseUrl, 10)).toMatchObject(TOO_LARGE);
    expect(whole.asked).toEqual({ pieces: 20, isCancelled: false });
  }
  // What a request calls its host proves nothing.
  const elsewhere = bodyIn(20, MIB, undefined, 'http://localhost:8788/');
  expect(await readBody(elsewhere.request, SITE, 10)).toMatchObject(TOO_LARGE);
  expect(elsewhere.asked.isCancelled).toBe(true);
});

test('the bound of all bodies is 16 KiB', async () => {
  expect(await readBody(bodyIn(1, 16_384).request, SITE)).toMatchObject({ ok: true });
  expect(await readBody(bodyIn(1, 16_385).request, SITE)).toMatchObject({ ok: false, refusal: { code: 'payload_too_large' } });
});

const OBJECT = '{"a":"é"}';
const bodyOf = (headers: Record<string, string>, body: string | Uint8Array = OBJECT, maxStringLength?: number) =>
  jsonBody(new Headers(headers), typeof body === 'string' ? new TextEncoder().encode(body) : body, maxStringLength);
const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('jsonBody() takes', () => {
  test.each<[string, Record<string, string>]>([
    ['JSON', JSON_TYPE],
    ['a type in capitals', { 'Content-Type': 'Application/JSON' }],
    ['a charset', { 'Content-Type': 'application/json; charset=utf-8' }],
    ['a charset in quotes and capitals', { 'Content-Type': 'application/json;CHARSET="UTF-8"' }],
    ['a charset without its hyphen', { 'Content-Type': 'application/json; charset=utf8' }],
    ['another parameter', { 'Content-Type': 'application/json; profile=x; charset=utf-8' }],
    ['no coding at all', { ...JSON_TYPE, 'Content-Encoding': 'Identity' }],
  ])('%s', (_name, headers) => expect(bodyOf(headers)).toEqual({ ok: true, value: { a: 'é' } }));

  test('a byte order mark before it', () => expect(bodyOf(JSON_TYPE, `\ufeff${OBJECT}`)).toEqual({ ok: true, value: { a: 'é' } }));
});

describe('jsonBody() refuses', () => {
  test.each<[string, Record<string, string>, string]>([
    ['no type', {}, 'The request has no Content-Type. Send "Content-Type: application/json".'],
    ['an empty type', { 'Content-Type': ' ' }, 'The request has no Content-Type. Send "Content-Type: application/json".'],
    [
      'another type',
      { 'Content-Type': 'text/plain' },
      'The Content-Type text/plain is not supported. Send "Content-Type: application/json".',
    ],
    [
      'a type that begins alike',
      { 'Content-Type': 'application/json-patch+json' },
      'The Content-Type application/json-patch+json is not supported. Send "Content-Type: application/json".',
    ],
    ['another charset', { 'Content-Type': 'application/json; charset=latin1' }, 'The charset of the body is not UTF-8.'],
    ['an empty charset', { 'Content-Type': 'application/json; charset=' }, 'The charset of the body is not UTF-8.'],
    ['a coding', { ...JSON_TYPE, 'Content-Encoding': 'gzip' }, 'The body has a content coding. Send it without one.'],
    ['a coding without a name', { ...JSON_TYPE, 'Content-Encoding': '' }, 'The body has a content coding. Send it without one.'],
  ])('%s', (_name, headers, detail) => {
    expect(bodyOf(headers)).toMatchObject({ ok: false, refusal: { code: 'unsupported_media_type', detail } });
  });

  test.each<[string, string | Uint8Array, string]>([
    ['bytes that are no UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x7d), 'The body is not UTF-8.'],
    ['UTF-16', Uint8Array.of(0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00), 'The body is UTF-16. Send it in UTF-8.'],
    ['nothing', '', 'The body is empty. Send a JSON object, with "Content-Type: application/json".'],
    ['white space', ' \n', 'The body is empty. Send a JSON object.'],
    ['what is no JSON', '{"a":1,}', 'The body is not valid JSON. At line 1, column 7, a comma stands before "}"; remove it.'],
    ['a list', '[]', 'The body must be a JSON object; it is a list.'],
    ['null', 'null', 'The body must be a JSON object; it is null.'],
    ['a string', '"{a}"', 'The body must be a JSON object; it is a string.'],
    ['JSON in JSON', '"{\\"a\\":1}"', 'The body is a string that contains a JSON object: it was encoded twice. Send the object itself.'],
  ])('%s', (_name, body, detail) => {
    expect(bodyOf(JSON_TYPE, body)).toMatchObject({ ok: false, refusal: { code: 'invalid_json', detail } });
  });

  test('what is no JSON with its place', () => {
    expect(bodyOf(JSON_TYPE, '{"a":\n1,}')).toMatchObject({
      refusal: { errors: [{ pointer: '', line: 2, column: 2, message: expect.stringContaining('a comma stands before "}"') as unknown }] },
    });
  });

  test('a text that is longer than the bound it is given, or than that of all bodies', () => {
    const detail = (length: number): string => `The body has a text of more than ${length} characters, counting escapes as written.`;
    expect(bodyOf(JSON_TYPE, '{"a":"abcd"}', 4)).toMatchObject({ ok: true });
    expect(bodyOf(JSON_TYPE, '{"a":"abcde"}', 4)).toMatchObject({ ok: false, refusal: { detail: detail(4) } });
    expect(bodyOf(JSON_TYPE, `{"a":"${'b'.repeat(8_193)}"}`)).toMatchObject({ ok: false, refusal: { detail: detail(8_192) } });
  });
});
