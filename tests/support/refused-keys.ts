import { expect } from 'vitest';
import { minuteOf } from '../../src/gateway/agents/api-key.ts';
import type { Route } from '../../src/http/define-route.ts';
import { LIMITS } from '../../src/schemas/limits.ts';
import { bearer, makeKey } from './agent-keys.ts';
import { NOW_HEADER } from './edge-gateway.ts';
import { expectRefusal } from './expect-refusal.ts';
import type { UsedGateway } from './use-edge-gateway.ts';

/** Sends a request of an operation with given headers, to its address with something behind it. */
export type SendWith = (headers: Record<string, string>, search?: string) => Promise<Response>;

const DAY_MS = 86_400_000;

/** Asserts that an operation refuses keys in one of the ways that all operations share. */
export const expectRefusedKey = {
  api_key_missing: async (send: SendWith, route: Pick<Route, 'protocol'> = {}): Promise<void> => {
    const response = await send({});
    expect(response.headers.get('www-authenticate')).not.toContain('error=');
    await expectRefusal(response, 'api_key_missing', route);
  },
  api_key_invalid: async (send: SendWith, route: Pick<Route, 'protocol'> = {}): Promise<void> => {
    const key = await makeKey();
    for (const text of [`Basic ${key}`, `Bearer ${key}0`, `Bearer ${await makeKey({}, { prefix: 'akg_live_' })}`])
      await expectRefusal(await send({ Authorization: text }), 'api_key_invalid', route);
  },
  api_key_expired: async (send: SendWith, route: Pick<Route, 'protocol'> = {}): Promise<void> => {
    const issuedMinute = minuteOf(Date.now());
    const headers = bearer(await makeKey({ issuedMinute }));
    await expectRefusal(
      await send({ ...headers, [NOW_HEADER]: String(issuedMinute * 60_000 + LIMITS.keyTtlDays * DAY_MS) }),
      'api_key_expired',
      route,
    );
  },
  api_key_in_url: async (send: SendWith, route: Pick<Route, 'protocol'> = {}): Promise<void> => {
    const key = await makeKey();
    await expectRefusal(await send(bearer(key), `?api_key=${key}`), 'api_key_in_url', route);
  },
} as const;

/** A revocation as it stands in the database. */
interface StoredRevocation {
  readonly agent: string;
  /** `null` for all keys of the agent. */
  readonly serial: number | null;
  readonly issuedMinute: number;
  readonly effectiveAtMs?: number;
}

/** Stores a revocation behind the back of the tested isolate, as another one does that has the same database. */
export async function revokeElsewhere(
  service: UsedGateway,
  { agent, serial, issuedMinute, effectiveAtMs = 0 }: StoredRevocation,
): Promise<void> {
  const database = await service.running().miniflare.getD1Database('STATE');
  await database
    .prepare(
      'INSERT INTO revocations (agent, serial, issued_minute, effective_at_ms, expires_at_ms, created_at_ms) VALUES (?1, ?2, ?3, ?4, 9e15, 0)',
    )
    .bind(agent, serial, issuedMinute, effectiveAtMs)
    .run();
}
