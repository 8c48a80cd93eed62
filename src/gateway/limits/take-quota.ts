import { QUOTAS, type QuotaName } from '../../schemas/limits.ts';
import type { Clock, Quotas } from '../ports.ts';
import { ok, outage, type Result, refuse } from '../result.ts';
import { STEPS_OF_QUOTAS } from './quota-steps.ts';

/** Where quotas are counted while a benchmark has lifted the limits: nowhere. */
export const LIFTED_QUOTAS: Quotas = {
  take: async (name, _subject, nowMs) => ({
    allowed: true,
    remaining: QUOTAS[name].requests,
    endsAtMs: nowMs + QUOTAS[name].windowSeconds * 1_000,
  }),
};

/** Whole seconds until a window ends, at least one. */
export function secondsUntil(endsAtMs: number, nowMs: number): number {
  return Math.max(1, Math.ceil((endsAtMs - nowMs) / 1_000));
}

/**
 * Takes one of an exact quota, or says why not: `quota_exceeded` with the seconds until the window ends, or `state_unavailable`
 * where the database does not answer.
 *
 * @param subject Id of the agent, or the caller's network: what the quota is counted for.
 */
export async function takeQuota(quotas: Quotas, name: QuotaName, subject: string, clock: Clock): Promise<Result<undefined>> {
  const nowMs = clock.nowMs();
  try {
    const { allowed, endsAtMs } = await quotas.take(name, subject, nowMs);
    if (allowed) return ok(undefined);
    return usedUp(name, endsAtMs, nowMs);
  } catch {
    return outage('state_unavailable', 'A quota could not be counted, so nothing was done.');
  }
}

/** The refusal of a request that finds a quota used up until `endsAtMs`, with the steps that fit that quota. */
export function usedUp(name: QuotaName, endsAtMs: number, nowMs: number): Result<never> {
  const { requests, windowSeconds, per } = QUOTAS[name];
  const steps = STEPS_OF_QUOTAS[name];
  return refuse('quota_exceeded', `The quota "${name}" of ${requests} in ${windowSeconds} seconds for each ${per} is used up.`, {
    retryAfterSeconds: secondsUntil(endsAtMs, nowMs),
    ...(steps === undefined ? {} : { nextActions: steps }),
  });
}
