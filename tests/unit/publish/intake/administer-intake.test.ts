import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { administerIntake, type IntakeCommand } from '../../../../src/publish/intake/administer-intake.ts';
import { capsuleFile } from '../../../../src/publish/intake/proposal-content.ts';
import { IntakeRequest } from '../../../../src/schemas/intake.ts';
import { capsuleProposal, proposalDigest } from '../../../support/proposals.ts';
import { type SimulatedDatabase, simulatedDatabase } from '../../../support/simulated/database.ts';
import { SimulatedTime } from '../../../support/simulated/time.ts';
import { copyOfRealContent } from '../../authoring/content-world.ts';

const NOW = Date.UTC(2026, 11, 1);

let database: SimulatedDatabase;
let root: string;
beforeEach(async () => {
  database = simulatedDatabase(new SimulatedTime(NOW));
  root = await copyOfRealContent();
  await store(JSON.stringify(IntakeRequest.parse(capsuleProposal())));
});
afterEach(() => database.close());

async function store(body: string): Promise<void> {
  const sha256 = await proposalDigest(capsuleProposal());
  database.look('DELETE FROM proposals');
  database.look(
    "INSERT INTO proposals (number, sha256, kind, capsule_id, body, received_at_ms) VALUES (1, ?, 'capsule', 'bounded-queues', ?, 1)",
    sha256,
    body,
  );
  database.look(
    "INSERT OR IGNORE INTO receipts (proposal_sha256, agent, receipt, response, received_at_ms) VALUES (?, '0123456789abcdef', ?, '{}', 1)",
    sha256,
    `rcp_${'a'.repeat(54)}`,
  );
}

const run = (command: IntakeCommand): Promise<string> => administerIntake(command, database.binding(), { root, nowMs: NOW });
const accept = (as?: string): Promise<string> => run({ action: 'accept', name: '1', as });
const isThere = (id: string): Promise<boolean> =>
  access(join(root, capsuleFile(id))).then(
    () => true,
    () => false,
  );

describe('accept', () => {
  test('says so when somebody rejected the proposal meanwhile, and which file has to go', async () => {
    database.look(
      "CREATE TRIGGER meanwhile BEFORE UPDATE ON proposals WHEN NEW.state = 'accepted' BEGIN UPDATE proposals SET state = 'rejected' WHERE number = NEW.number; SELECT RAISE(IGNORE); END",
    );
    await expect(accept()).rejects.toThrow(
      'proposal 1 was rejected in the meantime, which stands, but content/capsules/bounded-queues.md holds it: delete it',
    );
    expect(await isThere('bounded-queues')).toBe(true);
  });

  test('writes a proposal under one id only, also when the command is repeated with another', async () => {
    expect(await accept('first-id')).toMatch(/^wrote/);
    expect(await accept('first-id')).toMatch(/^found/);
    for (const as of ['second-id', undefined])
      await expect(accept(as)).rejects.toThrow('the proposal is in content/capsules/first-id.md already');
    expect([await isThere('second-id'), await isThere('bounded-queues')]).toEqual([false, false]);
  });
});

describe('a proposal of another form than those of now', () => {
  test.each([
    ['other members', JSON.stringify({ kind: 'capsule', gone: 'a\u001b[2J' })],
    ['no JSON', '{"gone": \u001b[2J'],
  ])('with %s is shown, not accepted, and can be rejected', async (_name, body) => {
    await store(body);
    const shown = await run({ action: 'show', name: '1' });
    expect(shown).toContain('gone');
    expect(shown).not.toContain('\u001b');
    await expect(accept()).rejects.toThrow('does not have the form');
    expect(await run({ action: 'reject', name: '1', reason: 'Please send it again.' })).toBe('proposal 1 is rejected');
  });
});
