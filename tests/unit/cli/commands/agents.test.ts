import { beforeEach, describe, expect, test } from 'vitest';
import { agentsCommand } from '../../../../src/cli/commands/agents.ts';
import { keyIdOf, minuteOf } from '../../../../src/gateway/agents/api-key.ts';
import { revocationOfAgent, revocationOfKey } from '../../../../src/gateway/agents/change-keys.ts';
import { agentStore } from '../../../../src/platform/d1/agent-store.ts';
import { runTask } from '../../../support/run-akg.ts';
import { useDatabase } from '../../../support/simulated/use-database.ts';

const NOW_MS = Date.UTC(2026, 10, 22, 9, 30);
const DAY_MS = 86_400_000;
const AGENTS = ['000000000000000a', '000000000000000b', '000000000000000c'] as const;
const key = (agent: string, serial = 7) => ({ secretId: 1, agent, serial, issuedMinute: minuteOf(NOW_MS), ttlDays: 90, scopes: [] });
const database = useDatabase(NOW_MS);
beforeEach(async () => {
  for (const [index, agent] of AGENTS.entries())
    await agentStore(database.binding()).add({
      agent,
      name: `agent ${index}`,
      platform: undefined,
      contact: undefined,
      keyId: keyIdOf(key(agent)),
      createdAtMs: NOW_MS - index,
      rotatedAtMs: undefined,
      granted: [],
      expiresAtMs: NOW_MS + 90 * DAY_MS,
    });
});

const run = (line: string, nowMs = NOW_MS): Promise<string> => runTask(agentsCommand, line, database.binding(), { nowMs });
const marked = async (nowMs = NOW_MS): Promise<string> => {
  const lines = (await run('list', nowMs)).split('\n');
  expect(lines).toHaveLength(AGENTS.length);
  return lines.flatMap((line) => /^agt_0{15}(.) .* {2}revoked$/.exec(line)?.[1] ?? []).join('');
};

describe('npm run agents -- list', () => {
  test('marks an agent that the publisher or its owner revoked, and no other', async () => {
    expect(await marked()).toBe('');
    await run(`revoke agt_${AGENTS[1]}`);
    expect(await marked()).toBe('b');
    await agentStore(database.binding()).revoke(revocationOfAgent(AGENTS[2], NOW_MS, 90), NOW_MS);
    expect(await marked()).toBe('bc');
    expect(await run('list --limit 1')).toBe(`agt_${AGENTS[0]}  2026-11-22 09:30Z  "agent 0"`);
  });

  test('marks an agent whose newest key is revoked, not one that has rotated an older key', async () => {
    const store = agentStore(database.binding());
    await store.revoke(revocationOfKey(key(AGENTS[0], 6), 0), NOW_MS);
    await store.revoke(revocationOfKey(key(AGENTS[1]), NOW_MS + 1_000), NOW_MS);
    expect(await marked()).toBe('');
    expect(await marked(NOW_MS + 1_000)).toBe('b');
  });
});

test('show of an agent that is not in the registry is an error', async () => {
  await expect(run('show agt_ffffffffffffffff')).rejects.toThrow(
    'agt_ffffffffffffffff is not in the registry; "agents list" names those that are',
  );
  expect(await run(`show agt_${AGENTS[0]}`)).toContain('agent 0');
});

test('a grant to an agent without a row says how an agent gets one', async () => {
  await expect(run('grant agt_ffffffffffffffff submit')).rejects.toThrow(
    /^agt_ffffffffffffffff is not in the registry.*register again with an Idempotency-Key/,
  );
});
