import * as z from 'zod';
import { agentIdOf } from '../../../gateway/agents/issued-key.ts';
import { acpSession } from '../session.ts';
import type { KeyedRequest, KeyScope } from '../../../gateway/idempotency/bind-key.ts';
import type { WriteSession } from '../../../gateway/commerce/sessions/change-session.ts';
import type { CheckoutDependencies } from '../../../gateway/commerce/sessions/checkout-sessions.ts';
import { LIMITS } from '../../../schemas/limits.ts';
import { callerOf, type RouteInput } from '../../../http/define-route.ts';

/** What every operation of the protocol shares. */
export const ACP_OPERATION = {
  capability: 'commerce',
  access: 'buy',
  servedBy: 'function',
  edge: true,
  rateLimit: 'buy',
  cache: 'no-store',
} as const;

/** Path parameters of operations on one session. */
export const AcpSessionPath = z.object({
  checkout_session_id: z
    .string()
    .min(1)
    .max(LIMITS.shortTextMaxLength)
    .describe('Id of the session, as it was answered when it was opened.'),
});
export type AcpSessionPath = z.infer<typeof AcpSessionPath>;

/** A request of an agent with the key that makes it safe to repeat. */
export interface AcpRequest extends KeyedRequest {
  readonly idempotencyKey: string;
}

/**
 * Idempotency keys belong to an agent, an operation and a session.
 *
 * @param operation Id of the operation.
 */
export function acpKeyScope(operation: string) {
  return (input: Pick<RouteInput<unknown, unknown, unknown>, 'caller' | 'path'>): KeyScope => {
    const sessionId = (input.path as Partial<AcpSessionPath> | undefined)?.checkout_session_id;
    return { caller: ownerOf(input), endpoint: sessionId === undefined ? operation : `${operation} ${sessionId}` };
  };
}

/** The request as the order engine sees it. */
export function acpRequest(input: RouteInput<unknown, unknown, unknown>, operation: string): AcpRequest {
  const { idempotencyKey, sentBody } = input;
  if (idempotencyKey === undefined) throw new TypeError('a request of the protocol came without an Idempotency-Key');
  return { ...acpKeyScope(operation)(input), idempotencyKey, sentBody };
}

/** Owner of the sessions of the caller: its agent. */
export function ownerOf(input: Pick<RouteInput<unknown, unknown, unknown>, 'caller'>): string {
  return agentIdOf(callerOf(input).key.payload);
}

/** Writes sessions as the protocol does. */
export function acpWriter(status: 200 | 201, { deployment, clock }: Pick<CheckoutDependencies, 'deployment' | 'clock'>): WriteSession {
  const nowMs = clock.nowMs();
  return (session, order) => ({ status, body: JSON.stringify(acpSession(session, order, deployment, nowMs)) });
}
