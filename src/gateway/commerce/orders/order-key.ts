import { sha256Hex } from '../../../provenance/bytes.ts';
import type { AgentStore, NamedKey } from '../../agents/agent-ports.ts';
import { encodePayload, type KeyPayload, keyExpiresAtMs, minuteOf } from '../../agents/api-key.ts';
import { revokes } from '../../agents/revocation-list.ts';
import type { Clock, SigningSecrets } from '../../ports.ts';
import { ok, outage, type Result, reached } from '../../result.ts';
import type { Order } from './order.ts';

/** Agent that the key of an order belongs to, 16 hexadecimal digits: it follows from the id of the order, which is random. */
export async function agentOfOrder({ id }: Pick<Order, 'id'>): Promise<string> {
  return (await sha256Hex(`agent of ${id}`)).slice(0, 16);
}

/** The key of an order as revocations name it. */
async function nameOfOrderKey(order: Pick<Order, 'id' | 'createdAtMs'>): Promise<NamedKey> {
  return { agent: await agentOfOrder(order), serial: 0, issuedMinute: minuteOf(order.createdAtMs) };
}

/** Where it is known what became of the key of an order; `agents` is `undefined` where no database is bound. */
export interface OrderKeyDependencies {
  readonly agents: Pick<AgentStore, 'standing'> | undefined;
  readonly clock: Clock;
}

/** What became of the key of an order. Only an active one may be handed out. */
export type OrderKeyStatus = 'active' | 'expired' | 'replaced' | 'revoked';

/**
 * What became of the key of an order. A revocation counts from the moment that it is stored, also one that takes effect later: whoever
 * rotated the key has its successor already, and the key goes on working for the overlap only for those who have it.
 *
 * @param days Days from the order on for which the key works.
 * @returns `revoked` if all keys of its agent were, `replaced` if it was rotated or revoked alone; `state_unavailable` if the database
 *   cannot say.
 */
export async function orderKeyStatus(
  order: Pick<Order, 'id' | 'createdAtMs'>,
  days: number,
  { agents, clock }: OrderKeyDependencies,
): Promise<Result<OrderKeyStatus>> {
  if (agents === undefined) return outage('state_unavailable', 'No database is bound to this deployment.');
  const key = await nameOfOrderKey(order);
  if (keyExpiresAtMs({ ...key, ttlDays: days }) <= clock.nowMs()) return ok('expired');
  const standing = await reached(
    agents.standing(key),
    'The database did not answer, so it cannot be known whether the key of the order was rotated or revoked.',
  );
  if (!standing.ok) return standing;
  const revocations = standing.value.revocations.filter((revocation) => revokes(revocation, key, Number.POSITIVE_INFINITY));
  if (revocations.length === 0) return ok('active');
  return ok(revocations.some(({ serial }) => serial === undefined) ? 'revoked' : 'replaced');
}

/**
 * Payload of the key with the raised limit that an order delivers. It follows from the order, so that it is stored nowhere, and the
 * address of the order gives the same key each time. It belongs to an agent of its own: a revocation of that agent takes it back,
 * together with every key that it was rotated to.
 *
 * @param days Days from the order on for which it works.
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
