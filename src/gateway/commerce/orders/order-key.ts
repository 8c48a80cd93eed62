import { sha256Hex } from '../../../provenance/bytes.ts';
import type { AgentStore, KeyPayload, NamedKey } from '../../agents/agent-ports.ts';
import { encodePayload, keyExpiresAtMs, minuteOf } from '../../agents/api-key.ts';
import { revokes } from '../../agents/revocation-list.ts';
import type { Clock, SigningSecrets } from '../../ports.ts';
import { ok, type Result, reached } from '../../result.ts';
import type { Order } from './order-ports.ts';

/** Agent of an order's key, 16 hexadecimal digits, derived from the random id of the order. */
export async function agentOfOrder({ id }: Pick<Order, 'id'>): Promise<string> {
  return (await sha256Hex(`agent of ${id}`)).slice(0, 16);
}

async function nameOfOrderKey(order: Pick<Order, 'id' | 'createdAtMs'>): Promise<NamedKey> {
  return { agent: await agentOfOrder(order), serial: 0, issuedMinute: minuteOf(order.createdAtMs) };
}

/** What checking an order's key needs. */
export interface OrderKeyDependencies {
  readonly agents: Pick<AgentStore, 'standing'>;
  readonly clock: Clock;
}

/** Status of an order's key. Only an active key may be delivered. */
export type OrderKeyStatus = 'active' | 'expired' | 'replaced' | 'revoked';

/**
 * The status of an order's key. A revocation counts once it is stored, even if it takes effect later: after a rotation, the holder has the
 * successor, and the old key works for the overlap only.
 *
 * @returns `revoked` if all keys of its agent were revoked, `replaced` if this one was rotated or revoked alone; `state_unavailable` if
 *   the database does not respond.
 */
export async function orderKeyStatus(
  order: Pick<Order, 'id' | 'createdAtMs'>,
  days: number,
  { agents, clock }: OrderKeyDependencies,
): Promise<Result<OrderKeyStatus>> {
  const key = await nameOfOrderKey(order);
  if (keyExpiresAtMs({ ...key, ttlDays: days }) <= clock.nowMs()) return ok('expired');
  const standing = await reached(agents.standing(key), 'The database did not respond, so the status of the key is unknown.');
  if (!standing.ok) return standing;
  const revocations = standing.value.revocations.filter((revocation) => revokes(revocation, key, Number.POSITIVE_INFINITY));
  if (revocations.length === 0) return ok('active');
  return ok(revocations.some(({ serial }) => serial === undefined) ? 'revoked' : 'replaced');
}

/**
 * Payload of the key with the raised limit that an order delivers. It is derived from the order and stored nowhere, so the order always
 * delivers the same key. The key has an agent of its own, whose revocation also revokes all successors.
 */
export async function orderKeyPayload(
  order: Pick<Order, 'id' | 'createdAtMs'>,
  days: number,
  secrets: SigningSecrets,
): Promise<Uint8Array> {
  const payload: KeyPayload = {
    secretId: secrets[0].id,
    ...(await nameOfOrderKey(order)),
    ttlDays: days,
    scopes: ['read', 'buy'],
    isRaised: true,
  };
  return encodePayload(payload);
}
