import type { Scope } from '../../schemas/registration.ts';
import type { VerifiedKey } from './api-key.ts';

/**
 * Whether the publisher knows an agent: its key was sold with an offer, or the publisher granted it a scope. Anybody can register, so all
 * other keys say nothing about who holds them. Known agents have room of their own in every budget.
 *
 * @param scopes Scopes in force: those of the key, and those that were granted.
 */
export function isKnownAgent({ payload }: VerifiedKey, scopes: readonly Scope[]): boolean {
  return payload.isRaised === true || scopes.some((scope) => !payload.scopes.includes(scope));
}
