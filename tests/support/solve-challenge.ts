import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Challenge, SolvedChallenge } from '../../src/schemas/api-keys.ts';

/** Digests after which other work has its turn: a connection whose other side closed is not used again. */
const DIGESTS_IN_A_ROW = 2_000;

/** Solves a challenge, or finds a solution of exactly `bits` leading zero bits, for tests of too few. */
export async function solveChallenge(
  { token, difficulty_bits }: Pick<Challenge, 'token' | 'difficulty_bits'>,
  bits?: number,
): Promise<SolvedChallenge> {
  for (let count = 0; ; count += 1) {
    if (count % DIGESTS_IN_A_ROW === 0) await setImmediate();
    const solution = count.toString(36);
    // A digest as text takes half of the time of one as bytes; 32 bits are more than anybody asks for.
    const zeros = Math.clz32(Number.parseInt(hash('sha256', `${token}.${solution}`).slice(0, 8), 16));
    if (bits === undefined ? zeros < difficulty_bits : zeros !== bits) continue;
    await setImmediate();
    return { token, solution };
  }
}
