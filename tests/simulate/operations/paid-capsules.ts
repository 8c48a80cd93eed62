import { paymentIdOf } from '../../../src/gateway/commerce/payments/pay-for-resource.ts';
import { reviewPayment, unsettledPayments } from '../../../src/platform/d1/payment-reservations.ts';
import { capsuleApiPath } from '../../../src/schemas/paths.ts';
import { below } from '../../eval/random.ts';
import { SOLD_CAPSULE } from '../../support/paid-site.ts';
import { testAuthorization, testPayment } from '../../support/payments.ts';
import type { KnownPurchase } from '../knowledge.ts';
import type { Lifetime } from '../lifetime.ts';
import { hold } from '../violation.ts';

/** Longest time until a payment is answered, in milliseconds: the facilitator looks, then settles, with stores before and after. */
const PAID_MS_MAX = 45_000;

/** What a payment of x402 says of the capsule; the rest of a resource plays no part in it. */
const SOLD = { url: '', priceMicros: 50_000, capsuleId: SOLD_CAPSULE.id, version: '', title: '', tags: [] };

/**
 * An agent buys a capsule, or presents a payment again, perhaps at another address, or signs anew under the same identifier. Now and then
 * it uses the nonce for somebody else first. At times the publisher looks up on the network what became of payments.
 */
export async function buyCapsule(life: Lifetime): Promise<void> {
  const { purchases } = life.known.shop;
  const before = purchases.length > 0 && life.chance(0.65) ? life.pick(purchases.slice(-3)) : undefined;
  const isAnew = before?.identifier !== undefined && life.chance(0.3);
  const purchase = before === undefined || isAnew ? newPurchase(life, before) : before;
  if (purchase !== before) purchases.push(purchase);
  if (before !== undefined && life.chance(0.2)) life.outside.facilitator.spendElsewhere(purchase.nonce);
  const isAlone = !life.chance(0.25);
  await Promise.all(Array.from({ length: isAlone ? 1 : 2 }, () => present(life, purchase, isAlone)));
  holdClaims(life);
  if (life.chance(0.1)) await reviewPayments(life);
}

/** Holds that no payment is noted as settled that did not pay the seller, and none as failed that did. */
function holdClaims({ database, outside }: Lifetime): void {
  for (const { nonce, state } of database.look("SELECT nonce, state FROM payments WHERE state IN ('settled', 'failed')"))
    hold(
      'paid',
      outside.facilitator.settled.has(String(nonce)) === (state === 'settled'),
      () => `${String(nonce)} is noted as ${String(state)}`,
    );
}

/** What the publisher does with payments whose outcome is not known. */
async function reviewPayments({ database, outside, time }: Lifetime): Promise<void> {
  const { shown } = await unsettledPayments(database.binding(), time.nowMs - 600_000, 100);
  for (const reservation of shown) {
    const isPaid = outside.facilitator.settled.has(reservation.nonce);
    const verdict = isPaid ? ({ state: 'settled', transaction: `0x${'5e'.repeat(32)}` } as const) : ({ state: 'unpaid' } as const);
    await reviewPayment(database.binding(), paymentIdOf(reservation), verdict, time.nowMs);
  }
}

/** A payment that nobody presented before; of one under the same identifier only the authorization is new. */
function newPurchase(life: Lifetime, like: KnownPurchase | undefined): KnownPurchase {
  const nonce = `0x${Array.from({ length: 64 }, () => below(life.random, 16).toString(16)).join('')}`;
  const identifier = like?.identifier ?? (life.chance(0.5) ? life.fresh('purchase') : undefined);
  const nowSeconds = Math.floor(life.time.nowMs / 1_000);
  const times = { validAfter: String(nowSeconds - 900), validBefore: String(nowSeconds + 600) };
  const { resource: _, ...payment } = testPayment(SOLD, testAuthorization(life.time.nowMs, { nonce, ...times }), identifier);
  const path = like?.path ?? capsuleApiPath(SOLD_CAPSULE.id) + (life.chance(0.3) ? '?version=1.0.0' : '');
  const header = Buffer.from(JSON.stringify(payment)).toString('base64');
  return { nonce, identifier, path, header, network: '203.0.113.93', text: undefined };
}

/** @param isAlone Whether the payment is presented once at a time: of two at once, one can be refused and the other one charged. */
async function present(life: Lifetime, purchase: KnownPurchase, isAlone: boolean): Promise<void> {
  const { nonce, identifier, path, header, network: address } = purchase;
  const { settled } = life.outside.facilitator;
  const other = capsuleApiPath(SOLD_CAPSULE.id) + (path.includes('?') ? '' : '?version=1.0.0');
  const isElsewhere = settled.has(nonce) && life.chance(0.15);
  const asked = {
    method: 'GET',
    path: isElsewhere ? other : path,
    headers: { 'PAYMENT-SIGNATURE': header },
    address,
    withinMs: PAID_MS_MAX,
  } as const;
  const heard = await life.ask(life.isolate(), asked);
  if (heard === undefined) return;
  const seen = (): string => `${nonce} at ${asked.path}: ${heard.status} ${heard.body.slice(0, 400)}`;
  const siblings = life.known.shop.purchases.filter(
    (one) => one === purchase || (identifier !== undefined && one.identifier === identifier),
  );
  const paid = siblings.filter((one) => settled.has(one.nonce));
  hold('paid', paid.length <= 1, () => `${paid.length} authorizations were settled under ${identifier}`);
  if (heard.code === 'payment_invalid') {
    const { reason, detail } = JSON.parse(heard.body) as { reason?: string; detail: string };
    const isSaidFree = detail.includes('nothing was charged');
    hold('paid', !isAlone || !isSaidFree || !settled.has(nonce), () => `${reason} ${seen()}`);
  }
  if (heard.status !== 200) {
    hold('not-public', !Object.hasOwn(JSON.parse(heard.body) as object, 'markdown'), seen);
    return;
  }
  hold('paid', paid.length === 1 && !isElsewhere, seen);
  const { markdown } = JSON.parse(heard.body) as { markdown: string };
  hold('one-effect', (purchase.text ?? markdown) === markdown, seen);
  purchase.text = markdown;
}
