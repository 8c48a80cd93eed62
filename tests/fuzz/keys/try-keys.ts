import { verifyKey } from '../../../src/gateway/agents/api-key.ts';
import { readSigningSecrets } from '../../../src/platform/signing-secrets.ts';
import { seededRandom } from '../../eval/random.ts';
import { TEST_SIGNING_SECRETS } from '../../support/edge-gateway.ts';
import { counterfeitKeys, type Forgery, goodKey } from './counterfeit-keys.ts';

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
