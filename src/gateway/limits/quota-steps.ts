import { LIMITS, type QuotaName } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { type NextStep, WAIT } from '../error-entry.ts';
import { READ_QUOTAS } from '../errors.ts';

/** Where a challenge is had that lets a request into a budget. */
export const CHALLENGE_ADDRESS = `${PATHS.gateway}/challenge?difficulty_bits=${LIMITS.budgetChallengeBits}`;

/** Steps after `challenge_required` of a budget. */
export const CHALLENGE_STEPS: readonly NextStep[] = [
  { description: 'Ask for a challenge.', method: 'GET', path: CHALLENGE_ADDRESS },
  {
    description:
      'Find a solution: a text with which the SHA-256 of token, a full stop and it begins with so many zero bits. Send the same request again with the header "Challenge-Solution: <token>.<solution>"; a registration takes token and solution in "challenge".',
  },
];

/** Steps after `quota_exceeded` for quotas where waiting is not the best step, or the same request will not do afterwards. */
export const STEPS_OF_QUOTAS: Partial<Record<QuotaName, readonly NextStep[]>> = {
  registry: [
    {
      description: 'Send the registration without an Idempotency-Key: it leaves nothing in the database, and its key works as well.',
      method: 'POST',
      path: `${PATHS.gateway}/register`,
    },
    WAIT,
    READ_QUOTAS,
  ],
  submit_keys: [
    {
      description: 'Register without the scope submit: a key that reads is given at once.',
      method: 'POST',
      path: `${PATHS.gateway}/register`,
    },
    {
      description: `Or wait the time in Retry-After, then ask for a new challenge and solve it: one is taken for ${LIMITS.challengeMinutes} minutes only.`,
      method: 'GET',
      path: `${PATHS.gateway}/challenge`,
    },
    READ_QUOTAS,
  ],
};
