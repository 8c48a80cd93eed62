import * as z from 'zod';
import { issueChallenge } from '../../gateway/agents/challenge.ts';
import { ok, refuse } from '../../gateway/result.ts';
import { Challenge } from '../../schemas/agents/registration.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { defineRoute } from '../../http/define-route.ts';
import { bitsForNetwork } from '../../http/rate-limits.ts';

const ChallengeParameters = z.looseObject({
  difficulty_bits: z
    .string()
    .regex(/^\d{2}$/)
    .refine((text) => Number(text) >= LIMITS.challengeBitsMin && Number(text) <= LIMITS.challengeBitsMax, {
      message: `must be a whole number from ${LIMITS.challengeBitsMin} to ${LIMITS.challengeBitsMax}`,
    })
    .optional()
    .describe(
      `Leading zero bits of the challenge, if more are needed than the network has to find: ${LIMITS.budgetChallengeBits} for a budget.`,
    ),
});
type ChallengeParameters = z.infer<typeof ChallengeParameters>;

export const getChallengeRoute = defineRoute<undefined, ChallengeParameters>({
  id: 'getChallenge',
  method: 'GET',
  path: `${PATHS.gateway}/challenge`,
  summary: 'Get a challenge to solve',
  description:
    'A solved challenge is needed for the scope submit, lets a registration through while the network has used up its limit, and a request that stores something while callers together have used much of a budget. Find a solution with which the SHA-256 of token, a full stop and solution begins with enough zero bits, and send both in "challenge" of the registration. Nothing is stored: a token leads to one agent, however often it is sent. The more a network registers beyond its limit, the harder its challenges are.',
  capability: 'agents',
  access: 'open',
  servedBy: 'function',
  edge: true,
  responses: [{ status: 200, description: 'A challenge.', content: { type: 'application/json', schema: Challenge } }],
  queryParameters: ChallengeParameters,
  errors: ['not_configured'],
  rateLimit: 'network',
  cache: 'no-store',
  handle: async ({ network, query }, deps) => {
    const { secrets, clock, randomness } = deps;
    if ('missing' in secrets) return refuse('not_configured', secrets.missing);
    const bits = Math.max(bitsForNetwork(network, deps), Number(query.difficulty_bits ?? 0));
    const challenge = await issueChallenge(bits, secrets, clock.nowMs(), randomness);
    return ok({ kind: 'json', status: 200, value: challenge });
  },
});
