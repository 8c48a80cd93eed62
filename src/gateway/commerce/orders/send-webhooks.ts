import { LIMITS } from '../../../schemas/limits.ts';
import { MINUTE_MS } from '../../../schemas/time.ts';
import type { SigningSecrets } from '../../platform-ports.ts';
import type { OrderStore } from '../cart/checkout-ports.ts';
import type { DueWebhook, SendWebhook, WebhookDeliveries, WriteOrderEvent } from './order-ports.ts';

export interface WebhookDependencies {
  readonly deliveries: WebhookDeliveries;
  readonly orders: Pick<OrderStore, 'orderById'>;
  readonly writeOrderEvent: WriteOrderEvent;
  readonly sendWebhook: SendWebhook;
  readonly secrets: SigningSecrets;
  readonly baseUrl: string;
}

export interface DeliveryReport {
  readonly sent: number;
  readonly putOff: number;
  readonly givenUp: number;
}

/** Waits after each attempt, in milliseconds; the last one repeats. About three days in total, so that a weekend outage loses nothing. */
export const WAITS_MS: readonly number[] = [1, 5, 15, 30, 60, 120, 240, 480, 720, 1_200, 1_440].map((minutes) => minutes * MINUTE_MS);

/**
 * Sends up to `limit` due webhooks with the current state of their orders; one may arrive twice if its outcome could not be stored.
 *
 * @throws If the database cannot be reached before anything was sent.
 */
export async function sendWebhooks(deps: WebhookDependencies, nowMs: number, limit: number): Promise<DeliveryReport> {
  const due = await deps.deliveries.takeDue(nowMs, limit, WAITS_MS);
  const outcomes = await Promise.all(due.map((webhook) => deliver(webhook, deps, nowMs)));
  const count = (outcome: Delivery): number => outcomes.filter((each) => each === outcome).length;
  return { sent: count('sent'), putOff: count('put_off'), givenUp: count('given_up') };
}

type Delivery = 'sent' | 'put_off' | 'given_up';

async function deliver(
  { number, orderId, url, kind, attempts }: DueWebhook,
  { deliveries, orders, writeOrderEvent, sendWebhook, secrets, baseUrl }: WebhookDependencies,
  nowMs: number,
): Promise<Delivery> {
  try {
    const order = await orders.orderById(orderId);
    const failure =
      order === undefined
        ? 'the order does not exist'
        : await sendWebhook({ url, ...(await writeOrderEvent(kind, order, { baseUrl, secret: secrets[0], nowMs })) });
    if (failure === undefined) {
      await deliveries.markSent(number);
      return 'sent';
    }
    const isLast = order === undefined || attempts >= LIMITS.noticeAttemptsMax;
    await deliveries.markFailed(number, failure, isLast);
    return isLast ? 'given_up' : 'put_off';
  } catch {
    // The database did not respond. The webhook is due again at the time of its next attempt.
    return 'put_off';
  }
}
