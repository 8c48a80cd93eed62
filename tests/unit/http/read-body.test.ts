import { describe, expect, test } from 'vitest';
import { formBody, readBody } from '../../../src/http/read-body.ts';

function requestOf(pull: (controller: ReadableStreamDefaultController<Uint8Array>, turn: number) => void): Request {
  let turn = 0;
  const body = new ReadableStream<Uint8Array>({ pull: (controller) => pull(controller, turn++) });
  return new Request('http://127.0.0.1/', { method: 'POST', body, duplex: 'half' } as RequestInit);
}

describe('readBody()', () => {
  test('joins the pieces of a body up to the cap', async () => {
    const body = requestOf((controller, turn) => (turn < 4 ? controller.enqueue(Uint8Array.of(turn, turn)) : controller.close()));
    expect(await readBody(body, 8)).toEqual({ ok: true, value: Uint8Array.of(0, 0, 1, 1, 2, 2, 3, 3) });
    expect(await readBody(new Request('http://127.0.0.1/'))).toEqual({ ok: true, value: new Uint8Array() });
  });

  test('holds a body that says how long it is to the cap all the same', async () => {
    const saying = (length: string, size: number) =>
      new Request('http://127.0.0.1/', { method: 'POST', body: new Uint8Array(size).fill(1), headers: { 'Content-Length': length } });
    expect(await readBody(saying('8', 8), 8)).toEqual({ ok: true, value: new Uint8Array(8).fill(1) });
    for (const length of ['8', '9', '-1', 'x', ''])
      expect(await readBody(saying(length, 9), 8)).toMatchObject({ ok: false, refusal: { code: 'payload_too_large' } });
  });

  test('refuses one that says how long it is and breaks off', async () => {
    const broken = requestOf((controller) => controller.error(new TypeError('chunk size is not hexadecimal')));
    broken.headers.set('Content-Length', '8');
    const read = await readBody(broken, 8);
    expect(read).toMatchObject({ ok: false, refusal: { code: 'invalid_json' } });
    expect(JSON.stringify(read)).not.toContain('hexadecimal');
  });

  test('refuses a longer one, and reads no more than eight times the cap', async () => {
    let asked = 0;
    const endless = requestOf((controller) => {
      asked += 1;
      controller.enqueue(new Uint8Array(4));
    });
    expect(await readBody(endless, 8)).toMatchObject({ ok: false, refusal: { code: 'payload_too_large' } });
    expect(asked).toBeLessThan(25);
  });

  test.each([
    ['Content-Length', '-1'],
    ['Content-Length', '0x4'],
    ['Content-Length', '4e0'],
    ['Content-Length', '4, 4'],
    ['Transfer-Encoding', 'chunked'],
  ])('does not rely on a length that binds nobody (%s: %s)', async (name, value) => {
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
    expect(await readBody(endless, 8)).toMatchObject({ ok: false, refusal: { code: 'payload_too_large' } });
    expect(asked).toBeLessThan(25);
  });

  test('a body that breaks off, as when its client goes away or its chunks are malformed, is refused and is no fault of ours', async () => {
    for (const before of [0, 1, 5]) {
      const broken = requestOf((controller, turn) => {
        if (turn < before) controller.enqueue(new Uint8Array(4));
        else controller.error(new TypeError('chunk size is not hexadecimal'));
      });
      const read = await readBody(broken, 8);
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
