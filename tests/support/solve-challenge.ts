import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Challenge, SolvedChallenge } from '../../src/schemas/agents.ts';

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
    const zeros = leadingZeroBits(hash('sha256', `${token}.${solution}`, 'buffer'));
    if (bits === undefined ? zeros < difficulty_bits : zeros !== bits) continue;
    await setImmediate();
    return { token, solution };
  }
}

function leadingZeroBits(digest: Uint8Array): number {
  const at = digest.findIndex((byte) => byte !== 0);
  return at === -1 ? 8 * digest.length : 8 * at + Math.clz32(digest[at] ?? 0) - 24;
}
