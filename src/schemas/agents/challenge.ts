import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { IsoDateTime } from '../primitives.ts';

/** The only kind of challenge: find a text that gives the SHA-256 of `token + "." + solution` enough leading zero bits. */
export const CHALLENGE_ALGORITHM = 'sha256-leading-zero-bits';

/** A challenge as it comes back in a registration. */
export const SolvedChallenge = z.object({
  token: z.string().min(16).max(256).describe('Token of the challenge, unchanged.'),
  solution: z
    .string()
    .regex(/^[0-9A-Za-z_-]{1,64}$/, 'must be 1 to 64 letters, digits, hyphens or underscores')
    .describe('Text with which the digest of token, a full stop and it begins with enough zero bits.'),
});
export type SolvedChallenge = z.infer<typeof SolvedChallenge>;

/** Answer of `GET …/challenge`. Nothing is stored: the token proves itself, and one token leads to one agent at most. */
export const Challenge = z.object({
  token: z.string().describe('Token to send back with the solution.'),
  algorithm: z.literal(CHALLENGE_ALGORITHM).describe('What is to be solved.'),
  difficulty_bits: z
    .int()
    .min(LIMITS.challengeBitsMin)
    .max(LIMITS.challengeBitsMax)
    .describe('Leading zero bits that the SHA-256 of token + "." + solution (UTF-8) must have.'),
  expires_at: IsoDateTime.describe('When the token stops being taken.'),
});
export type Challenge = z.infer<typeof Challenge>;
