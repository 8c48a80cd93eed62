import { expect, test } from 'vitest';
import { ERRORS, type ErrorCode, errorEntry } from '../../../../src/gateway/errors.ts';
import { bindRefusedKey, type KeyedRequest } from '../../../../src/gateway/idempotency/bind-idempotency-key.ts';
import type { KeyBindings } from '../../../../src/gateway/platform-ports.ts';
import { ok, refuse } from '../../../../src/gateway/result.ts';

const REQUEST: KeyedRequest = { caller: 'agt_1', endpoint: 'createCheckoutSession', idempotencyKey: 'k', sentBody: { a: 1, c: 2 } };
const nowMs = 0;

function memoryKeys(): KeyBindings & { readonly bound: Map<string, string> } {
  const bound = new Map<string, string>();
  const bind: KeyBindings['bind'] = async ({ caller, route, keySha256 }, bodySha256) => {
    const name = `${caller} ${route} ${keySha256}`;
    if (!bound.has(name)) bound.set(name, bodySha256);
    return bound.get(name) ?? '';
  };
  const find: KeyBindings['find'] = async ({ caller, route, keySha256 }) => bound.get(`${caller} ${route} ${keySha256}`);
  return { bound, bind, find };
}

test.each(Object.keys(ERRORS) as ErrorCode[])('%s binds the key exactly if it decides about the request', async (code) => {
  const keys = memoryKeys();
  const refused = refuse(code, 'no');
  expect(await bindRefusedKey(refused, refused.refusal, REQUEST, { keys, nowMs })).toEqual(refused);
  const isSentAgain = ['idempotency_conflict', 'challenge_required', 'challenge_invalid'].includes(code);
  const decides = errorEntry(code).retry !== 'later' && !isSentAgain;
  expect(keys.bound.size).toBe(decides ? 1 : 0);
  if (errorEntry(code).status >= 500 || errorEntry(code).status === 429) expect(decides).toBe(false);
});

test('a refusal under a key of another body is a conflict, whatever the refusal was', async () => {
  const keys = memoryKeys();
  const refused = refuse('invalid_request', 'no');
  await bindRefusedKey(refused, refused.refusal, REQUEST, { keys, nowMs });
  for (const sentBody of [{ a: 2, c: 2 }, { a: 1, b: null, c: 2 }, [1]])
    expect(await bindRefusedKey(refused, refused.refusal, { ...REQUEST, sentBody }, { keys, nowMs })).toMatchObject({
      refusal: { code: 'idempotency_conflict' },
    });
  const reordered = { ...REQUEST, sentBody: JSON.parse('{ "c": 2, "a": 1.0 }') as unknown };
  expect(await bindRefusedKey(refused, refused.refusal, reordered, { keys, nowMs })).toEqual(refused);
  const elsewhere = { ...REQUEST, endpoint: 'cancelCheckoutSession cs_1', sentBody: { a: 2 } };
  expect(await bindRefusedKey(refused, refused.refusal, elsewhere, { keys, nowMs })).toEqual(refused);
});

test('nothing is bound by an accepted request, without a key and without a database, and a refusal stays one if the database fails', async () => {
  const keys = memoryKeys();
  expect(await bindRefusedKey(ok('done'), undefined, REQUEST, { keys, nowMs })).toEqual(ok('done'));
  const refused = refuse('invalid_request', 'no');
  await bindRefusedKey(refused, refused.refusal, { ...REQUEST, idempotencyKey: undefined }, { keys, nowMs });
  expect(keys.bound.size).toBe(0);
  expect(await bindRefusedKey(refused, refused.refusal, REQUEST, { keys: undefined, nowMs })).toEqual(refused);
  const noAnswer = (): Promise<never> => Promise.reject(new Error('no answer'));
  const failing: KeyBindings = { bind: noAnswer, find: noAnswer };
  expect(await bindRefusedKey(refused, refused.refusal, REQUEST, { keys: failing, nowMs })).toEqual(refused);
});
