import { LIMITS } from '../../../schemas/limits.ts';
import type { SigningSecret, SigningSecrets } from '../../ports.ts';
import type { Order } from './order.ts';
import type { OrderStore } from './order-ports.ts';

/** What sending webhooks needs. */
export interface WebhookDependencies {
  readonly deliveries: WebhookDeliveries;
  readonly orders: Pick<OrderStore, 'orderById'>;
  readonly writeOrderEvent: WriteOrderEvent;
  readonly sendWebhook: SendWebhook;
  /** The first one signs. */
  readonly secrets: SigningSecrets;
  readonly baseUrl: string;
}

/** How many webhooks that were due were sent, retried later, or given up. */
export interface DeliveryReport {
  readonly sent: number;
  /** Those that are tried again later. */
  readonly putOff: number;
  readonly givenUp: number;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** How long to wait after each attempt, in milliseconds: about three days in all, so that an outage of a weekend loses nothing. */
const WAITS_MS = [1, 5, 15, 30, 60, 120, 240, 480, 720, 1_200, 1_440].map((minutes) => minutes * MINUTE_MS);

/** How long to wait after an attempt, in milliseconds. @param attempts Attempts that were made, from 1. */
export function nextAttemptMs(attempts: number): number {
  return WAITS_MS[Math.min(attempts, WAITS_MS.length) - 1] ?? HOUR_MS;
}

/**
 * Sends up to `limit` webhooks that are due, with the current state of their orders. A webhook may arrive twice, if its outcome could not
 * be stored; a crash loses none.
 *
 * @throws If the database cannot be reached before anything was sent.
 */
export async function sendWebhooks(deps: WebhookDependencies, nowMs: number, limit: number): Promise<DeliveryReport> {
  const due = await deps.deliveries.claim(nowMs, limit, nextAttemptMs);
  const outcomes = await Promise.all(due.map((webhook) => deliver(webhook, deps, nowMs)));
  const count = (outcome: Delivery): number => outcomes.filter((one) => one === outcome).length;
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
    const fault =
      order === undefined
        ? 'the order is gone'
        : await sendWebhook({ url, ...(await writeOrderEvent(kind, order, { baseUrl, secret: secrets[0], nowMs })) });
    if (fault === undefined) {
      await deliveries.markSent(number);
      return 'sent';
    }
    const isLast = order === undefined || attempts >= LIMITS.noticeAttemptsMax;
    await deliveries.markFailed(number, fault, isLast);
    return isLast ? 'given_up' : 'put_off';
  } catch {
    // The database did not answer; the webhook is due again at the time that it was put off to.
    return 'put_off';
  }
}

/** A webhook that is due: an event of an order, for the address that its agent named. */
export interface DueWebhook {
  readonly number: number;
  readonly orderId: string;
  readonly url: string;
  readonly kind: 'order_create' | 'order_update';
  /** Attempts that were made, this one included. */
  readonly attempts: number;
}

/** Webhooks that are still to be delivered. Every method throws if the database cannot be reached. */
export interface WebhookDeliveries {
  /**
   * Takes up to `limit` webhooks that are due and puts off each until its next attempt, so that nobody else sends it meanwhile, and a
   * crash loses none.
   *
   * @param nextAttemptMs Wait after an attempt, by the attempts that were made, in milliseconds.
   */
  readonly claim: (nowMs: number, limit: number, nextAttemptMs: (attempts: number) => number) => Promise<readonly DueWebhook[]>;
  readonly markSent: (number: number) => Promise<void>;
  /** Stores why an attempt failed. @param isLast Whether no further attempt is made. */
  readonly markFailed: (number: number, fault: string, isLast: boolean) => Promise<void>;
}

/** Body and headers of a webhook. */
export interface WebhookMessage {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Writes the signed webhook that tells an agent of its order, in the form of the protocol that the agent speaks. */
export type WriteOrderEvent = (
  kind: DueWebhook['kind'],
  order: Order,
  context: { readonly baseUrl: string; readonly secret: SigningSecret; readonly nowMs: number },
) => Promise<WebhookMessage>;

/** Sends one webhook: `undefined` if it was accepted (2xx), else why not, in a few words. Never throws; follows no redirect. */
export type SendWebhook = (request: WebhookMessage & { readonly url: string }) => Promise<string | undefined>;
