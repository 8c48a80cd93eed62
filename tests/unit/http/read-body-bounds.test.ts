import { expect, test } from 'vitest';
import { readBody } from '../../../src/http/read-body.ts';

/** A body in pieces of some bytes, and what was asked of it. */
function bodyIn(pieces: number, bytes: number, cancelled?: () => void | Promise<void>) {
  const asked = { pieces: 0, isCancelled: false };
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        if (asked.pieces === pieces) return controller.close();
        asked.pieces += 1;
        controller.enqueue(new Uint8Array(bytes));
      },
      cancel: () => {
        asked.isCancelled = true;
        return cancelled?.();
      },
    },
    { highWaterMark: 0 },
  );
  return { asked, request: new Request('http://127.0.0.1/', { method: 'POST', body, duplex: 'half' } as RequestInit) };
}

const TOO_LARGE = { ok: false, refusal: { code: 'payload_too_large', detail: 'The body has more than 10 bytes.' } };

test('a body of exactly the bound is taken, one byte more is not', async () => {
  expect(await readBody(bodyIn(1, 10).request, 10)).toEqual({ ok: true, value: new Uint8Array(10) });
  expect(await readBody(bodyIn(1, 11).request, 10)).toMatchObject(TOO_LARGE);
});

test('a body of up to eight times the bound is read to its end, so that the connection can be used again', async () => {
  const whole = bodyIn(8, 10);
  expect(await readBody(whole.request, 10)).toMatchObject(TOO_LARGE);
  expect(whole.asked).toEqual({ pieces: 8, isCancelled: false });
});

test('of a longer one the rest is left, even if that cannot be said', async () => {
  for (const cancelled of [() => undefined, () => Promise.reject(new Error('gone'))]) {
    const endless = bodyIn(1_000, 10, cancelled);
    expect(await readBody(endless.request, 10)).toMatchObject(TOO_LARGE);
    expect(endless.asked).toEqual({ pieces: 9, isCancelled: true });
  }
});

test('the bound of all bodies is 16 KiB', async () => {
  expect(await readBody(bodyIn(1, 16_384).request)).toMatchObject({ ok: true });
  expect(await readBody(bodyIn(1, 16_385).request)).toMatchObject({ ok: false, refusal: { code: 'payload_too_large' } });
});
