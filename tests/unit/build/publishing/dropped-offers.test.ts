import { expect, test } from 'vitest';
import { requireOrderedOffers } from '../../../../src/build/publishing/publish-blocks.ts';
import { handlePaymentEvent } from '../../../../src/gateway/commerce/orders/handle-payment-event.ts';
import { refundedEvent } from '../../../support/orders.ts';
import { writtenOver } from '../../../support/publisher-folder.ts';
import { contentOf } from '../../cli/capsules/published-world.ts';
import { useOrdersDatabase } from '../../cli/orders/orders-database.ts';
import { offer, writeWorld } from '../../publication/content-world.ts';

const { database, setUp, order } = useOrdersDatabase();

/** What the check of a publication with these offer files says; `undefined` if nothing. */
async function refusalWith(files: Readonly<Record<string, string>>, lines: string[] = []): Promise<string | undefined> {
  const { offers } = await contentOf(await writeWorld(files));
  const names = offers.flatMap(({ id, frontMatter }) => [id, ...frontMatter.aliases]);
  return requireOrderedOffers(writtenOver(database.binding()), names, (line) => void lines.push(line)).then(
    () => undefined,
    (error: Error) => error.message,
  );
}

test('refuses to drop an offer that has orders, until it is there, discontinued, or an alias of another', async () => {
  const deps = setUp();
  const first = await order(deps);
  const { sessionId } = await order(deps);
  expect(first.sessionId).not.toBe(sessionId);
  expect(await refusalWith({})).toMatch(/missing in content\/offers: "review" \(2 orders\).*add "discontinued: <day>".*--drop-offers/);
  expect(await refusalWith({ 'offers/review.md': offer() })).toBeUndefined();
  expect(await refusalWith({ 'offers/review.md': offer({ discontinued: '2026-11-10' }) })).toBeUndefined();
  expect(await refusalWith({ 'offers/site-review.md': offer({ aliases: '[review]' }) })).toBeUndefined();
  await handlePaymentEvent(refundedEvent(`pi_${sessionId}`, 24_000, 'evt_refund'), deps);
  expect(await refusalWith({})).toContain('"review" (1 order)');
  await handlePaymentEvent(refundedEvent(`pi_${first.sessionId}`, 24_000, 'evt_refund_2'), deps);
  expect(await refusalWith({})).toBeUndefined();
});

test('goes on without a database that can be read, and says so', async () => {
  const lines: string[] = [];
  database.look('DROP TABLE orders');
  expect(await refusalWith({}, lines)).toBeUndefined();
  expect(lines).toEqual([expect.stringContaining('orders: not compared with content/offers, because the database cannot be read')]);
});
