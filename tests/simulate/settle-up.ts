import { requeueWebhooks, reviewIssues } from '../../src/platform/d1/order-administration.ts';
import { orderWebhookSecret } from '../../src/protocols/acp/order-event.ts';
import { testSecrets } from '../support/payments.ts';
import { type Books, holdAllWebhooks, REVIEW_OUTCOMES } from './hold-books.ts';
import type { Lifetime } from './lifetime.ts';
import { drain } from './operations/orders.ts';
import { tell } from './operations/payment-news.ts';
import { hold } from './violation.ts';

/** Rounds in which everything is told and sent: webhooks of one order go one after the other. */
const ROUNDS_MAX = 12;

/** The end of a lifetime in fair weather: everything is told and sent, and then the books of both sides must agree. */
export async function settleUp(life: Lifetime, books: Books): Promise<void> {
  const { processor } = life.outside;
  if (life.known.shop.checkouts.length === 0 && processor.payments.length === 0) return;
  life.note('the end: all is well, and everything is told');
  life.outside.isFair = true;
  await life.together([() => makeFair(life)]);
  await life.together([() => sendAllNews(life)]);
  books.hold(life);
  await life.together([() => sendAllWebhooks(life)]);
  books.hold(life);
  await holdAgreement(life);
}

async function makeFair(life: Lifetime): Promise<void> {
  for (const place of life.places) {
    life.weather(place, 'well', 'well');
    place.build = life.published;
    for (const isolate of [...place.isolates]) life.endIsolate(isolate);
  }
  // Payments of requests that are still on their way, and what the last weather left behind.
  await life.time.sleep(120_000);
  for (const payment of life.outside.processor.payments)
    if (payment.state === 'processing') life.outside.processor.settle(payment, life.chance(0.5) ? 'succeeded' : 'failed');
}

async function sendAllNews(life: Lifetime): Promise<void> {
  for (const news of life.outside.processor.news) {
    for (let attempt = 0; news.acknowledgedMs === undefined; attempt += 1) {
      hold('answered', attempt < 3, () => `${news.event.id} is not taken in fair weather`);
      const heard = await tell(life, news);
      if (heard?.status !== 200) await life.time.sleep(61_000);
    }
  }
}

async function sendAllWebhooks(life: Lifetime): Promise<void> {
  await requeueWebhooks(life.database.binding(), life.time.nowMs).all();
  for (let round = 0; round < ROUNDS_MAX; round += 1) {
    // Later than any clock that put a webhook off.
    const { sent } = await drain(life, life.time.nowMs + 4 * 86_400_000);
    if (sent === 0) break;
  }
  const left = life.database.look("SELECT * FROM order_notices WHERE state <> 'sent'");
  hold('true-webhook', left.length === 0, () => `not sent in fair weather: ${JSON.stringify(left[0])}`);
}

/**
 * Holds that every payment has its order, is listed for the publisher or was paid back whole, and every order knows what was paid back.
 */
async function holdAgreement(life: Lifetime): Promise<void> {
  const { database, outside } = life;
  const orders = database.look('SELECT payment_reference, refunded_minor FROM orders');
  for (const { id, content } of database.look("SELECT id, content FROM checkout_sessions WHERE state = 'charging'")) {
    // Of an attempt that the processor never heard of, only its repetition finds out.
    const { attempt } = JSON.parse(String(content)) as { attempt?: string };
    const isTold = outside.processor.payments.some((payment) => payment.attempt === attempt);
    hold('transition', !isTold, () => `${String(id)} is still being paid after all was told`);
  }
  const { events } = await life.time.run(reviewIssues(database.binding(), life.time.nowMs, 10_000));
  const listed = new Set(
    events.shown.filter(({ outcome }) => REVIEW_OUTCOMES.includes(outcome)).map(({ paymentReference }) => paymentReference),
  );
  for (const { id, state, amount, refunded } of outside.processor.payments) {
    if (state !== 'succeeded') continue;
    const order = orders.find(({ payment_reference }) => payment_reference === id);
    hold(
      'paid',
      order !== undefined || amount === 0 || listed.has(id) !== (refunded === amount),
      () => `${id} has no order, ${refunded} of ${amount} were paid back, and it is ${listed.has(id) ? '' : 'not '}listed`,
    );
    hold('paid', order === undefined || !listed.has(id), () => `${id} has an order and is listed all the same`);
    if (order)
      hold(
        'acknowledged',
        order['refunded_minor'] === refunded,
        () => `${id}: ${refunded} paid back, ${String(order['refunded_minor'])} noted`,
      );
  }
  const [secret] = await testSecrets();
  const owners = new Set(life.known.keys.map(({ agent }) => agent));
  const secrets = new Map<string, string>();
  for (const owner of owners) secrets.set(owner, await orderWebhookSecret(owner, secret));
  holdAllWebhooks(database, outside.receiver.received, secrets);
}
