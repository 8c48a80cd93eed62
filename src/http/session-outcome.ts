import type { SessionResponse } from '../gateway/commerce/sessions/change-session.ts';
import { ok, type Result } from '../gateway/result.ts';
import type { Outcome } from './define-route.ts';

/** HTTP answer of a session, in any protocol; one that was given before says so. */
export function sessionOutcome(answered: Result<SessionResponse>): Result<Outcome> {
  if (!answered.ok) return answered;
  const { status, body, isReplay, refusal } = answered.value;
  return ok({
    kind: 'text',
    status: status === 201 ? 201 : 200,
    contentType: 'application/json',
    body,
    refusal,
    ...(isReplay ? { headers: { 'Idempotent-Replayed': 'true' } } : {}),
  });
}
