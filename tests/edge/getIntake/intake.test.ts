import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { IntakeResponse } from '../../../src/schemas/intake/proposals.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { NOW_HEADER, type Requests } from '../../support/edge-gateway.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { capsuleProposal, INTAKE, proposerHeaders } from '../../support/proposals.ts';

const gateway = useInProcessGateway();
const withoutTables = useInProcessGateway({ state: 'empty' });
const withoutDatabase = useInProcessGateway({ state: 'unbound' });
const HOUR_MS = 3_600_000;
const read = async (service: Requests = gateway, nowMs?: number): Promise<IntakeResponse> => {
  const response = await service.fetch(INTAKE, { headers: nowMs === undefined ? {} : { [NOW_HEADER]: String(nowMs) } });
  expect([response.status, response.headers.get('gateway-degraded')]).toEqual([200, null]);
  return z.strictObject(IntakeResponse.shape).parse(await response.json());
};

describe('getIntake 200 application/json', () => {
  test('it is of the published form, and names what is taken, how, and an operation that takes it', async () => {
    const intake = await read();
    expect(intake).toMatchObject({
      open: true,
      accepts: ['capsule', 'correction'],
      submit: { operation: `${TEST_BASE_URL}${INTAKE}`, scope: 'submit' },
      queue: { waiting_max: LIMITS.intakeQueueMax },
    } satisfies Partial<Record<keyof IntakeResponse, unknown>>);
    expect(intake.rules.length).toBeGreaterThan(5);
    expect((await gateway.fetch(new URL(intake.submit?.operation ?? '').pathname, { method: 'POST' })).status).toBe(401);
    expect((await gateway.fetch(new URL(intake.policy_url).pathname)).status).toBe(200);
  });

  test('it counts what waits, and the median wait of the last fifty decisions, once in a minute', async () => {
    const later = Date.now() + HOUR_MS;
    const before = await read(gateway, later);
    expect(before.queue.median_wait_hours).toBeNull();
    const response = await gateway.post(INTAKE, capsuleProposal({ capsule_id: 'waits-here' }), await proposerHeaders());
    expect(response.status).toBe(202);
    const database = gateway.state();
    // The fifty newest took five hours, or six; forty older ones took a thousand.
    await database
      .prepare(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90) INSERT INTO proposals (sha256, kind, capsule_id, body, received_at_ms, state, decided_at_ms) SELECT 'decided' || i, 'capsule', 'x', '{}', (i + 2000 - CASE WHEN i <= 40 THEN 1000 WHEN i % 2 THEN 5 ELSE 6 END) * ?1, 'rejected', (i + 2000) * ?1 FROM n",
      )
      .bind(HOUR_MS)
      .run();
    expect((await read(gateway, later + 59_000)).queue).toEqual(before.queue);
    expect((await read(gateway, later + 60_000)).queue).toEqual({
      waiting: (before.queue.waiting ?? 0) + 1,
      waiting_max: LIMITS.intakeQueueMax,
      median_wait_hours: 5.5,
    });
  });

  test('where the database cannot be asked the counts are null, and all else is said', async () => {
    for (const service of [withoutTables, withoutDatabase]) {
      const { queue, ...rest } = await read(service);
      expect(queue).toEqual({ waiting: null, waiting_max: LIMITS.intakeQueueMax, median_wait_hours: null });
      expect(rest.open).toBe(true);
    }
  });
});
