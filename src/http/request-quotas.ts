import { redeemChallenge, usedOnce } from '../gateway/agents/challenge.ts';
import { isKnownAgent } from '../gateway/agents/scopes.ts';
import type { KeyBindings } from '../gateway/idempotency/bind-key.ts';
import { secondsUntil } from '../gateway/limits/take-quota.ts';
import type { Quotas, SolvedChallengeUse, Standing } from '../gateway/ports.ts';
import { ok, type Result } from '../gateway/result.ts';
import { SolvedChallenge } from '../schemas/agents/registration.ts';
import { LIMITS } from '../schemas/limits.ts';
import type { RouteHeader } from './define-route.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import type { RequestContext } from './request-context.ts';
import { bitsForNetwork, type LimitReport } from './rate-limits.ts';

/** Header of every operation that stores something for anybody: a solved challenge, where a budget asks for one. */
export const CHALLENGE_SOLUTION: RouteHeader = {
  name: 'Challenge-Solution',
  description: `Token and solution of a challenge, with a full stop between them. Needed only while much of a budget is used, which capabilities and status tell; one challenge lets one request through.`,
  minLength: 3,
  maxLength: LIMITS.challengeSolutionMaxLength,
  example: 'AQFpI2VrAAAAAAAAAAAAAAAAAAAAAAA.4q3',
};

/** The same quotas; what is taken of them is noted in `report`. */
export function reportedQuotas(quotas: Quotas, report: LimitReport): Quotas {
  return {
    take: async (name, subject, nowMs, standing) => {
      const taken = await quotas.take(name, subject, nowMs, standing);
      const { allowed, remaining, endsAtMs, refusedBy } = taken;
      // A budget is no quota of the caller: what is left of that says nothing about a refusal by the other.
      if (allowed || refusedBy === 'quota') report.set(name, { allowed, remaining, resetSeconds: secondsUntil(endsAtMs, nowMs) });
      return taken;
    },
  };
}

/**
 * The quotas as one request takes from them: told in the headers of its response, and with the standing of its caller. A challenge that
 * is not solved matters only where one is needed.
 */
export function requestQuotas(quotas: Quotas, context: RequestContext, deps: GatewayDependencies): Quotas {
  const reported = reportedQuotas(quotas, context.limits);
  const { caller } = context;
  const isKnown = caller !== undefined && isKnownAgent(caller.key, caller.scopes);
  return {
    take: async (name, subject, nowMs, given) => {
      const solved = await redeemChallengeOf(context, deps, nowMs);
      const standing: Standing = { isKnown, solvedChallenge: solved?.ok ? solved.value : undefined, ...given };
      const taken = await reported.take(name, subject, nowMs, standing);
      return solved?.ok === false && taken.refusedBy === 'challenge' ? { ...taken, challengeFault: solved.refusal.detail } : taken;
    },
  };
}

/** What the challenge that came with a request stands for; `undefined` without one. */
async function redeemChallengeOf(
  { request, network, challengeSolution }: RequestContext,
  deps: GatewayDependencies,
  nowMs: number,
): Promise<Result<SolvedChallengeUse> | undefined> {
  const text = challengeSolution ?? request.headers.get(CHALLENGE_SOLUTION.name);
  if (text === null || 'missing' in deps.secrets) return undefined;
  const at = text.indexOf('.');
  const sent = SolvedChallenge.safeParse({ token: text.slice(0, at).trim(), solution: text.slice(at + 1).trim() });
  // What has not the form of a solved challenge is judged as one that nobody issued.
  const challenge = sent.success ? sent.data : { token: '', solution: '' };
  const bits = Math.max(LIMITS.budgetChallengeBits, bitsForNetwork(network, deps));
  const agent = await redeemChallenge(challenge, bits, deps.secrets, nowMs);
  return agent.ok ? ok(usedOnce(agent.value)) : agent;
}

/**
 * The same bindings, for requests that are refused: each takes from a quota, because it leaves a row. Where there is none left, the key stays
 * free, and the refusal is the answer all the same.
 */
export function boundedBindings(keys: KeyBindings, quotas: Quotas, network: string): KeyBindings {
  return {
    ...keys,
    bind: async (slot, bodySha256, nowMs, expiresAtMs) => {
      const bound = await keys.find(slot, nowMs);
      if (bound !== undefined) return bound;
      const { allowed } = await quotas.take('network_key_bindings', network, nowMs);
      return allowed ? keys.bind(slot, bodySha256, nowMs, expiresAtMs) : bodySha256;
    },
  };
}
