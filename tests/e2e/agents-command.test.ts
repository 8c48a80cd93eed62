import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withDatabase } from '../../src/build/local/database.ts';
import { agentsCommand } from '../../src/cli/commands/agents.ts';
import { agentStore } from '../../src/platform/d1/agent-store.ts';
import type { Database } from '../../src/platform/d1/database.ts';
import { makePublisherFolder, type PublisherFolder, writtenOver } from '../support/publisher-folder.ts';
import { type CommandOutcome, runTask } from '../support/run-akg.ts';

const AGENT = '00000000000000aa';
const NAME = `O'Neil; "--" ?1 🤖`;
const NOW = Date.UTC(2026, 10, 22, 10, 20, 30);

let place: PublisherFolder;
let folder: string;
beforeAll(async () => {
  place = await makePublisherFolder();
  folder = place.folder;
});
afterAll(() => place.remove());
const agents = (...args: string[]): Promise<CommandOutcome> => place.run('agents', ...args);

describe('npm run agents', () => {
  it('makes the database where there is none, and says that it holds nobody', async () => {
    expect(await agents('list')).toEqual({ exit: 0, output: 'No agents are registered.\n' });
  });

  it('lists, shows, grants and revokes, with bound and with written values alike', async () => {
    await withDatabase(folder, 'local', async (database) => {
      const written = writtenOver(database);
      const run = (line: string, way: Database): Promise<string> => runTask(agentsCommand, line, way, { nowMs: NOW });
      await agentStore(database).add({
        agent: AGENT,
        name: NAME,
        platform: undefined,
        contact: 'a@b.example',
        keyId: `key_${AGENT}_0007_01c7ab35`,
        createdAtMs: NOW,
        rotatedAtMs: undefined,
        granted: [],
        expiresAtMs: NOW + 90 * 86_400_000,
      });
      for (const way of [database, written])
        expect(await run('list', way)).toBe(`agt_${AGENT}  2026-11-22 10:20Z  ${JSON.stringify(NAME)}`);
      expect(await run(`grant agt_${AGENT} submit`, written)).toMatch(/granted: submit\n/);
      expect(await run(`grant agt_${AGENT} submit`, database)).toMatch(/granted: submit\n/);
      expect(await run(`grant agt_${AGENT} metrics`, database)).toMatch(/granted: submit, metrics\n/);
      expect(await run(`ungrant agt_${AGENT} submit`, database)).toMatch(/granted: metrics\n/);
      expect((await agentStore(database).standing({ agent: AGENT, serial: 0, issuedMinute: 0 })).record).toMatchObject({
        name: NAME,
        granted: ['metrics'],
      });
      for (const way of [database, written])
        await expect(run('grant agt_ffffffffffffffff submit', way)).rejects.toThrow('is not in the registry');
      expect(await run(`revoke agt_${AGENT}`, written)).toContain('all its keys are revoked');
      expect(await agentStore(database).revocationsAfter(0, NOW, 10)).toEqual([
        {
          sequence: 1,
          agent: AGENT,
          serial: undefined,
          issuedMinute: 0xffff_ffff,
          effectiveAtMs: 0,
          expiresAtMs: expect.any(Number) as number,
        },
      ]);
    });
    const shown = await agents('show', `agt_${AGENT}`);
    expect(shown.exit).toBe(0);
    expect(shown.output).toContain(`  name        ${JSON.stringify(NAME)}\n`);
    expect(shown.output).toContain('  revoked     all keys, at once, stored 2026-11-22 10:20Z\n');
  });

  it('prints the usage where nothing is asked for', async () => {
    const { exit, output } = await agents();
    expect([exit, output]).toEqual([1, expect.stringMatching(/^Usage: akg agents/)]);
  });
});
