import { expect, test } from 'vitest';
import { PATHS } from '../../../src/schemas/paths.ts';
import { below, seededRandom } from '../../eval/random.ts';
import { ACP_SESSIONS, acpHeaders, acpSessionPath } from '../../support/acp.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { chargeRefunded, checkoutCompleted, signedMessage, type TestEvent } from '../../support/stripe-messages.ts';

const gateway = useInProcessGateway();
const rows = async (sql: string): Promise<Record<string, unknown>[]> => {
  const database = gateway.state();
  return (await database.prepare(sql).all()).results as Record<string, unknown>[];
};
const open = async (): Promise<{ id: string; total: number }> => {
  const body = { line_items: [{ id: SAMPLE_OFFER.id }], currency: 'usd', capabilities: {} };
  const response = await gateway.post(ACP_SESSIONS, body, await acpHeaders());
  const { id, totals } = (await response.json()) as { id: string; totals: { type: string; amount: number }[] };
  return { id, total: totals.find(({ type }) => type === 'total')?.amount ?? Number.NaN };
};
const deliver = async (event: TestEvent): Promise<string> => {
  const response = await gateway.fetch(PATHS.stripeWebhook, signedMessage(event));
  const { outcome } = (await response.json()) as { outcome?: string };
  return outcome ?? String(response.status);
};
const countOf = (outcomes: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const outcome of outcomes) counts[outcome] = (counts[outcome] ?? 0) + 1;
  return counts;
};

test('one message a hundred times, at the same time, makes one order', async () => {
  const { id, total } = await open();
  const event = checkoutCompleted(id, total);
  const outcomes = await Promise.all(Array.from({ length: 100 }, () => deliver(event)));
  // A message that lost against another one again and again is asked for once more.
  expect(countOf(outcomes)['applied']).toBe(1);
  expect(Object.keys(countOf(outcomes)).filter((outcome) => !['applied', 'duplicate', '503'].includes(outcome))).toEqual([]);
  expect(await deliver(event)).toBe('duplicate');
  expect(await rows(`SELECT total_minor, payment_reference FROM orders WHERE session_id = '${id}'`)).toEqual([
    { total_minor: total, payment_reference: `pi_of_${id}` },
  ]);
  expect(await rows(`SELECT kind FROM order_log WHERE session_id = '${id}' AND kind = 'order_created'`)).toHaveLength(1);
  const session = await gateway.fetch(acpSessionPath(id), { headers: await acpHeaders() });
  expect(await session.json()).toMatchObject({ status: 'completed', order: { checkout_session_id: id } });
});

test('payments and refunds of many orders come to the same, in whatever order and however often their messages come', async () => {
  const random = seededRandom(7);
  const sessions = await Promise.all(Array.from({ length: 8 }, open));
  const events = sessions.flatMap(({ id, total }, index) => [
    checkoutCompleted(id, total, {}, `evt_paid_${index}`),
    // Stripe says in a second message, under another id, that the same payment has come.
    checkoutCompleted(id, total, {}, `evt_again_${index}`),
    ...[1, 2, 3]
      .slice(0, index % 4)
      .map((part) => chargeRefunded(`pi_of_${id}`, Math.floor((total * part) / 3), `evt_refund_${index}_${part}`)),
  ]);
  const shuffled = [...events, ...events, ...events].map((event) => ({ event, at: random() })).sort((a, b) => a.at - b.at);
  for (let at = 0; at < shuffled.length; ) {
    const together = shuffled.slice(at, at + 1 + below(random, 5));
    await Promise.all(together.map(({ event }) => deliver(event)));
    at += together.length;
  }
  for (const event of events) expect(await deliver(event)).toBe('duplicate');
  for (const [index, { id, total }] of sessions.entries())
    expect(await rows(`SELECT total_minor, refunded_minor FROM orders WHERE session_id = '${id}'`)).toEqual([
      { total_minor: total, refunded_minor: Math.floor((total * (index % 4)) / 3) },
    ]);
  const ids = sessions.map(({ id }) => `'${id}'`).join();
  expect(await rows(`SELECT count(*) AS n FROM orders WHERE session_id IN (${ids})`)).toEqual([{ n: sessions.length }]);
  expect(await rows("SELECT id FROM processor_events WHERE outcome NOT IN ('applied', 'duplicate', 'ignored')")).toEqual([]);
});
