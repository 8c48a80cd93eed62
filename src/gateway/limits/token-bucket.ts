/** What a limiter said to one request. */
export interface Allowance {
  readonly allowed: boolean;
  /** Requests left now. */
  readonly remaining: number;
  /** Seconds until the whole quota is there again, or, when refused, until the next request is allowed. */
  readonly resetSeconds: number;
}

/** A quota: `requests` in every window of `windowSeconds`, refilled evenly. */
export interface Quota {
  readonly requests: number;
  readonly windowSeconds: number;
}

/**
 * Token buckets in the memory of one isolate, for at most `maxBuckets` callers; the least recently seen one is forgotten
 * first. Approximate by nature: every isolate counts for itself.
 */
export class TokenBuckets {
  readonly #quota: Quota;
  readonly #maxBuckets: number;
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();

  constructor(quota: Quota, maxBuckets: number) {
    this.#quota = quota;
    this.#maxBuckets = maxBuckets;
  }

  /** Takes one token of the caller's bucket. */
  take(caller: string, nowMs: number): Allowance {
    const { requests, windowSeconds } = this.#quota;
    const perMs = requests / (windowSeconds * 1_000);
    const known = this.#buckets.get(caller);
    const tokens = known ? Math.min(requests, known.tokens + Math.max(0, nowMs - known.atMs) * perMs) : requests;
    const allowed = tokens >= 1;
    const left = allowed ? tokens - 1 : tokens;
    this.#buckets.delete(caller);
    this.#buckets.set(caller, { tokens: left, atMs: nowMs });
    if (this.#buckets.size > this.#maxBuckets) {
      const oldest = this.#buckets.keys().next();
      if (!oldest.done) this.#buckets.delete(oldest.value);
    }
    const missing = allowed ? requests - left : 1 - left;
    return { allowed, remaining: Math.floor(left), resetSeconds: Math.ceil(missing / perMs / 1_000) };
  }
}

/** Network that a request comes from: IPv4 /24, IPv6 /64; `unknown` where the address is not known. */
export function networkOf(address: string | undefined): string {
  if (address === undefined || address === '') return 'unknown';
  if (address.includes(':')) return `${expandIpv6(address).slice(0, 4).join(':')}::/64`;
  const parts = address.split('.');
  return parts.length === 4 ? `${parts.slice(0, 3).join('.')}.0/24` : 'unknown';
}

function expandIpv6(address: string): string[] {
  const [head = '', tail] = address.toLowerCase().split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  return [...left, ...Array.from({ length: zeros }, () => '0'), ...right].map((group) => group.replace(/^0+(?=.)/, ''));
}
