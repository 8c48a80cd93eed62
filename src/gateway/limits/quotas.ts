import type { PublishedBudget } from '../../schemas/agents.ts';
import type { Capabilities } from '../../schemas/capabilities.ts';
import { type Features, isLimitInUse } from '../../schemas/feature-switches.ts';
import {
  BUDGET_WINDOW_SECONDS,
  BUDGETS,
  type Budget,
  type BudgetName,
  type ExactQuota,
  LIMITS,
  QUOTAS,
  type QuotaName,
  RATE_LIMITS,
  type RateLimitName,
} from '../../schemas/limits.ts';
import { PATHS } from '../../schemas/paths.ts';
import { get, type NextStep, post, WAIT } from '../error-next-actions.ts';
import { READ_QUOTAS } from '../errors.ts';
import { type CachedRead, cachedRead } from '../memory-caches.ts';
import type { BudgetUse, Clock, Quotas, QuotaTaken, ReadBudgets, ReturnableQuotas } from '../platform-ports.ts';
import { ok, type Result, reached, refuse } from '../result.ts';

export const LIFTED_QUOTAS: ReturnableQuotas = {
  take: async (name, _subject, nowMs) => ({
    allowed: true,
    remaining: QUOTAS[name].requests,
    endsAtMs: nowMs + QUOTAS[name].windowSeconds * 1_000,
  }),
  giveBack: async () => undefined,
};

/** Whole seconds until a window ends, at least one. */
export function secondsUntil(endsAtMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000));
}

/**
 * Takes one unit from an exact quota and its budget.
 *
 * @returns `quota_exceeded`, `challenge_required` where a solved challenge would admit the request, `challenge_invalid` for a used one, or
 * `state_unavailable`.
 */
export async function consumeQuota(quotas: Quotas, name: QuotaName, subject: string, clock: Clock): Promise<Result<undefined>> {
  const nowMs = clock.nowMs();
  const taken = await reached(quotas.take(name, subject, nowMs), 'A quota could not be counted, so nothing was done.');
  if (!taken.ok) return taken;
  return taken.value.allowed ? ok(undefined) : usedUp(name, taken.value, nowMs);
}

export function usedUp(
  name: QuotaName,
  { endsAtMs, refusedBy, challengeError }: Pick<QuotaTaken, 'endsAtMs' | 'refusedBy' | 'challengeError'>,
  nowMs: number,
): Result<never> {
  const { requests, windowSeconds, per, budget }: ExactQuota = QUOTAS[name];
  const nextActions = STEPS_OF_QUOTAS[name];
  const more = { retryAfterSeconds: secondsUntil(endsAtMs, nowMs), ...(nextActions && { nextActions }) };
  if (refusedBy === 'used_challenge') return refuse('challenge_invalid', 'This challenge was already used. Solve a new one.');
  if (challengeError !== undefined) return refuse('challenge_invalid', challengeError);
  if (budget !== undefined && refusedBy === 'challenge')
    return refuse(
      'challenge_required',
      `Callers together have used half of the budget "${budget}" today, so until midnight UTC each request needs a solved challenge: get one at ${CHALLENGE_ADDRESS} and send the request again with the header Challenge-Solution: <token>.<solution>.`,
      { nextActions: CHALLENGE_STEPS },
    );
  if (budget !== undefined && (refusedBy === 'budget' || refusedBy === 'storage'))
    return refuse(
      'quota_exceeded',
      refusedBy === 'budget'
        ? `The budget "${budget}" of ${BUDGETS[budget].requests} a day for all callers together is used up.`
        : `The database stores the maximum number of rows for "${budget}".`,
      more,
    );
  return refuse('quota_exceeded', `The quota "${name}" of ${requests} in ${windowSeconds} seconds for each ${per} is used up.`, more);
}

export const CHALLENGE_ADDRESS = `${PATHS.gateway}/challenge?difficulty_bits=${LIMITS.budgetChallengeBits}`;

const CHALLENGE_STEPS: readonly NextStep[] = [
  get('Request a challenge.', CHALLENGE_ADDRESS),
  {
    description:
      'Find a solution: a text for which the SHA-256 of token + "." + solution begins with that many zero bits. Send the same request again with the header "Challenge-Solution: <token>.<solution>"; in a registration, put token and solution into "challenge" instead.',
  },
];

/** Next steps after `quota_exceeded` where waiting and repeating the request is not the best one. */
const STEPS_OF_QUOTAS: Partial<Record<QuotaName, readonly NextStep[]>> = {
  registry: [
    post(
      'Send the registration without an Idempotency-Key: it stores nothing in the database, and its key works as well.',
      `${PATHS.gateway}/register`,
    ),
    WAIT,
    READ_QUOTAS,
  ],
  submit_keys: [
    post(
      'Register without the scope submit to get a key for queries immediately: send {"agent_name": "<name>"}.',
      `${PATHS.gateway}/register`,
    ),
    get(
      `Or wait as long as Retry-After says, then request and solve a new challenge: a challenge is valid for ${LIMITS.challengeMinutes} minutes only.`,
      `${PATHS.gateway}/challenge`,
    ),
    READ_QUOTAS,
  ],
};

/** Rate limits and quotas of what is switched on, with the layer that always counts them: the isolate, or the database. */
export function publishedRateLimits(features: Features) {
  return [...published(RATE_LIMITS, 'isolate'), ...published(QUOTAS, 'exact')].filter(({ name }) => isLimitInUse(name, features));
}

function published<Name extends string, Layer extends string>(
  limits: Readonly<Record<Name, Omit<ExactQuota, 'budget' | 'per'> & { readonly per: ExactQuota['per'] | 'key' }>>,
  enforcement: Layer,
) {
  return (Object.keys(limits) as Name[]).map((name) => {
    const { requests, windowSeconds, per } = limits[name];
    return { name, requests, window_seconds: windowSeconds, per, enforcement };
  });
}

export function layerInForce(published: Capabilities['rate_limits'], located: ReadonlySet<RateLimitName>): Capabilities['rate_limits'] {
  const names: ReadonlySet<string> = located;
  const policies = published.policies.map((policy) => (names.has(policy.name) ? { ...policy, enforcement: 'location' as const } : policy));
  return { enforcement: policies.some(({ enforcement }) => enforcement === 'location') ? 'location' : published.enforcement, policies };
}

function budgetNames(features: Features): readonly BudgetName[] {
  return (Object.keys(BUDGETS) as BudgetName[]).filter((name) => isLimitInUse(name, features));
}

/** Budgets of what is switched on, as a build publishes them: with the level `unknown`. */
export function publishedBudgets(features: Features): PublishedBudget[] {
  return budgetNames(features).map((name) => describe(name, undefined));
}

const LEVELS_LIFETIME_MS = 30_000;

/** The current level of every budget of what is switched on; `unknown` if the database cannot be reached. */
export function budgetLevels(readUse: ReadBudgets | undefined, clock: Clock, features: Features): CachedRead<readonly PublishedBudget[]> {
  const names = budgetNames(features);
  return cachedRead(
    async (nowMs) => {
      const used = await readUse?.(nowMs).catch(() => undefined);
      return names.map((name) => describe(name, used?.get(name)));
    },
    LEVELS_LIFETIME_MS,
    clock,
  );
}

function describe(name: BudgetName, used: BudgetUse | undefined): PublishedBudget {
  const { requests, withoutChallenge, stored }: Budget = BUDGETS[name];
  return {
    name,
    requests,
    requests_without_challenge: withoutChallenge,
    window_seconds: BUDGET_WINDOW_SECONDS,
    ...(stored === undefined ? {} : { rows_stored_max: stored.rows }),
    level: levelOf(BUDGETS[name], used),
  };
}

function levelOf({ requests, withoutChallenge, stored }: Budget, used: BudgetUse | undefined): PublishedBudget['level'] {
  if (used === undefined) return 'unknown';
  if (used.requests >= requests || (stored !== undefined && used.rowsStored >= stored.rows)) return 'used_up';
  return used.requests >= withoutChallenge ? 'challenge_required' : 'open';
}
