import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rejectProposal } from '../../src/administration/proposals.ts';
import { withDatabase } from '../../src/build/local/d1-connections.ts';
import { LOCAL_STATE } from '../../src/build/local/local-stores.ts';
import { runWrangler } from '../../src/build/run-process.ts';
import { agentsCommand } from '../../src/cli/commands/agents.ts';
import { intakeCommand } from '../../src/cli/commands/intake.ts';
import { ordersCommand } from '../../src/cli/commands/orders.ts';
import { agentStore } from '../../src/platform/d1/agent-store.ts';
import type { Database } from '../../src/platform/d1/database.ts';
import { d1InvoiceRequests } from '../../src/platform/d1/order-store.ts';
import { decideProposal, findProposal, listProposals } from '../../src/platform/d1/proposal-store.ts';
import { IntakeRequest } from '../../src/schemas/intake/proposals.ts';
import { capsuleProposal, correctionProposal, proposalDigest } from '../support/proposals.ts';
import { makePublisherFolder, type PublisherFolder, writtenOver } from '../support/publisher-folder.ts';
import { type CommandOutcome, callAkg, runTask } from '../support/run-akg.ts';

const AGENT = '00000000000000aa';
const RECEIPT = `inv_${'0a'.repeat(16)}`;
const NAME = `O'Neil; "--" ?1 🤖 \u001b[31m`;
const NOW = Date.UTC(2026, 10, 22, 10, 20, 30);
const RECEIVED_MS = Date.UTC(2026, 10, 21);
const NOW_MS = Date.UTC(2026, 11, 1);
const receipt = (letter: string): string => `rcp_${letter.repeat(54)}`;
let place: PublisherFolder;
let folder: string;
let made: CommandOutcome;
let database: Database;
let close = async (): Promise<void> => undefined;
beforeAll(async () => {
  place = await makePublisherFolder(['content']);
  folder = place.folder;
  made = await place.run('agents', 'list');
  // Opened once: opening takes a second of CPU.
  database = await new Promise((opened, failed) => {
    const use = (one: Database): Promise<void> =>
      new Promise((end) => {
        close = () => {
          end();
          return closed;
        };
        opened(one);
      });
    const closed = withDatabase(folder, 'local', use);
    closed.catch(failed);
  });
});
afterAll(async () => {
  await close();
  await place.remove();
});

async function store(proposal: Record<string, unknown>, receipts: readonly string[]): Promise<void> {
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

describe('the commands of a publisher', () => {
  it('make the database where there is none, and say that it holds nothing and nothing else', async () => {
    expect(made).toEqual({ exit: 0, output: 'No agents are registered.\n' });
    expect(await runTask(ordersCommand, 'list', database, { nowMs: NOW })).toBe('there are no orders');
    expect(await runTask(intakeCommand, 'list', database, { root: folder, nowMs: NOW })).toBe('there are no pending proposals');
  });

  it('agents: lists, grants and revokes, with bound and with written values alike', async () => {
    const written = writtenOver(database);
    const run = (line: string, way: Database = database): Promise<string> => runTask(agentsCommand, line, way, { nowMs: NOW });
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
    for (const way of [database, written]) expect(await run('list', way)).toBe(`agt_${AGENT}  2026-11-22 10:20Z  ${JSON.stringify(NAME)}`);
    expect(await run(`grant agt_${AGENT} submit`, written)).toMatch(/granted: submit\n/);
    expect(await run(`grant agt_${AGENT} submit`)).toMatch(/granted: submit\n/);
    expect(await run(`grant agt_${AGENT} metrics`)).toMatch(/granted: submit, metrics\n/);
    expect(await run(`ungrant agt_${AGENT} submit`)).toMatch(/granted: metrics\n/);
    expect((await agentStore(database).status({ agent: AGENT, serial: 0, issuedMinute: 0 })).record).toMatchObject({
      name: NAME,
      granted: ['metrics'],
    });
    for (const way of [database, written])
      await expect(run('grant agt_ffffffffffffffff submit', way)).rejects.toThrow('is not in the registry');
    expect(await run(`revoke agt_${AGENT}`, written)).toContain('all its keys are revoked');
    expect(await agentStore(database).revocationsAfter(0, NOW, 10)).toMatchObject([
      { sequence: 1, agent: AGENT, serial: undefined, issuedMinute: 0xffff_ffff, effectiveAtMs: 0 },
    ]);
  });

  it('orders: shows and notes the same with bound and with written values', async () => {
    const nowMs = Date.now();
    await d1InvoiceRequests(database).save({
      receipt: RECEIPT,
      items: [{ offerId: 'review', name: 'Review', unitMinor: 24_000, quantity: 2 }],
      currency: 'USD',
      totalMinor: 48_000,
      name: NAME,
      email: 'eve@buyer.example',
      company: undefined,
      address: undefined,
      taxId: undefined,
      note: undefined,
      state: 'new',
      createdAtMs: nowMs,
      updatedAtMs: nowMs,
    });
    await database.batch([
      database
        .prepare(
          "INSERT INTO checkout_sessions (id, owner, channel, state, currency, total_minor, content, revision, mark, created_at_ms, updated_at_ms, expires_at_ms) VALUES ('cs_1', 'page', 'page', 'completed', 'USD', 24000, ?1, 2, 'm', ?2, ?2, ?2)",
        )
        .bind(JSON.stringify({ lines: [], details: {} }), nowMs),
      database
        .prepare(
          "INSERT INTO orders (id, receipt, session_id, total_minor, payment_reference, content, created_at_ms, updated_at_ms) VALUES ('ord_1', 'rct_1', 'cs_1', 24000, 'pi_1', ?1, ?2, ?2)",
        )
        .bind(
          JSON.stringify({
            owner: 'page',
            channel: 'page',
            currency: 'USD',
            lines: [{ id: 'li_1', offerId: 'review', name: 'Review', cadence: 'one_time', unitMinor: 24_000, quantity: 1, demo: false }],
          }),
          nowMs,
        ),
      database
        .prepare(
          "INSERT INTO processor_events (id, kind, received_at_ms, payment_reference, amount_minor, currency, is_refund, outcome) VALUES ('evt_1', 'charge.refunded', ?1, 'pi_2', 4000, 'EUR', 1, 'waiting')",
        )
        .bind(nowMs),
    ]);
    const run = (line: string, way: Database): Promise<string> => runTask(ordersCommand, line, way, { nowMs });
    const written = writtenOver(database);
    for (const line of ['list', `show ${RECEIPT}`, 'show rct_1', 'show evt_1'])
      expect(await run(line, written)).toBe(await run(line, database));
    expect(await run('refund rct_1 40', written)).toContain('ord_1: $40 of $240 recorded as refunded');
    for (const way of [written, database]) await expect(run('refund rct_1 40', way)).rejects.toThrow('already');
    expect(await run('done evt_1', written)).toBe('evt_1 is marked as reviewed and no longer listed');
    expect(await run('done evt_1', written)).toContain('was reviewed before');
    expect(await run(`invoice ${RECEIPT} answered`, written)).toContain('answered');
    const shown = await run(`show ${RECEIPT}`, database);
    expect([shown.includes('answered'), shown.includes('\u001b')]).toEqual([true, false]);
  });

  it('intake: lists, shows, accepts and rejects; a decision stands, and an accepted one can be accepted again', async () => {
    const run = (line: string): Promise<string> => runTask(intakeCommand, line, database, { root: folder, nowMs: NOW_MS });
    const accept = (name: string): Promise<string> => run(`accept ${name}`);
    const reject = async (name: string, reason: string): Promise<string | undefined> =>
      (await rejectProposal(database, name, reason, NOW_MS))[0];
    await store({ ...capsuleProposal(), note: 'ring \u0007 the bell' }, [receipt('a'), receipt('b')]);
    await store(correctionProposal(), [receipt('c')]);
    await store(correctionProposal({ replacement: 'for example 2, 4 and 8 seconds' }), [receipt('d')]);
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

  it('intake: reads and decides with values written into statements as with bound ones', async () => {
    const proposal = capsuleProposal({ capsule_id: 'through-wrangler' }, { title: `It's "quoted"; -- and ?1 in a title` });
    await store(proposal, [receipt('e')]);
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

  it('print what they find, without control characters, and end with 1 where something cannot be done', async () => {
    // One after the other: a local database is open once.
    await close();
    const agent = await callAkg(['agents', 'show', `agt_${AGENT}`], folder);
    const refund = await callAkg(['orders', 'refund', 'ord_1', '999'], folder);
    expect(agent).toMatchObject({
      exit: 0,
      output: expect.stringContaining('  revoked     all keys, at once, stored 2026-11-22 10:20Z\n') as unknown,
    });
    expect(agent.output).toContain('\\u001b');
    expect(agent.output).not.toContain('\u001b');
    expect(refund).toMatchObject({ exit: 1, output: 'ord_1 cost $240; give an amount of at most that\n' });
  });

  it('keep the database of this machine in a backup, and restore it', async () => {
    await close();
    const saved = await callAkg(['backup', 'saved.jsonl.gz', '--local'], folder, { BASE_URL: '' });
    const [, rows] = /^saved\.jsonl\.gz: ([1-9]\d*) rows, 0 blocks\n/.exec(saved.output) ?? [];
    await rm(join(folder, LOCAL_STATE), { recursive: true });
    expect(await callAkg(['restore', '--from', 'saved.jsonl.gz', '--local'], folder, { BASE_URL: '' })).toMatchObject({
      exit: 0,
      output: `Wrote ${rows} rows of saved.jsonl.gz. Now: npm start\n`,
    });
    expect((await callAkg(['agents', 'show', `agt_${AGENT}`], folder)).exit).toBe(0);
  });

  it('keep the tables of the local database as wrangler does: what they applied, it knows', async () => {
    await close();
    const apply = ['d1', 'migrations', 'apply', 'STATE', '--local', '--persist-to', LOCAL_STATE];
    expect(await runWrangler(folder, apply)).toContain('No migrations to apply');
  });
});
