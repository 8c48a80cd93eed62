/** News of an order that is to be sent to the address that its agent named. */
export interface DueWebhook {
  readonly number: number;
  readonly orderId: string;
  readonly url: string;
  readonly kind: 'order_create' | 'order_update';
  /** Attempts that were made, this one included. */
  readonly attempts: number;
}

/** Notices that are still to be sent. Every method throws if the database cannot be reached. */
export interface NoticeStore {
  /**
   * Takes up to `limit` notices that are due and puts off each until its next attempt, so that nobody else sends it meanwhile, and a
   * crash loses none.
   *
   * @param nextAttemptMs When an attempt that was made so often is followed by the next one, in milliseconds after now.
   */
  readonly claim: (nowMs: number, limit: number, nextAttemptMs: (attempts: number) => number) => Promise<readonly DueWebhook[]>;
  readonly markSent: (number: number) => Promise<void>;
  /** Notes why an attempt failed. @param isLast Whether it is given up. */
  readonly markFailed: (number: number, fault: string, isLast: boolean) => Promise<void>;
}

/** Sends one notice: `undefined` if it was taken (2xx), else why not, in a few words. Never throws; follows no redirect. */
export type NoticeSender = (request: {
  readonly url: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}) => Promise<string | undefined>;
