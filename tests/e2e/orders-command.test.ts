import { spawn } from 'node:child_process';
import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '../../src/platform/d1/database.ts';
import { d1InvoiceRequests } from '../../src/platform/d1/invoice-requests.ts';
import { administerOrders, type OrderTask } from '../../src/publish/administer-orders.ts';
import { withDatabase, wranglerDatabase } from '../../src/publish/database.ts';
import { LOCAL_STATE } from '../../src/publish/local-stores.ts';
import { ROOT } from '../support/paths.ts';

const RECEIPT = `inv_${'0a'.repeat(16)}`;
const NAME = `O'Neil; "--" ?1 🤖 \u001b[31m`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'akg-orders-'));
  await cp(join(ROOT, 'wrangler.toml'), join(folder, 'wrangler.toml'));
  for (const name of ['src', 'node_modules']) await symlink(join(ROOT, name), join(folder, name));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs `npm run orders -- …` in the folder. */
function orders(...args: string[]): Promise<{ exit: number | null; output: string }> {
  const child = spawn(process.execPath, [join(ROOT, 'src/publish/run-command.mjs'), 'orders', ...args], { cwd: folder, env: process.env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.once('close', (exit) => resolve({ exit, output })));
}

describe('npm run orders', () => {
  it('makes the database where there is none, and says that it holds nothing', async () => {
    expect(await orders('list')).toEqual({ exit: 0, output: 'there are no orders\n' });
  });

  it('shows and notes the same through the binding and through the command of wrangler', async () => {
    const nowMs = Date.now();
    await withDatabase(folder, 'local', async (database) => {
      await d1InvoiceRequests(database).keep({
        receipt: RECEIPT,
        items: [{ offerId: 'review', name: 'Review', unitMinor: 24_000, quantity: 2 }],
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
      ]);
    });
    const run = (task: OrderTask, database: Database): Promise<string[]> => administerOrders(task, database, nowMs, async () => []);
    const byCommand = wranglerDatabase(folder, ['--local', '--persist-to', LOCAL_STATE]);
    // Each statement that goes through wrangler takes seconds.
    const shown: OrderTask[] = [
      { name: 'list', limit: 5 },
      { name: 'show', id: RECEIPT },
    ];
    const lines = await withDatabase(folder, 'local', async (database) => {
      const all: string[][] = [];
      for (const task of shown) all.push(await run(task, database));
      return all;
    });
    for (const [index, task] of shown.entries()) expect(await run(task, byCommand)).toEqual(lines[index]);
    expect((await run({ name: 'refund', id: 'rct_1', amountMinor: 4_000 }, byCommand))[0]).toBe('ord_1: $40 of $240 noted as given back');
    expect((await run({ name: 'invoice', receipt: RECEIPT, state: 'answered' }, byCommand))[0]).toContain('answered');
    const { output } = await orders('show', RECEIPT);
    expect(output).toContain('answered');
    expect(output).not.toContain('\u001b');
    expect((await orders('list')).output).toContain('partly refunded');
  });

  it('refuses what is not clear in one sentence', async () => {
    for (const args of [[], ['refund', 'ord_1', 'x'], ['show', 'ord_none'], ['refund', 'ord_1', '999']]) {
      const { exit, output } = await orders(...args);
      expect([args, exit, output.trim().split('\n').length]).toEqual([args, 1, 1]);
    }
  });
});
