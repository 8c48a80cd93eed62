import * as z from 'zod';
import { FEATURE_PARTS, type Features, partsWithout } from './feature-switches.ts';
import { LIMITS } from './limits.ts';
import { IsoDateTime } from './primitives.ts';

/** The only challenge algorithm: find a text for which the SHA-256 of `token + "." + solution` has enough leading zero bits. */
export const CHALLENGE_ALGORITHM = 'sha256-leading-zero-bits';

const ChallengeToken = z.string().min(16).max(256);

export const SolvedChallenge = z.object({
  token: ChallengeToken.describe('Token of the challenge, unchanged.'),
  solution: z
    .string()
    .regex(/^[0-9A-Za-z_-]{1,64}$/, 'must be 1 to 64 letters, digits, hyphens or underscores')
    .describe('Text for which the SHA-256 of token + "." + solution begins with enough zero bits.'),
});
export type SolvedChallenge = z.infer<typeof SolvedChallenge>;

/** Response of `GET …/challenge`. The token is self-contained, and determines one agent. */
export const Challenge = z.object({
  token: ChallengeToken.describe('Token to send back with the solution.'),
  algorithm: z.literal(CHALLENGE_ALGORITHM).describe('Algorithm of the challenge.'),
  difficulty_bits: z
    .int()
    .min(LIMITS.challengeBitsMin)
    .max(LIMITS.challengeBitsMax)
    .describe('Leading zero bits required of the SHA-256 of token + "." + solution (UTF-8).'),
  expires_at: IsoDateTime.describe('When the token expires.'),
});
export type Challenge = z.infer<typeof Challenge>;

/** Permissions of a key: `read` by default, `buy` on request, `submit` for a solved challenge or by the publisher, `metrics` by the publisher. */
export const Scope = z
  .enum(['read', 'submit', 'buy', 'metrics'])
  .register(FEATURE_PARTS, { intake: { values: ['submit'] }, checkoutSessions: { values: ['buy'] } });
export type Scope = z.infer<typeof Scope>;

export const KeyScopes = z.array(Scope).max(Scope.options.length);

/** The scopes that a deployment accepts in a request: the scope of a feature that is off is refused like any unknown word. */
export function scopesOf(features: Features): z.ZodArray<z.ZodType<Scope>> {
  const absent = partsWithout(features, Scope).flatMap((part) => (part === 'member' ? [] : (part.values ?? [])));
  return z.array(z.enum(Scope.options.filter((scope) => !absent.includes(scope)))).max(Scope.options.length);
}

export const KEY_PATTERN = '^akg_(live|test)_[0-9A-Za-z]{60}$';

const KEY_IN_TEXT = /(akg_(?:live|test)_)[0-9A-Za-z]+/gi;

const MAY_HAVE_KEY = /akg_|%/i;

const ENCODED_ASCII = /%([2-7][0-9a-f])/gi;

/** How often a text may be percent-encoded: by a client, and by a proxy or a form before it. */
const ENCODED_TIMES_MAX = 3;

/**
 * A text with `*` in place of every API key in it, for responses, which get into logs and reports; `undefined` if it has none.
 *
 * @param text Also percent-encoded: a text with an encoded key is returned with its ASCII characters decoded.
 */
export function withoutKeys(text: string): string | undefined {
  if (!MAY_HAVE_KEY.test(text)) return undefined;
  const masked = text.replaceAll(KEY_IN_TEXT, '$1*');
  let decoded = masked;
  for (let times = 0; times < ENCODED_TIMES_MAX && decoded.includes('%'); times += 1)
    decoded = decoded.replaceAll(ENCODED_ASCII, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
  const rest = decoded.replaceAll(KEY_IN_TEXT, '$1*');
  if (rest !== decoded) return rest;
  return masked === text ? undefined : masked;
}
