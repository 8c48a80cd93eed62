import type { SigningSecret } from '../../ports.ts';
import type { Order } from './order.ts';

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
