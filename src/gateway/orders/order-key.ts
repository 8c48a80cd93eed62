import { sha256Hex } from '../../provenance/digest.ts';
import { encodePayload, type KeyPayload, minuteOf } from '../agents/api-key.ts';
import type { SigningSecrets } from '../ports.ts';
import type { Order } from './order.ts';

/** Agent that the key of an order belongs to, 16 hexadecimal digits: it follows from the id of the order, which is random. */
export async function agentOfOrder({ id }: Pick<Order, 'id'>): Promise<string> {
  return (await sha256Hex(`agent of ${id}`)).slice(0, 16);
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
    agent: await agentOfOrder(order),
    serial: 0,
    issuedMinute: minuteOf(order.createdAtMs),
    ttlDays: days,
    scopes: ['read', 'buy'],
    isRaised: true,
  };
  return encodePayload(payload);
}
