import type { Registration } from '../../src/schemas/agents.ts';
import { LIMITS } from '../../src/schemas/limits.ts';
import type { Heard } from './lifetime.ts';
import type { Isolate } from './place.ts';
import { hold } from './violation.ts';

/** Seconds within which a revoked key is refused everywhere, in milliseconds, as the interface promises. */
const REVOKED_EVERYWHERE_MS = 120_000;

const HOUR_MS = 3_600_000;

/** How long after its database is well again a location may still judge without it. */
const BACK_AGAIN_MS = 15_000;

/** How far ahead of another a clock may be: what a key is accepted by beyond its time, in true time. */
const SKEW_MS = 300_000;

export class KnownKey {
  readonly key: string;
  readonly agent: string;
  readonly keyId: string;
  readonly scopes: readonly string[];
  readonly expiresAtMs: number;
  readonly network: string;
  revokedAtMs: number | undefined;
  mayBeRevoked = false;
  /** When a rotation lets it end, on the clocks of the service, and the true time at which that was acknowledged. */
  ends: { readonly atMs: number; readonly knownAtMs: number } | undefined;
  /** Revocations and rotations that were sent and of which it is not known what became. */
  doubts = 0;
  readonly refusedBy = new Set<Isolate>();

  constructor({ api_key, agent_id, key_id, scopes, expires_at }: Registration, network: string) {
    this.key = api_key;
    this.agent = agent_id;
    this.keyId = key_id;
    this.scopes = scopes;
    this.expiresAtMs = Date.parse(expires_at);
    this.network = network;
  }

  /** What must have been answered to a request with this key, by what was known when it was sent. */
  expectation(isolate: Isolate, sentMs: number, clockMs: number, confirmsByDatabase: boolean) {
    const isWell = isolate.place.database === 'well' && isolate.place.databaseWellSinceMs <= sentMs - BACK_AGAIN_MS;
    const inTime = (since: number): boolean => sentMs - since > REVOKED_EVERYWHERE_MS;
    const revokedLongAgo =
      (this.revokedAtMs !== undefined && inTime(this.revokedAtMs)) ||
      (this.ends !== undefined && inTime(this.ends.knownAtMs) && clockMs - this.ends.atMs > REVOKED_EVERYWHERE_MS);
    return {
      isExpired: clockMs >= this.expiresAtMs,
      isRefusedHere: this.refusedBy.has(isolate) || (confirmsByDatabase && this.revokedAtMs !== undefined),
      revokedLongAgo,
      isWell,
    };
  }

  holdJudgement(expected: ReturnType<KnownKey['expectation']>, heard: Heard): void {
    const { isolate, code, degraded } = heard;
    const isJudged = code !== 'rate_limited' && code !== 'state_unavailable' && code !== 'payload_too_large';
    const isAccepted = isJudged && heard.status !== 401;
    const seen = (): string => `${this.keyId} on ${isolate.name}: ${heard.status} ${code ?? ''} ${degraded.join(' ')}`;
    hold('expired', !(expected.isExpired && isAccepted), seen);
    hold('expired', !(isAccepted && heard.sentMs > this.expiresAtMs + SKEW_MS), seen);
    hold('revoked', !(expected.isRefusedHere && isAccepted), seen);
    // The database may have stopped answering while the request was under way.
    const stayedWell = expected.isWell && isolate.place.database === 'well' && isolate.place.databaseWellSinceMs <= heard.sentMs;
    const isFresh = stayedWell || !degraded.includes('revocations');
    hold('revoked', !(expected.revokedLongAgo && isFresh && isAccepted), seen);
    if (code === 'api_key_revoked') {
      this.refusedBy.add(isolate);
      hold('fresh-key', this.mayBeRevoked, () => `${seen()}: nobody revoked it`);
      const mayBeInForce = this.ends === undefined || heard.clockAtEndMs >= this.ends.atMs;
      hold('fresh-key', this.revokedAtMs !== undefined || mayBeInForce || this.doubts > 0, () => `${seen()}: it works longer`);
    }
    if (code === 'api_key_expired') hold('fresh-key', heard.clockAtEndMs >= this.expiresAtMs, seen);
    hold('fresh-key', code !== 'api_key_invalid' && code !== 'api_key_missing' && code !== 'not_configured', seen);
  }
}

/** A request that may be repeated under its Idempotency-Key, and what was answered. */
export interface Slot {
  readonly idempotencyKey: string;
  readonly body: unknown;
  readonly network: string;
  readonly key: KnownKey | undefined;
  answer: string | undefined;
  /** True time of the first acknowledged answer. */
  acknowledgedMs: number | undefined;
  /** Whether the same Idempotency-Key was sent with another body too. */
  hasRival: boolean;
}

/** Whether the first answer must still be told again, whatever clock decides. */
export function isKept({ acknowledgedMs }: Slot, nowMs: number): boolean {
  return acknowledgedMs !== undefined && nowMs - acknowledgedMs < LIMITS.idempotencyHours * HOUR_MS - 2 * SKEW_MS;
}

/** What is known of a request that was not sent yet. */
export const UNSENT = { answer: undefined, acknowledgedMs: undefined, hasRival: false } as const;

export interface KnownProposal {
  readonly receipt: string;
  readonly key: KnownKey;
  readonly capsuleId: string;
  readonly sha256: string;
  readonly marker: string;
}

/** What a truthful observer of a lifetime knows. */
export class Knowledge {
  readonly keys: KnownKey[] = [];
  readonly registrations: Slot[] = [];
  readonly rotations: Slot[] = [];
  readonly submissions: Slot[] = [];
  readonly proposals: KnownProposal[] = [];
  /** First decisions by digest of the proposal, and their true time. */
  readonly decisions = new Map<string, { readonly state: 'accepted' | 'rejected'; readonly atMs: number }>();
  readonly networks = new Map<string, string>();
  /** Whether the publisher has granted the scope submit, by agent; `maybe` while that changes. */
  readonly grants = new Map<string, 'yes' | 'no' | 'maybe'>();
  readonly cursors: { readonly kind: 'query' | 'browse'; readonly question: object; readonly cursor: string; readonly version: string }[] =
    [];

  /** Agents for which a revocation of all keys was sent: keys of the same minute are meant too, whenever they are answered. */
  readonly revokedAgents = new Set<string>();
}
