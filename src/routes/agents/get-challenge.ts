import * as z from 'zod';
import { issueChallenge } from '../../gateway/agents/challenge.ts';
import { ok, refuse } from '../../gateway/result.ts';
import { defineRoute, jsonResponse } from '../../http/define-route.ts';
import { bitsForNetwork } from '../../http/rate-limits.ts';
import { Challenge } from '../../schemas/agents/registration.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';

const ChallengeParameters = z.looseObject({
  difficulty_bits: z
    .string()
    .regex(/^\d{2}$/)
    .refine((text) => Number(text) >= LIMITS.challengeBitsMin && Number(text) <= LIMITS.challengeBitsMax, {
      message: `must be a whole number from ${LIMITS.challengeBitsMin} to ${LIMITS.challengeBitsMax}`,
    })
    .optional()
    .describe(`Leading zero bits, if you need more than your network has to find; a budget requires ${LIMITS.budgetChallengeBits}.`),
});
type ChallengeParameters = z.infer<typeof ChallengeParameters>;

export const getChallengeRoute = defineRoute<undefined, ChallengeParameters>({
  id: 'getChallenge',
  method: 'GET',
  path: `${PATHS.gateway}/challenge`,
  summary: 'Get a challenge',
  description:
    'A solved challenge is required for the scope submit. It also lets a registration through after its network has used up its limit, and a request that stores something after callers together have used much of a budget. Find a solution so that the SHA-256 of the token, a full stop and the solution begins with enough zero bits, and send both as "challenge" in the registration. Nothing is stored: a token leads to one agent, however often it is sent. The more a network registers beyond its limit, the harder its challenges become.',
  capability: 'agents',
  access: 'open',
  edge: true,
  responses: [jsonResponse('A challenge.', Challenge)],
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
