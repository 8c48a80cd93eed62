import { agentOfOrder } from '../../../src/gateway/commerce/orders/deliver.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { below } from '../../eval/random.ts';
import { checkoutCompleted, signatureOf } from '../../support/stripe-messages.ts';
import type { KnownKey } from '../knowledge.ts';
import type { Heard, Lifetime } from '../lifetime.ts';
import type { News } from '../outside/processor.ts';
import { hold } from '../violation.ts';
import { someCheckout } from './checkouts.ts';
import { openReceipt } from './orders.ts';

/** A buyer pays where a session sent them, whatever became of the session since. */
export async function payAtCheckout(life: Lifetime): Promise<void> {
  const checkout = someCheckout(life);
  if (checkout === undefined || checkout.continueUrls.size === 0) return;
  const url = new URL(life.pick([...checkout.continueUrls]));
  const { processor } = life.outside;
  if (url.searchParams.has('client_reference_id')) {
    // A hosted link charges what its offer costs in the newest edition.
    const { offers } = life.stage.builds[life.published]?.generated.deployment ?? { offers: [] };
    const offer = offers.find(({ checkoutUrl }) => url.href.startsWith(checkoutUrl));
    if (offer !== undefined) processor.payHosted(url.searchParams.get('client_reference_id') ?? '', offer.amountMinor);
    return;
  }
  const heard = await life.ask(life.isolate(), { method: 'GET', path: url.pathname, withinMs: 45_000 });
  const made = processor.checkouts.find((one) => one.url === heard?.headers.get('location'));
  if (made === undefined) return;
  hold('acknowledged', made.sessionId === checkout.id, () => `${checkout.id} leads to the checkout of ${made.sessionId}`);
  if (life.chance(0.7)) processor.payHosted(made.sessionId, made.amount);
}

/** A buyer comes to the checkout page of a cart and begins to pay. */
export async function beginAtPage(life: Lifetime): Promise<void> {
  const items = `${life.pick(['catalog-review', 'evidence-review', 'change-notices'])}:${1 + below(life.random, 2)}`;
  const heard = await life.ask(life.isolate(), { method: 'POST', path: PATHS.checkout, body: { items } });
  const location = heard?.status === 303 ? (heard.headers.get('location') ?? '') : '';
  if (location === '') return;
  const id = location.slice(location.lastIndexOf('/') + 1);
  const continueUrls = new Set([location]);
  life.known.shop.checkouts.push({
    id,
    counter: 'page',
    key: undefined,
    createdMs: life.time.nowMs,
    continueUrls,
    order: undefined,
    isCanceled: false,
  });
}

/** A payment that is under way ends, or the publisher pays back a part or all of one. */
export async function movePayment(life: Lifetime): Promise<void> {
  const { processor } = life.outside;
  const underWay = processor.payments.filter(({ state }) => state === 'processing');
  const paid = processor.payments.filter(({ state, amount, refunded }) => state === 'succeeded' && amount > refunded);
  if (underWay.length > 0) return processor.settle(life.pick(underWay), life.chance(0.6) ? 'succeeded' : 'failed');
  if (paid.length === 0) return;
  const payment = life.pick(paid.slice(-4));
  const part = life.chance(0.5) ? payment.amount : payment.refunded + 1 + below(life.random, payment.amount);
  processor.refund(payment, part);
  life.note(`${payment.refunded} of ${payment.amount} of ${payment.id} are paid back`);
}

/** The processor tells its news, late, in any order, and some of them again. */
export async function sendNews(life: Lifetime): Promise<void> {
  const { news } = life.outside.processor;
  const untold = news.filter(({ acknowledgedMs }) => acknowledgedMs === undefined);
  const from = untold.length > 0 && life.chance(0.8) ? untold : news;
  if (from.length === 0) return;
  const one = life.pick(life.chance(0.6) ? from.slice(-3) : from);
  await Promise.all(Array.from({ length: life.chance(0.15) ? 2 : 1 }, () => tell(life, one)));
  const order = life.known.shop.checkouts.find(({ id }) => id === one.payment.sessionId)?.order;
  if (order !== undefined && life.chance(0.6)) await openReceipt(life, order);
}

/** One message of the processor to some isolate. */
export async function tell(life: Lifetime, news: News): Promise<Heard | undefined> {
  const taken = await withdrawnKeys(life, news);
  const isolate = life.isolate();
  const heard = await life.ask(isolate, messageOf(life, JSON.stringify(news.event)));
  if (heard === undefined || heard.status >= 500) return heard;
  hold('answered', heard.status === 200 || heard.status === 429, () => `news of the processor: ${heard.status} ${heard.body}`);
  if (heard.status !== 200) return heard;
  const { outcome } = JSON.parse(heard.body) as { outcome: string };
  life.note(`${news.event.id} (${news.kind} ${news.payment.id}): ${outcome}`);
  news.acknowledgedMs ??= heard.heardMs;
  if (outcome !== 'duplicate') news.outcome ??= outcome;
  for (const key of taken) {
    key.doubts -= 1;
    if (outcome === 'applied') key.revokedAtMs ??= heard.heardMs;
  }
  return heard;
}

/** Keys that a message takes back: those of the order whose whole price was paid back. */
async function withdrawnKeys(life: Lifetime, { kind, payment, refunded }: News): Promise<readonly KnownKey[]> {
  if (kind !== 'refunded' || refunded < payment.amount) return [];
  const order = life.known.shop.checkouts.find(({ id }) => id === payment.sessionId)?.order;
  if (order === undefined) return [];
  const agent = `agt_${await agentOfOrder(order)}`;
  const keys = life.known.keys.filter((key) => key.agent === agent);
  life.known.revokedAgents.add(agent);
  for (const key of keys) {
    key.mayBeRevoked = true;
    key.doubts += 1;
  }
  return keys;
}

/** Somebody sends a message that the processor did not sign, or signed long ago; or it tells of money that fits no session. */
export async function sendFalseNews(life: Lifetime): Promise<void> {
  const checkout = someCheckout(life);
  if (checkout === undefined) return;
  const id = `evt_${life.fresh('rogue')}`;
  const payment = { payment_intent: `pi_${life.fresh('rogue')}` };
  const isForged = life.chance(0.5);
  const event = isForged
    ? checkoutCompleted(checkout.id, 12_000, payment, id)
    : checkoutCompleted(checkout.id, 7, life.chance(0.5) ? payment : { ...payment, currency: 'eur' }, id);
  const body = JSON.stringify(event);
  const forged = life.chance(0.5) ? { secret: 'whsec_of_somebody_else_000000' } : { atMs: life.time.nowMs - 900_000 };
  const heard = await life.ask(life.isolate(), messageOf(life, body, isForged ? forged : {}));
  if (heard === undefined || heard.status === 429 || heard.status >= 500) return;
  if (isForged) return hold('paid', heard.code === 'signature_invalid', () => `a forged message: ${heard.body}`);
  const { outcome } = JSON.parse(heard.body) as { outcome: string };
  hold('paid', outcome !== 'applied', () => `7 were paid for ${checkout.id}: ${heard.body}`);
}

function messageOf(life: Lifetime, body: string, signing: { readonly secret?: string; readonly atMs?: number } = {}) {
  const headers = { 'Stripe-Signature': signatureOf(body, { atMs: life.time.nowMs, ...signing }), 'Content-Type': 'application/json' };
  return { method: 'POST', path: PATHS.stripeWebhook, body, headers, address: '203.0.113.91' } as const;
}
