import { access, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { rejectProposal, showProposal } from '../../../../src/administration/proposals.ts';
import { reviseCapsule } from '../../../../src/cli/capsules/revise-capsule.ts';
import { acceptProposal, capsuleFile, reopenProposal } from '../../../../src/cli/commands/intake.ts';
import { undoRevision } from '../../../../src/cli/commands/revise.ts';
import { d1Proposals } from '../../../../src/platform/d1/proposal-store.ts';
import { IntakeRequest } from '../../../../src/schemas/intake/proposals.ts';
import { capsuleProposal, correctionProposal, proposalDigest } from '../../../support/proposals.ts';
import { useDatabase } from '../../../support/simulated/use-database.ts';
import { smallContent } from './small-content.ts';

const NOW = Date.UTC(2026, 11, 1);
const database = useDatabase(NOW);
let root: string;
beforeEach(async () => {
  root = await smallContent();
  await store(JSON.stringify(IntakeRequest.parse(capsuleProposal())));
});

async function store(body: string, kind = 'capsule', id = 'bounded-queues'): Promise<void> {
  const sha256 = await proposalDigest(capsuleProposal());
  database.look('DELETE FROM proposals');
  database.look(
    'INSERT INTO proposals (number, sha256, kind, capsule_id, body, received_at_ms) VALUES (1, ?, ?, ?, ?, 1)',
    sha256,
    kind,
    id,
    body,
  );
  database.look(
    "INSERT OR IGNORE INTO receipts (proposal_sha256, agent, receipt, response, received_at_ms) VALUES (?, '0123456789abcdef', ?, '{}', 1)",
    sha256,
    `rcp_${'a'.repeat(54)}`,
  );
}

const accept = async (as?: string): Promise<string> => (await acceptProposal(database.binding(), '1', as, { root, nowMs: NOW })).join('\n');
const reject = (reason: string) => rejectProposal(database.binding(), '1', reason, NOW);
const reopen = () => reopenProposal(database.binding(), '1', root);
const isThere = (id: string): Promise<boolean> =>
  access(join(root, capsuleFile(id))).then(
    () => true,
    () => false,
  );

describe('accept', () => {
  test('fails when the proposal was rejected in the meantime, and names the file to delete', async () => {
    database.look(
      "CREATE TRIGGER meanwhile BEFORE UPDATE ON proposals WHEN NEW.state = 'accepted' BEGIN UPDATE proposals SET state = 'rejected' WHERE number = NEW.number; SELECT RAISE(IGNORE); END",
    );
    await expect(accept()).rejects.toThrow(
      'proposal 1 was rejected in the meantime, but content/capsules/bounded-queues.md contains it: delete content/capsules/bounded-queues.md',
    );
    expect(await isThere('bounded-queues')).toBe(true);
  });

  test('writes a proposal under one id only, even when repeated with another', async () => {
    expect(await accept('first-id')).toMatch(/^wrote/);
    for (const as of ['first-id', undefined]) expect(await accept(as)).toMatch(/^found/);
    await expect(accept('second-id')).rejects.toThrow('proposal 1 was accepted as first-id; reopen it first to give it another id');
    database.look("UPDATE proposals SET state = 'pending', capsule_id = 'bounded-queues'");
    for (const as of ['second-id', undefined])
      await expect(accept(as)).rejects.toThrow('content/capsules/first-id.md contains the proposal already');
    expect([await isThere('second-id'), await isThere('bounded-queues')]).toEqual([false, false]);
  });

  test('stores the id under which the proposal was accepted', async () => {
    const stored = async (): Promise<unknown> => {
      const record = await d1Proposals(database.binding()).read(`rcp_${'a'.repeat(54)}`, '0123456789abcdef');
      return [record?.state, record?.capsuleId];
    };
    expect(await stored()).toEqual(['pending', 'bounded-queues']);
    await accept('another-id');
    expect(await stored()).toEqual(['accepted', 'another-id']);
  });
});

describe('reopen', () => {
  const contentFiles = async (): Promise<Record<string, string>> => {
    const entries = await readdir(join(root, 'content'), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
    return Object.fromEntries(await Promise.all(files.sort().map(async (path) => [path, await readFile(path, 'utf8')] as const)));
  };

  test('reopens an accepted capsule once its file is deleted, so that it can be accepted under another id', async () => {
    const said = await accept('first-id');
    expect(said).toContain('to undo it before that: delete content/capsules/first-id.md, then npm run intake -- reopen 1');
    await expect(reopen()).rejects.toThrow('content/capsules/first-id.md contains proposal 1: delete content/capsules/first-id.md');
    expect(await isThere('first-id')).toBe(true);
    await rm(join(root, capsuleFile('first-id')));
    expect(await reopen()).toEqual(['proposal 1 is pending again']);
    expect(database.look('SELECT state, capsule_id, decided_at_ms FROM proposals')).toEqual([
      { state: 'pending', capsule_id: 'bounded-queues', decided_at_ms: null },
    ]);
    expect(await accept('second-id')).toMatch(/^wrote content\/capsules\/second-id.md\n/);
  });

  test('does not advise to delete a capsule that has a later version', async () => {
    await accept('first-id');
    await reviseCapsule(root, 'first-id', 'minor', '2026-11-22', { isFilePublished: true });
    expect(await accept('first-id')).not.toContain('delete');
    await expect(reopen()).rejects.toThrow(/contains proposal 1: restore the previous files, then reopen it$/);
    expect(await isThere('first-id')).toBe(true);
  });

  test('fails when the proposal was removed or reopened in the meantime', async () => {
    await reject('By mistake.');
    database.look('CREATE TRIGGER meanwhile BEFORE UPDATE ON proposals BEGIN SELECT RAISE(IGNORE); END');
    await expect(reopen()).rejects.toThrow('proposal 1 was reopened or removed in the meantime');
  });

  test('undoes a rejection and its reason', async () => {
    await reject('By mistake.');
    expect(await reopen()).toEqual(['proposal 1 is pending again']);
    expect(database.look('SELECT state, reason FROM proposals')).toEqual([{ state: 'pending', reason: null }]);
    await expect(reopen()).rejects.toThrow('proposal 1 is pending already');
  });

  test('undoes a correction: accept names every file that it wrote, and the steps that restore them', async () => {
    // The world's empty list of digests would be removed with the first revision.
    await rm(join(root, 'content/capsules/versions'), { recursive: true });
    const before = await contentFiles();
    await store(JSON.stringify(IntakeRequest.parse(correctionProposal())), 'correction', 'retry-after');
    const lines = (await accept()).split('\n');
    const after = await contentFiles();
    const changed = Object.keys(after).filter((path) => after[path] !== before[path]);
    const named = lines.flatMap((line) => /^wrote (.*)$/.exec(line)?.[1] ?? []);
    expect(named.map((file) => join(root, file)).sort()).toEqual(changed);
    expect(lines.at(-1)).toMatch(/run "npm run revise retry-after -- --undo", then npm run intake -- reopen 1$/);
    await expect(reopen()).rejects.toThrow('content/capsules/retry-after.md contains proposal 1: restore the previous files');
    await undoRevision(root, 'retry-after');
    expect(await contentFiles()).toEqual(before);
    expect(await reopen()).toEqual(['proposal 1 is pending again']);
    expect(await accept()).toMatch(/^wrote content\/capsules\/retry-after.md\n/);
  });
});

test.each([
  ['other members', JSON.stringify({ kind: 'capsule', gone: 'a\u001b[2J' })],
  ['no JSON', '{"gone": \u001b[2J'],
])('a proposal stored under older rules with %s is shown, not accepted, and can be rejected', async (_name, body) => {
  await store(body);
  const shown = (await showProposal(database.binding(), '1')).join('\n');
  expect(shown).toContain('gone');
  expect(shown).not.toContain('\u001b');
  await expect(accept()).rejects.toThrow('does not have the current format');
  expect(await reject('Please send it again.')).toEqual(['proposal 1 is rejected']);
  expect(await reopen()).toEqual(['proposal 1 is pending again']);
});
