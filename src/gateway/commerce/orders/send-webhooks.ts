import { LIMITS } from '../../../schemas/limits.ts';
import type { SigningSecrets } from '../../ports.ts';
import { orderEvent, orderWebhookSecret, signedEventHeaders } from '../../../protocols/acp/order-event.ts';
import type { DueWebhook, NoticeSender, NoticeStore } from './webhook-ports.ts';
import type { OrderStore } from './order-ports.ts';

/** What sending notices needs. */
export interface NoticeDependencies {
  readonly notices: NoticeStore;
  readonly orders: Pick<OrderStore, 'orderById'>;
  readonly sendNotice: NoticeSender;
  /** The first one signs. */
  readonly secrets: SigningSecrets;
  readonly baseUrl: string;
}

/** What became of notices that were due. */
export interface DrainReport {
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
 * Sends up to `limit` notices that are due, with what their orders are now. A notice may arrive twice, when what became of it could not
 * be stored; it is lost by no crash.
 *
 * @throws If the database cannot be reached before anything was sent.
 */
export async function sendWebhooks(deps: NoticeDependencies, nowMs: number, limit: number): Promise<DrainReport> {
  const due = await deps.notices.claim(nowMs, limit, nextAttemptMs);
  const outcomes = await Promise.all(due.map((notice) => sendOne(notice, deps, nowMs)));
  const count = (outcome: NoticeOutcome): number => outcomes.filter((one) => one === outcome).length;
  return { sent: count('sent'), putOff: count('put_off'), givenUp: count('given_up') };
}

type NoticeOutcome = 'sent' | 'put_off' | 'given_up';

async function sendOne(
  notice: DueWebhook,
  { notices, orders, sendNotice, secrets, baseUrl }: NoticeDependencies,
  nowMs: number,
): Promise<NoticeOutcome> {
  try {
    const order = await orders.orderById(notice.orderId);
    let fault: string | undefined = 'the order is gone';
    if (order !== undefined) {
      const body = orderEvent(notice.kind, order, baseUrl);
      const headers = await signedEventHeaders(body, await orderWebhookSecret(order.owner, secrets[0]), nowMs);
      fault = await sendNotice({ url: notice.url, body, headers });
    }
    if (fault === undefined) {
      await notices.markSent(notice.number);
      return 'sent';
    }
    const isLast = order === undefined || notice.attempts >= LIMITS.noticeAttemptsMax;
    await notices.markFailed(notice.number, fault, isLast);
    return isLast ? 'given_up' : 'put_off';
  } catch {
    // The database did not answer; the notice is due again at the time that it was put off to.
    return 'put_off';
  }
}
