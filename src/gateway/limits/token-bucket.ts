import { LruCache } from '../memory-caches.ts';

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
  readonly quota: Quota;
  /** `credit` counts requests × milliseconds of the window, in integers, so that no wait is rounded down. */
  readonly #buckets: LruCache<string, { readonly credit: number; readonly atMs: number }>;

  constructor(quota: Quota, maxBuckets: number) {
    this.quota = quota;
    this.#buckets = new LruCache(maxBuckets);
  }

  remaining(caller: string, nowMs: number): number {
    return Math.floor(this.#credit(caller, nowMs) / (this.quota.windowSeconds * 1_000));
  }

  take(caller: string, nowMs: number): Allowance {
    const { requests, windowSeconds } = this.quota;
    const cost = windowSeconds * 1_000;
    const credit = this.#credit(caller, nowMs);
    const allowed = credit >= cost;
    const left = allowed ? credit - cost : credit;
    this.#buckets.set(caller, { credit: left, atMs: nowMs });
    const missing = allowed ? requests * cost - left : cost - left;
    return { allowed, remaining: Math.floor(left / cost), resetSeconds: Math.ceil(missing / (requests * 1_000)) };
  }

  #credit(caller: string, nowMs: number): number {
    const { requests, windowSeconds } = this.quota;
    const full = requests * windowSeconds * 1_000;
    const known = this.#buckets.get(caller);
    return known === undefined ? full : Math.min(full, known.credit + Math.max(0, nowMs - known.atMs) * requests);
  }
}

/** Network of an address: IPv4 /24, IPv6 /64; `unknown` without a valid address. */
export function networkOf(address: string | undefined): string {
  if (address === undefined) return 'unknown';
  if (IPV4.test(address)) return ipv4Network(address);
  const groups = ipv6Groups(address);
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

/** The eight groups of an IPv6 address in lower case without leading zeros (WHATWG URL, IPv6 parser); `undefined` for anything else. */
function ipv6Groups(address: string): string[] | undefined {
  const url = `http://[${address}]/`;
  if (!/^[0-9a-f:.]+$/i.test(address) || !URL.canParse(url)) return undefined;
  const [left = [], right = []] = new URL(url).hostname
    .slice(1, -1)
    .split('::')
    .map((groups) => groups.split(':').filter((group) => group !== ''));
  return [...left, ...Array.from({ length: 8 - left.length - right.length }, () => '0'), ...right];
}
