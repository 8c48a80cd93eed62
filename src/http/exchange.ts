import type { Refusal, Result } from '../gateway/result.ts';
import type { RateLimitName } from '../schemas/limits.ts';
import type { Caller, Degradation } from './define-route.ts';
import type { LimitReport } from './rate-limits.ts';

/** What belongs to one request while it is answered. */
export interface Exchange {
  readonly request: Request;
  readonly url: URL;
  readonly requestId: string;
  /** Network that the request comes from. */
  readonly network: string;
  readonly limits: LimitReport;
  /** What the answer is made without. */
  readonly degraded: Set<Degradation>;
  /** Work that goes on after the answer. */
  readonly defer: (work: Promise<unknown>) => void;
  /** A solved challenge that came in the body, where a protocol has no headers. */
  challengeSolution: string | undefined;
  /** Who sent the request, once the key was checked. */
  caller: Caller | undefined;
  /** Why the rate limit of the route refuses the request, where the handler decides. */
  overLimit: Refusal | undefined;
  /** Counts the request against a further limit of its network. */
  readonly take: (name: RateLimitName) => Promise<Result<undefined>>;
}
