import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withDatabase } from '../../src/build/local/database.ts';
import { ordersCommand } from '../../src/cli/commands/orders.ts';
import type { Database } from '../../src/platform/d1/database.ts';
import { d1InvoiceRequests } from '../../src/platform/d1/invoice-requests.ts';
import { makePublisherFolder, type PublisherFolder, writtenOver } from '../support/publisher-folder.ts';
import { type CommandOutcome, runTask } from '../support/run-akg.ts';

const RECEIPT = `inv_${'0a'.repeat(16)}`;
const NAME = `O'Neil; "--" ?1 🤖 \u001b[31m`;

let place: PublisherFolder;
let folder: string;
beforeAll(async () => {
  place = await makePublisherFolder();
  folder = place.folder;
});
afterAll(() => place.remove());
const orders = (...args: string[]): Promise<CommandOutcome> => place.run('orders', ...args);

describe('npm run orders', () => {
  it('makes the database where there is none, and says that it holds nothing and nothing else', async () => {
    await writeFile(join(folder, '.dev.vars'), 'SIGNING_SECRETS=none\n');
    expect(await orders('list')).toEqual({ exit: 0, output: 'there are no orders\n' });
  });

  it('shows and notes the same with bound and with written values', async () => {
    const nowMs = Date.now();
    await withDatabase(folder, 'local', async (database) => {
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
    });
    const { output } = await orders('show', RECEIPT);
    expect(output).toContain('answered');
    expect(output).not.toContain('\u001b');
  });

  it('ends with 1 and one line for what cannot be done, and with the usage below it for what is not clear', async () => {
    const [unclear, tooMuch] = await Promise.all([orders('refund', 'ord_1', '-5'), orders('refund', 'ord_1', '999')]);
    expect([unclear.exit, unclear.output]).toEqual([1, expect.stringMatching(/An amount is a positive number[\s\S]*Usage: /)]);
    expect(tooMuch).toEqual({ exit: 1, output: 'ord_1 cost $240; give an amount of at most that\n' });
  });
});
