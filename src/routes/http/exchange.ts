import type { LimitReport } from './rate-limits.ts';

/** What belongs to one request while it is answered. */
export interface Exchange {
  readonly request: Request;
  readonly url: URL;
  readonly requestId: string;
  readonly limits: LimitReport;
}
