import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withDatabase } from '../../src/build/local/database.ts';
import { intakeCommand } from '../../src/cli/commands/intake.ts';
import { rejectProposal } from '../../src/cli/intake/decide-proposal.ts';
import type { Database } from '../../src/platform/d1/database.ts';
import { decideProposal, findProposal, listProposals } from '../../src/platform/d1/proposal-decisions.ts';
import { IntakeRequest } from '../../src/schemas/intake/intake.ts';
import { capsuleProposal, correctionProposal, proposalDigest } from '../support/proposals.ts';
import { makePublisherFolder, type PublisherFolder, writtenOver } from '../support/publisher-folder.ts';
import { type CommandOutcome, runTask } from '../support/run-akg.ts';

const RECEIVED_MS = Date.UTC(2026, 10, 21);
const NOW_MS = Date.UTC(2026, 11, 1);
const receipt = (letter: string): string => `rcp_${letter.repeat(54)}`;

let place: PublisherFolder;
let folder: string;
beforeAll(async () => {
  place = await makePublisherFolder(['content']);
  folder = place.folder;
});
afterAll(() => place.remove());
const intake = (...args: string[]): Promise<CommandOutcome> => place.run('intake', ...args);

/** Stores a proposal as the service does, with a receipt for each agent. */
async function store(database: Database, proposal: Record<string, unknown>, receipts: readonly string[]): Promise<void> {
  const { note, ...request } = IntakeRequest.parse(proposal);
  const sha256 = await proposalDigest(proposal);
  const rows = receipts.map((text, index) =>
    database
      .prepare('INSERT INTO receipts (proposal_sha256, agent, receipt, note, response, received_at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6)')
      .bind(sha256, `00000000000000a${index}`, text, note ?? null, '{}', RECEIVED_MS + index),
  );
  await database.batch([
    database
      .prepare('INSERT INTO proposals (sha256, kind, capsule_id, body, received_at_ms) VALUES (?1, ?2, ?3, ?4, ?5)')
      .bind(sha256, request.kind, request.capsule_id, JSON.stringify(request), RECEIVED_MS),
    ...rows,
  ]);
}

describe('npm run intake', () => {
  it('prints the usage for an incomplete command, and that nothing waits; a mistake ends with 1', async () => {
    const output = expect.stringMatching(/^error: missing required argument 'proposal'\n\nUsage: akg intake accept /) as unknown;
    expect(await intake('accept')).toMatchObject({ exit: 1, output });
    expect(await intake('list')).toEqual({ exit: 0, output: 'there are no pending proposals\n' });
    expect(await intake('show', '1')).toEqual({ exit: 1, output: 'there is no proposal 1\n' });
  });

  it('lists, shows, accepts and rejects; a decision stands, and an accepted one can be accepted again', async () => {
    await withDatabase(folder, 'local', async (database) => {
      const run = (line: string): Promise<string> => runTask(intakeCommand, line, database, { root: folder, nowMs: NOW_MS });
      const accept = (name: string): Promise<string> => run(`accept ${name}`);
      const reject = async (name: string, reason: string): Promise<string | undefined> =>
        (await rejectProposal(database, name, reason, NOW_MS))[0];
      await store(database, { ...capsuleProposal(), note: 'ring \u0007 the bell' }, [receipt('a'), receipt('b')]);
      await store(database, correctionProposal(), [receipt('c')]);
      await store(database, correctionProposal({ replacement: 'for example 2, 4 and 8 seconds' }), [receipt('d')]);
      const listed = await run('list');
      expect(listed.split('\n')).toHaveLength(3);
      expect(listed).toMatch(/1 .* pending {3}capsule {5}bounded-queues {2}by agt_00000000000000a0 and 1 more/);
      const shown = await run(`show ${receipt('b')}`);
      expect(shown).toContain('  | ring <U+0007> the bell');
      expect(shown).toContain('  | ## How it works');
      expect(await accept('1')).toMatch(/^wrote content\/capsules\/bounded-queues.md/);
      expect(await accept('1')).toMatch(/^found content\/capsules\/bounded-queues.md/);
      expect(await accept(receipt('c'))).toMatch(/^wrote content\/capsules\/retry-after.md/);
      expect(await readFile(join(folder, 'content/capsules/retry-after.md'), 'utf8')).toContain('version: 1.1.0');
      await expect(accept('3')).rejects.toThrow('"retry-after" is at version 1.1.0, but the correction is for 1.0.0');
      for (const reason of ['', ' ', 'two\nlines', 'a\u001b[2J', 'r'.repeat(501)])
        await expect(reject('3', reason)).rejects.toThrow('give a reason');
      expect(await reject('3', 'It was corrected otherwise.')).toBe('proposal 3 is rejected');
      expect(await reject('3', 'Another reason.')).toBe('proposal 3 was rejected before; its reason stays');
      await expect(reject('1', 'Too late.')).rejects.toThrow('proposal 1 was accepted already');
      await expect(accept('3')).rejects.toThrow('proposal 3 was rejected already');
      await expect(run('show rcp_\u001b[2J')).rejects.toThrow('there is no proposal rcp_<U+001B>[2J');
      expect(await run('list')).toBe('there are no pending proposals');
      expect(await run('list --all')).toMatch(/accepted[\s\S]*accepted[\s\S]*rejected/);
    });
  });

  it('reads and decides with values written into statements as with bound ones', async () => {
    const proposal = capsuleProposal({ capsule_id: 'through-wrangler' }, { title: `It's "quoted"; -- and ?1 in a title` });
    await withDatabase(folder, 'local', async (database) => {
      await store(database, proposal, [receipt('e')]);
      const written = writtenOver(database);
      const found = await findProposal(written, receipt('e'));
      expect(found).toEqual(await findProposal(database, receipt('e')));
      expect(await listProposals(written, true)).toEqual(await listProposals(database, true));
      expect(found?.proposers[0]).toMatchObject({ receipt: receipt('e'), agent: '00000000000000a0', name: undefined, note: undefined });
      const decision = { state: 'rejected', reason: `It's no; --`, atMs: RECEIVED_MS } as const;
      expect(await decideProposal(written, found?.number ?? 0, decision)).toBe(true);
      expect(await decideProposal(written, found?.number ?? 0, { ...decision, state: 'accepted' as const })).toBe(false);
      expect(await findProposal(database, found?.number ?? 0)).toMatchObject({
        state: 'rejected',
        reason: decision.reason,
        decidedAtMs: RECEIVED_MS,
      });
    });
  });
});
