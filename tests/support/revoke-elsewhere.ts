import type { UsedGateway } from './edge-gateway.ts';
import type { InProcessGateway } from './in-process-gateway.ts';

interface StoredRevocation {
  readonly agent: string;
  /** `null` for all keys of the agent. */
  readonly serial: number | null;
  readonly issuedMinute: number;
  readonly effectiveAtMs?: number;
}

export async function revokeElsewhere(
  service: UsedGateway | InProcessGateway,
  { agent, serial, issuedMinute, effectiveAtMs = 0 }: StoredRevocation,
): Promise<void> {
  const database = 'state' in service ? service.state() : await service.running().miniflare.getD1Database('STATE');
  await database
    .prepare(
      'INSERT INTO revocations (agent, serial, issued_minute, effective_at_ms, expires_at_ms, created_at_ms) VALUES (?1, ?2, ?3, ?4, 9e15, 0)',
    )
    .bind(agent, serial, issuedMinute, effectiveAtMs)
    .run();
}
