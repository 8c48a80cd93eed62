import type { PublishedBudget } from '../../schemas/agents.ts';
import type { Capabilities } from '../../schemas/capabilities.ts';
import { type Features, isLimitInUse } from '../../schemas/features.ts';
import {
  BUDGET_WINDOW_SECONDS,
  BUDGETS,
  type Budget,
  type BudgetName,
  type ExactQuota,
  QUOTAS,
  RATE_LIMITS,
  type RateLimitName,
} from '../../schemas/limits.ts';
import type { BudgetUse, Clock, ReadBudgets } from '../ports.ts';

/**
 * Rate limits and quotas of what is switched on: rate limits with the layer that always counts them, the isolate; quotas are counted by the
 * database.
 */
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

/** Published rate limits with the layer that counts each at present. */
export function layerInForce(published: Capabilities['rate_limits'], located: ReadonlySet<RateLimitName>): Capabilities['rate_limits'] {
  const names: ReadonlySet<string> = located;
  const policies = published.policies.map((policy) => (names.has(policy.name) ? { ...policy, enforcement: 'location' as const } : policy));
  return { enforcement: policies.some(({ enforcement }) => enforcement === 'location') ? 'location' : published.enforcement, policies };
}

/** Names of the budgets of what is switched on. */
function budgetNames(features: Features): readonly BudgetName[] {
  return (Object.keys(BUDGETS) as BudgetName[]).filter((name) => isLimitInUse(name, features));
}

const KEPT_MS = 30_000;

/** Budgets of what is switched on, as a build publishes them: with the level `unknown`. */
export function publishedBudgets(features: Features): PublishedBudget[] {
  return budgetNames(features).map((name) => describe(name, undefined));
}

/** The current level of every budget of what is switched on; each isolate reads it about twice a minute. */
export class BudgetLevels {
  readonly #readUse: ReadBudgets | undefined;
  readonly #clock: Clock;
  readonly #names: readonly BudgetName[];
  #known: { readonly atMs: number; readonly levels: readonly PublishedBudget[] } | undefined;

  constructor(readUse: ReadBudgets | undefined, clock: Clock, features: Features) {
    this.#names = budgetNames(features);
    this.#readUse = readUse;
    this.#clock = clock;
  }

  /** The budgets, with the level `unknown` if the database cannot be reached. */
  async read(): Promise<readonly PublishedBudget[]> {
    const nowMs = this.#clock.nowMs();
    const known = this.#known;
    if (known !== undefined && nowMs >= known.atMs && nowMs - known.atMs < KEPT_MS) return known.levels;
    const used = await this.#readUse?.(nowMs).catch(() => undefined);
    const levels = this.#names.map((name) => describe(name, used?.get(name)));
    this.#known = { atMs: nowMs, levels };
    return levels;
  }
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
