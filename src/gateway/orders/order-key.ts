import { sha256Hex } from '../../provenance/digest.ts';
import type { AgentStore, NamedKey, Revocation } from '../agents/agent-ports.ts';
import { encodePayload, type KeyPayload, minuteOf } from '../agents/api-key.ts';
import { revokes } from '../agents/revocation-list.ts';
import type { Clock, SigningSecrets } from '../ports.ts';
import type { Order } from './order.ts';

/** Agent that the key of an order belongs to, 16 hexadecimal digits: it follows from the id of the order, which is random. */
export async function agentOfOrder({ id }: Pick<Order, 'id'>): Promise<string> {
  return (await sha256Hex(`agent of ${id}`)).slice(0, 16);
}

/** The key of an order as revocations name it. */
async function nameOfOrderKey(order: Pick<Order, 'id' | 'createdAtMs'>): Promise<NamedKey> {
  return { agent: await agentOfOrder(order), serial: 0, issuedMinute: minuteOf(order.createdAtMs) };
}

/** Where it is known whether the key of an order still works; `agents` is `undefined` where no database is bound. */
export interface OrderKeyStanding {
  readonly agents: Pick<AgentStore, 'standing'> | undefined;
  readonly clock: Clock;
}

/**
 * Why the key of an order works no more although its days are not over: of all its agent's keys, if they were revoked, else of itself,
 * by a rotation or alone. `undefined` while it works, and while the database cannot be asked.
 */
export async function endOfOrderKey(
  order: Pick<Order, 'id' | 'createdAtMs'>,
  { agents, clock }: OrderKeyStanding,
): Promise<Revocation | undefined> {
  const key = await nameOfOrderKey(order);
  const standing = await agents?.standing(key).catch(() => undefined);
  const nowMs = clock.nowMs();
  const ends = standing?.revocations.filter((revocation) => revokes(revocation, key, nowMs)) ?? [];
  return ends.find(({ serial }) => serial === undefined) ?? ends[0];
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
