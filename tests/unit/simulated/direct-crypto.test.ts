import { afterEach, expect, it } from 'vitest';
import { useDirectCrypto } from '../../support/simulated/direct-crypto.ts';

const { subtle } = globalThis.crypto;
const HMAC = { name: 'HMAC', hash: 'SHA-256' };
const message = new TextEncoder().encode('a message');

let restore: () => void = () => undefined;
afterEach(() => restore());

function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

it('signs and verifies as the machine does, within one turn of the event loop', async () => {
  const secret = new TextEncoder().encode('a secret of this test');
  const signature = await subtle.sign('HMAC', await subtle.importKey('raw', secret, HMAC, false, ['sign']), message);
  const wrong = new Uint8Array(signature).map((byte, index) => (index === 31 ? byte ^ 1 : byte));
  restore = useDirectCrypto();
  const key = await subtle.importKey('raw', secret, HMAC, false, ['sign', 'verify']);
  const results: unknown[] = [];
  void subtle.sign('HMAC', key, message).then((own) => results.push(new Uint8Array(own)));
  void subtle.verify('HMAC', key, signature, message).then((good) => results.push(good));
  void subtle.verify('HMAC', key, wrong, message).then((good) => results.push(good));
  void subtle.verify('HMAC', key, wrong.subarray(0, 31), message).then((good) => results.push(good));
  await turn();
  expect(results).toEqual([new Uint8Array(signature), true, false, false]);
});
