import { beforeEach, describe, expect, test } from 'vitest';
import type { AgentRecord } from '../../../../src/gateway/agents/agent-ports.ts';
import { AgentRegistry } from '../../../../src/gateway/agents/register-agent.ts';
import type { Quotas } from '../../../../src/gateway/platform-ports.ts';

const NOW_MS = Date.UTC(2026, 10, 21, 9, 30);
const HOUR_MS = 3_600_000;
const REMEMBERED = 10_000;
const record = { agent: '00000000000000aa' } as AgentRecord;
let asked: string[];
let hours: Map<string, number>;
const quotas: Quotas = {
  take: async (_name, network, atMs) => {
    asked.push(network);
    const allowed = atMs >= (hours.get(network) ?? 0);
    if (allowed) hours.set(network, atMs + HOUR_MS);
    const taken = { remaining: 0, endsAtMs: hours.get(network) ?? 0 };
    return allowed ? { ...taken, allowed } : { ...taken, allowed, refusedBy: 'quota' };
  },
};
async function useUp(registry: AgentRegistry, network: string): Promise<void> {
  expect(await registry.takeRow(network, NOW_MS)).toMatchObject({ allowed: true, endsAtMs: NOW_MS + HOUR_MS });
  expect(await registry.takeRow(network, NOW_MS)).toMatchObject({ allowed: false, endsAtMs: NOW_MS + HOUR_MS });
}

let written: AgentRecord[];
const store = { add: async (added: AgentRecord) => void written.push(added) };
beforeEach(() => {
  asked = [];
  hours = new Map();
  written = [];
});

describe('a network that has nothing left', () => {
  test('is refused without the database until its window ends, and has a row again from then on', async () => {
    const registry = new AgentRegistry(store, quotas);
    await useUp(registry, 'a');
    expect(asked).toEqual(['a', 'a']);
    expect(await registry.takeRow('a', NOW_MS + HOUR_MS - 1)).toMatchObject({ allowed: false, endsAtMs: NOW_MS + HOUR_MS });
    expect(asked).toEqual(['a', 'a']);
    expect(await registry.takeRow('a', NOW_MS + HOUR_MS)).toMatchObject({ allowed: true, endsAtMs: NOW_MS + 2 * HOUR_MS });
    expect(asked).toEqual(['a', 'a', 'a']);
  });

  test('does not keep others from theirs', async () => {
    const registry = new AgentRegistry(store, quotas);
    await useUp(registry, 'a');
    expect((await registry.takeRow('b', NOW_MS)).allowed).toBe(true);
  });

  test('gets nothing written', async () => {
    const registry = new AgentRegistry(store, quotas);
    await registry.note(record, 'a', NOW_MS);
    await registry.note(record, 'a', NOW_MS);
    expect(written).toEqual([record]);
  });

  describe(`is remembered until ${REMEMBERED} others have used up theirs since`, () => {
    let registry: AgentRegistry;
    const isRemembered = async (network: string, atMs: number): Promise<boolean> => {
      const { length } = asked;
      await registry.takeRow(network, atMs);
      return asked.length === length;
    };
    const refuse = async (atMs: number, networks: readonly string[]): Promise<void> => {
      for (const network of networks) {
        hours.set(network, atMs + HOUR_MS);
        await registry.takeRow(network, atMs);
      }
    };
    const others = Array.from({ length: REMEMBERED - 1 }, (_, at) => `${at}`);
    beforeEach(() => {
      registry = new AgentRegistry(store, quotas);
    });

    test('and no longer', async () => {
      await refuse(NOW_MS, ['a', ...others]);
      await refuse(NOW_MS, ['one more']);
      expect(await isRemembered('0', NOW_MS)).toBe(true);
      expect(await isRemembered('a', NOW_MS)).toBe(false);
    });

    test('counted from the last time', async () => {
      await refuse(NOW_MS, ['a']);
      await refuse(NOW_MS + 1, others);
      await refuse(NOW_MS + HOUR_MS, ['a', 'one more']);
      expect(await isRemembered('a', NOW_MS + HOUR_MS)).toBe(true);
      expect(await isRemembered('0', NOW_MS + HOUR_MS)).toBe(false);
    });
  });
});

describe('without a database', () => {
  test('every network has a row, now', async () => {
    expect(await new AgentRegistry(undefined, undefined).takeRow('a', NOW_MS)).toMatchObject({ allowed: true, endsAtMs: NOW_MS });
  });

  test('rows are counted where a request has them counted', async () => {
    await new AgentRegistry(undefined, undefined).takeRow('a', NOW_MS, quotas);
    expect(asked).toEqual(['a']);
  });

  test('nothing is counted for what cannot be written', async () => {
    await new AgentRegistry(undefined, quotas).note(record, 'a', NOW_MS);
    expect(asked).toEqual([]);
  });
});
