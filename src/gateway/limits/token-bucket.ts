import { LruCache } from '../lru-cache.ts';

/** A rate limiter's decision about one request. */
export interface Allowance {
  readonly allowed: boolean;
  readonly remaining: number;
  /** Seconds until the quota is full again, or, when refused, until the next request is allowed. */
  readonly resetSeconds: number;
}

/** A quota: `requests` in every window of `windowSeconds`, refilled evenly. */
export interface Quota {
  readonly requests: number;
  readonly windowSeconds: number;
}

/** Token buckets of one isolate, of the most recently seen callers. Approximate: every isolate counts for itself. */
export class TokenBuckets {
  readonly #quota: Quota;
  /** `credit` counts requests × milliseconds of the window, in integers, so that no wait is rounded down. */
  readonly #buckets: LruCache<string, { readonly credit: number; readonly atMs: number }>;

  constructor(quota: Quota, maxBuckets: number) {
    this.#quota = quota;
    this.#buckets = new LruCache(maxBuckets);
  }

  /** Requests that the caller has left. */
  remaining(caller: string, nowMs: number): number {
    return Math.floor(this.#credit(caller, nowMs) / (this.#quota.windowSeconds * 1_000));
  }

  /** Takes one token from the caller's bucket. */
  take(caller: string, nowMs: number): Allowance {
    const { requests, windowSeconds } = this.#quota;
    const cost = windowSeconds * 1_000;
    const credit = this.#credit(caller, nowMs);
    const allowed = credit >= cost;
    const left = allowed ? credit - cost : credit;
    this.#buckets.set(caller, { credit: left, atMs: nowMs });
    const missing = allowed ? requests * cost - left : cost - left;
    return { allowed, remaining: Math.floor(left / cost), resetSeconds: Math.ceil(missing / (requests * 1_000)) };
  }

  #credit(caller: string, nowMs: number): number {
    const { requests, windowSeconds } = this.#quota;
    const full = requests * windowSeconds * 1_000;
    const known = this.#buckets.get(caller);
    return known === undefined ? full : Math.min(full, known.credit + Math.max(0, nowMs - known.atMs) * requests);
  }
}

/** Network of an address: IPv4 /24, IPv6 /64; `unknown` without a valid address. */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (IPV4.test(address)) return ipv4Network(address);
  const groups = ipv6Groups(address.toLowerCase());
  if (groups === undefined) return 'unknown';
  const [, mapped] = /^0:0:0:0:0:ffff:(.*)$/.exec(groups.join(':')) ?? [];
  if (mapped === undefined) return `${groups.slice(0, 4).join(':')}::/64`;
  return ipv4Network(
    mapped
      .split(':')
      .flatMap((group) => [Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff])
      .join('.'),
  );
}

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const IPV4 = new RegExp(`^${OCTET}(?:\\.${OCTET}){3}$`);

function ipv4Network(address: string): string {
  return `${address.slice(0, address.lastIndexOf('.'))}.0/24`;
}

/** The eight groups of an IPv6 address (RFC 4291 section 2.2) without leading zeros; `undefined` for anything else. */
function ipv6Groups(address: string): string[] | undefined {
  const tail = address.slice(address.lastIndexOf(':') + 1);
  const octets = IPV4.test(tail) ? tail.split('.').map(Number) : undefined;
  const text = octets ? `${address.slice(0, -tail.length)}${pair(octets, 0)}:${pair(octets, 2)}` : address;
  const [head = '', rest, ...more] = text.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = rest === undefined || rest === '' ? [] : rest.split(':');
  const zeros = 8 - left.length - right.length;
  if (more.length > 0 || (rest === undefined ? zeros !== 0 : zeros < 1)) return undefined;
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
  return groups.every((group) => /^[0-9a-f]{1,4}$/.test(group)) ? groups.map((group) => group.replace(/^0+(?=.)/, '')) : undefined;
}

function pair(octets: readonly number[], at: number): string {
  return ((octets[at] ?? 0) * 256 + (octets[at + 1] ?? 0)).toString(16);
}
