import { ok, outage, type Result } from '../result.ts';

/**
 * What a call of the database gives, or that it could not be reached. Only the call itself belongs in it: whatever else fails is a
 * mistake of ours, and no outage.
 *
 * @param detail What that means for the caller, and what to do.
 */
export async function reached<T>(call: Promise<T>, detail: string): Promise<Result<T>> {
  try {
    return ok(await call);
  } catch {
    return outage('state_unavailable', detail);
  }
}
