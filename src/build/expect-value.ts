import type { Result } from '../gateway/result.ts';

/**
 * The value of an answer that the gateway gives to the build itself, where a refusal is a mistake of ours.
 *
 * @throws {Error} If it was refused.
 */
export function expectValue<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(`what was built cannot be read: ${result.refusal.detail}`);
  return result.value;
}
