import type { KeyPayload } from '../../../src/gateway/agents/agent-ports.ts';
import { encodePayload, type KeyPrefix, mintKey, minuteOf, verifyKey } from '../../../src/gateway/agents/api-key.ts';
import { crc32, decodeBase62, encodeBase62 } from '../../../src/gateway/base62.ts';
import type { SigningSecret } from '../../../src/gateway/ports.ts';
import { readSigningSecrets } from '../../../src/platform/signing-secrets.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { below, type Random, seededRandom } from '../../eval/random.ts';
import { TEST_SIGNING_SECRETS } from '../../support/edge-gateway.ts';
import { oneOf } from '../choose.ts';

/** Bytes of payload and MAC together. */
const BODY_BYTES = 40;
const PAYLOAD_BYTES = 20;
const BODY_DIGITS = 54;
const CRC_DIGITS = 6;
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX: KeyPrefix = 'akg_test_';

/** A text that somebody could try as a key, and how it was made. */
interface CounterfeitKey {
  readonly kind: string;
  readonly key: string;
}

/** What counterfeits are made with. */
interface Forgery {
  readonly random: Random;
  /** The secret in force, which a forger does not have; what it signs here is good, but for one thing. */
  readonly secret: SigningSecret;
  /** A secret that was never in force, under the id of the one in force. */
  readonly foreign: SigningSecret;
  readonly nowMs: number;
}

/** A key as the service mints it. */
function goodKey({ random, secret, nowMs }: Forgery, payload: Partial<KeyPayload> = {}, prefix: KeyPrefix = PREFIX): Promise<string> {
  return mintKey(encodePayload(payloadOf(random, secret.id, nowMs, payload)), prefix, secret);
}

function payloadOf(random: Random, secretId: number, nowMs: number, payload: Partial<KeyPayload>): KeyPayload {
  return {
    secretId,
    agent: Array.from({ length: 16 }, () => '0123456789abcdef'[below(random, 16)]).join(''),
    serial: below(random, 0x10000),
    issuedMinute: minuteOf(nowMs) - below(random, 1_000),
    ttlDays: LIMITS.keyTtlDays,
    scopes: ['read'],
    ...payload,
  };
}

/** Counterfeits without end, of every kind in turn: each key anew, first every single bit of it, then the other kinds. */
async function* counterfeitKeys(forgery: Forgery): AsyncGenerator<CounterfeitKey> {
  for (;;) {
    const good = await goodKey(forgery);
    const body = decodeBase62(good.slice(PREFIX.length, PREFIX.length + BODY_DIGITS), BODY_BYTES);
    if (body === undefined) throw new TypeError('a good key cannot be read');
    for (let bit = 0; bit < BODY_BYTES * 8; bit += 1) yield { kind: 'one bit flipped, checksum mended', key: withBody(flipped(body, bit)) };
    for (const make of KINDS) for (let turn = 0; turn < 8; turn += 1) yield await make(forgery, good, body);
  }
}

type Make = (forgery: Forgery, good: string, body: Uint8Array) => CounterfeitKey | Promise<CounterfeitKey>;

const kind =
  (name: string, make: (forgery: Forgery, good: string, body: Uint8Array) => string | Promise<string>): Make =>
  async (forgery, good, body) => ({ kind: name, key: await make(forgery, good, body) });

const KINDS: readonly Make[] = [
  kind('a character changed', ({ random }, good) => {
    const at = below(random, good.length);
    return `${good.slice(0, at)}${oneOf(
      random,
      [...ALPHABET].filter((each) => each !== good[at]),
    )}${good.slice(at + 1)}`;
  }),
  kind('two characters swapped', ({ random }, good) => {
    const places = Array.from({ length: good.length - 10 }, (_, at) => at + 9).filter((at) => good[at] !== good[at + 1]);
    const at = oneOf(random, places);
    return `${good.slice(0, at)}${good[at + 1]}${good[at]}${good.slice(at + 2)}`;
  }),
  kind('cut off', ({ random }, good) => good.slice(0, below(random, good.length))),
  kind('extended', ({ random }, good) => `${good}${randomDigits(random, 1 + below(random, 12))}`),
  kind('framed', ({ random }, good) =>
    oneOf(random, [` ${good}`, `${good}\n`, `${good}\u0000`, `"${good}"`, `\ufeff${good}`, `${good}.`, `${good},${good}`]),
  ),
  kind('other case', ({ random }, good) => oneOf(random, [good.toUpperCase(), good.toLowerCase(), `AKG_TEST_${good.slice(9)}`])),
  kind('another prefix, checksum mended', ({ random }, _good, body) =>
    withBody(body, oneOf(random, ['akg_live_', 'akg_prod_', 'sk_live_', ''])),
  ),
  kind('signed for another prefix', async (forgery) => goodKey(forgery, {}, 'akg_live_')),
  kind('signed for another prefix, then renamed', async (forgery) => {
    const live = await goodKey(forgery, {}, 'akg_live_');
    return withDigits(live.slice(9, 9 + BODY_DIGITS), PREFIX);
  }),
  kind('signed with another secret', ({ random, foreign, nowMs }) =>
    mintKey(encodePayload(payloadOf(random, foreign.id, nowMs, {})), PREFIX, foreign),
  ),
  kind('of a secret that is not in force', async (forgery) => goodKey(forgery, { secretId: 2 + below(forgery.random, 254) })),
  kind('of the secret 0', async (forgery) => goodKey(forgery, { secretId: 0 })),
  kind('payload of one key, MAC of another', async (forgery, _good, body) => {
    const other = decodeBase62((await goodKey(forgery)).slice(9, 9 + BODY_DIGITS), BODY_BYTES) ?? body;
    return withBody(Uint8Array.from([...body.subarray(0, PAYLOAD_BYTES), ...other.subarray(PAYLOAD_BYTES)]));
  }),
  kind('more scopes', (_forgery, _good, body) => withBody(changed(body, 19, 15))),
  kind('scopes that do not exist', ({ random }, _good, body) => withBody(changed(body, 18, 1 + below(random, 255)))),
  kind('a longer life', (_forgery, _good, body) => withBody(changed(body, 16, 0xff))),
  kind('issued later', (_forgery, _good, body) => withBody(changed(body, 15, ((body[15] ?? 0) + 1) % 256))),
  kind('of another agent', ({ random }, _good, body) =>
    withBody(changed(body, 2 + below(random, 8), ((body[5] ?? 0) + 1 + below(random, 254)) % 256), PREFIX, body),
  ),
  kind('fields exchanged', (_forgery, _good, body) =>
    withBody(Uint8Array.from([...body.subarray(0, 2), ...body.subarray(10, 18), ...body.subarray(2, 10), ...body.subarray(18)])),
  ),
  kind('MAC of zeros', (_forgery, _good, body) => withBody(Uint8Array.from(body, (byte, at) => (at < PAYLOAD_BYTES ? byte : 0)))),
  kind('MAC of ones', (_forgery, _good, body) => withBody(Uint8Array.from(body, (byte, at) => (at < PAYLOAD_BYTES ? byte : 255)))),
  kind('random MAC', ({ random }, _good, body) =>
    withBody(Uint8Array.from(body, (byte, at) => (at < PAYLOAD_BYTES ? byte : below(random, 256)))),
  ),
  kind('MAC without the prefix', async ({ secret }, _good, body) => {
    const payload = body.slice(0, PAYLOAD_BYTES);
    const mac = new Uint8Array(await crypto.subtle.sign('HMAC', secret.key, payload));
    return withBody(Uint8Array.from([...payload, ...mac.subarray(0, PAYLOAD_BYTES)]));
  }),
  kind('MAC cut from its other end', async ({ secret }, _good, body) => {
    const payload = body.slice(0, PAYLOAD_BYTES);
    const mac = new Uint8Array(
      await crypto.subtle.sign('HMAC', secret.key, Uint8Array.from([...new TextEncoder().encode(PREFIX), ...payload])),
    );
    return withBody(Uint8Array.from([...payload, ...mac.subarray(12)]));
  }),
  kind('of another format, well signed', async ({ secret, random }, _good, body) => {
    const payload = changed(body.slice(0, PAYLOAD_BYTES), 0, oneOf(random, [0, 2, 3, 255]));
    return mintKey(payload, PREFIX, secret);
  }),
  kind('expired, well signed', async (forgery) => {
    const days = LIMITS.keyTtlDays + below(forgery.random, 3_000);
    return goodKey(forgery, { issuedMinute: minuteOf(forgery.nowMs) - days * 1_440 });
  }),
  kind('of no life, well signed', async (forgery) => goodKey(forgery, { ttlDays: 0 })),
  kind('of the future, well signed', async (forgery) =>
    goodKey(forgery, { issuedMinute: minuteOf(forgery.nowMs) + 7 + below(forgery.random, 1e6) }),
  ),
  kind('the same number written beyond its bytes', (_forgery, good, body) => {
    const value = body.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n) + 2n ** 320n;
    return value < 62n ** 54n ? withDigits(digitsOf(value, BODY_DIGITS), PREFIX) : `${good}0`;
  }),
  kind('random digits', ({ random }) => `${PREFIX}${randomDigits(random, BODY_DIGITS + CRC_DIGITS)}`),
  kind('random digits, checksum mended', ({ random }) => withDigits(randomDigits(random, BODY_DIGITS), PREFIX)),
  kind('random bytes, checksum mended', ({ random }) => withBody(Uint8Array.from({ length: BODY_BYTES }, () => below(random, 256)))),
  kind('random MAC under a payload of today', ({ random, secret, nowMs }) => {
    const payload = encodePayload(payloadOf(random, secret.id, nowMs, { scopes: ['read', 'submit', 'buy', 'metrics'] }));
    return withBody(Uint8Array.from([...payload, ...Array.from({ length: PAYLOAD_BYTES }, () => below(random, 256))]));
  }),
];

/** The key of a body, with a checksum that fits. `unlike` is a body that it must not be. */
function withBody(body: Uint8Array, prefix: string = PREFIX, unlike?: Uint8Array): string {
  const same = unlike?.every((byte, at) => byte === body[at]);
  return withDigits(encodeBase62(same ? flipped(body, 16) : body, BODY_DIGITS), prefix);
}

function withDigits(digits: string, prefix: string): string {
  const crc = new Uint8Array(4);
  new DataView(crc.buffer).setUint32(0, crc32(prefix + digits));
  return prefix + digits + encodeBase62(crc, CRC_DIGITS);
}

function flipped(bytes: Uint8Array, bit: number): Uint8Array {
  return changed(bytes, bit >> 3, (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7)));
}

function changed(bytes: Uint8Array, at: number, value: number): Uint8Array {
  return bytes.slice().fill(value, at, at + 1);
}

function digitsOf(value: bigint, length: number): string {
  let left = value;
  let digits = '';
  for (let count = 0; count < length; count += 1) {
    digits = (ALPHABET[Number(left % 62n)] ?? '') + digits;
    left /= 62n;
  }
  return digits;
}

function randomDigits(random: Random, length: number): string {
  return Array.from({ length }, () => ALPHABET[below(random, 62)]).join('');
}

/** What became of many counterfeits. */
export interface TriedKeys {
  readonly tried: number;
  /** Counterfeits by kind, each with how often which code refused it. */
  readonly kinds: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** Counterfeits that were taken; there must be none. */
  readonly accepted: readonly { readonly kind: string; readonly key: string }[];
  /** Good keys that were refused; there must be none. */
  readonly refused: readonly string[];
}

/** Keys that are verified at a time, so that threads which compute digests are not waited for one by one. */
const AT_A_TIME = 64;
/** One good key is tried after so many counterfeits. */
const GOOD_EVERY = 1_000;

/** What counterfeits are made with, for a seed; the clock stands still. */
async function forgeryOf(seed: number): Promise<Forgery> {
  return {
    random: seededRandom(seed),
    secret: await secretOf(TEST_SIGNING_SECRETS),
    foreign: await secretOf(`1:${Buffer.from(Array.from({ length: 32 }, (_, at) => at * 11 + 3)).toString('base64url')}`),
    nowMs: Date.UTC(2026, 10, 22),
  };
}

async function secretOf(text: string) {
  const secrets = await readSigningSecrets(text);
  if ('missing' in secrets) throw new Error(secrets.missing);
  return secrets[0];
}

/** Tries `count` counterfeits on the function that checks keys, and good keys now and then. */
export async function tryKeys(count: number, seed: number): Promise<TriedKeys> {
  const forgery = await forgeryOf(seed);
  const kinds: Record<string, Record<string, number>> = {};
  const accepted: { kind: string; key: string }[] = [];
  const refused: string[] = [];
  const verify = (key: string) => verifyKey(key, 'akg_test_', [forgery.secret], forgery.nowMs);
  const tryOne = async ({ kind, key }: { kind: string; key: string }): Promise<void> => {
    const result = await verify(key);
    const code = result.ok ? 'accepted' : result.refusal.code;
    const codes = kinds[kind] ?? {};
    kinds[kind] = codes;
    codes[code] = (codes[code] ?? 0) + 1;
    if (result.ok) accepted.push({ kind, key });
  };
  let tried = 0;
  let waiting: Promise<void>[] = [];
  for await (const counterfeit of counterfeitKeys(forgery)) {
    waiting.push(tryOne(counterfeit));
    tried += 1;
    if (tried % GOOD_EVERY === 1) {
      const good = await goodKey(forgery);
      if (!(await verify(good)).ok) refused.push(good);
    }
    if (waiting.length < AT_A_TIME && tried < count) continue;
    await Promise.all(waiting);
    waiting = [];
    if (tried >= count) break;
  }
  return { tried, kinds, accepted, refused };
}

/** Tries counterfeits and prints what became of them; gives the number of mistakes. */
export async function countMistakes(count: number, seed: number, print: (line: string) => void): Promise<number> {
  const { tried, kinds, accepted, refused } = await tryKeys(count, seed);
  print(`\ncounterfeit keys: ${tried}, seed ${seed}: ${accepted.length} accepted, ${refused.length} good keys refused`);
  for (const [kind, codes] of Object.entries(kinds).sort(([a], [b]) => (a < b ? -1 : 1)))
    print(`  ${kind.padEnd(44)} ${JSON.stringify(codes)}`);
  for (const { kind, key } of accepted.slice(0, 20)) print(`  FINDING accepted, ${kind}: ${JSON.stringify(key)}`);
  for (const key of refused.slice(0, 20)) print(`  FINDING refused, though good: ${key}`);
  return accepted.length + refused.length;
}
