import { challengeBits, issueChallenge } from '../../gateway/agents/challenge.ts';
import { ok, refuse } from '../../gateway/result.ts';
import { Challenge } from '../../schemas/challenge.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { defineRoute, type GatewayDependencies } from '../define-route.ts';

export const getChallengeRoute = defineRoute({
  id: 'getChallenge',
  method: 'GET',
  path: `${PATHS.gateway}/challenge`,
  summary: 'Get a challenge to solve before a registration',
  description:
    'A solved challenge is needed for the scope submit, and lets a registration through while the network has used up its limit. Find a solution with which the SHA-256 of token, a full stop and solution begins with enough zero bits, and send both in "challenge" of the registration. Nothing is stored: a token leads to one agent, however often it is sent. The more a network registers beyond its limit, the harder its challenges are.',
  capability: 'agents',
  access: 'open',
  servedBy: 'function',
  edge: true,
  answers: [{ status: 200, description: 'A challenge.', content: { type: 'application/json', schema: Challenge } }],
  errors: ['not_configured'],
  rateLimit: 'network',
  cache: 'no-store',
  handle: async ({ network }, deps) => {
    const { secrets, clock, randomness } = deps;
    if ('missing' in secrets) return refuse('not_configured', secrets.missing);
    const challenge = await issueChallenge(bitsForNetwork(network, deps), secrets, clock.nowMs(), randomness);
    return ok({ kind: 'json', status: 200, value: challenge });
  },
});

/** Leading zero bits that a network's challenges have now. */
export function bitsForNetwork(network: string, { limiters, clock }: Pick<GatewayDependencies, 'limiters' | 'clock'>): number {
  if (limiters === undefined) return LIMITS.challengeBitsMin;
  return challengeBits(limiters.register_solved.remaining(network, clock.nowMs()));
}
