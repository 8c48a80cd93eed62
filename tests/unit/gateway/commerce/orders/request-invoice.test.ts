import { beforeEach, describe, expect, it } from 'vitest';
import { describeInvoiceRequest } from '../../../../../src/gateway/commerce/orders/describe-order.ts';
import { requestInvoice } from '../../../../../src/gateway/commerce/orders/request-invoice.ts';
import { ok } from '../../../../../src/gateway/result.ts';
import { d1InvoiceRequests } from '../../../../../src/platform/d1/order-store.ts';
import { readSigningSecrets } from '../../../../../src/platform/environment.ts';
import { InvoiceRequest, InvoiceRequestBody } from '../../../../../src/schemas/commerce/orders.ts';
import type { Deployment } from '../../../../../src/schemas/deployment.ts';
import { LIMITS } from '../../../../../src/schemas/limits.ts';
import { TEST_SIGNING_SECRETS } from '../../../../support/edge-gateway.ts';
import { OFFERS } from '../../../../support/orders.ts';
import { useDatabase } from '../../../../support/simulated/use-database.ts';
import { quoteOnlyOffer, soldOffer } from '../../../../support/sold-offer.ts';

const NOW = Date.UTC(2027, 0, 1, 23, 30);
const HOUR = 3_600_000;
const BODY = { items: [{ id: 'check', quantity: 2 }], name: 'Ada', email: 'ada@buyer.example', note: 'one\ntwo' };
const bodyOf = (...items: [id: string, quantity: number][]) => ({ ...BODY, items: items.map(([id, quantity]) => ({ id, quantity })) });
const database = useDatabase(NOW);
let taken: number;
beforeEach(() => {
  taken = 0;
});

async function ask(
  body: object = BODY,
  more: {
    atMs?: number;
    key?: string;
    offers?: typeof OFFERS;
    shop?: Partial<Pick<Deployment, 'quoteOnlyOffers' | 'displayCurrency'>>;
  } = {},
) {
  const secrets = await readSigningSecrets(TEST_SIGNING_SECRETS);
  if ('missing' in secrets) throw new Error(secrets.missing);
  return requestInvoice(
    InvoiceRequestBody.parse(body),
    { network: '192.0.2.0', idempotencyKey: more.key, bindKey: async () => ok(undefined) },
    {
      deployment: { offers: more.offers ?? OFFERS, ...more.shop },
      invoices: d1InvoiceRequests(database.binding()),
      secrets,
      quotas: {
        take: async (_name, _subject, nowMs) => {
          taken += 1;
          return { allowed: true, remaining: 1, endsAtMs: nowMs + 1_000 };
        },
      },
      clock: { nowMs: () => more.atMs ?? NOW },
    },
  );
}

async function receiptOf(...asked: Parameters<typeof ask>): Promise<string> {
  const answer = await ask(...asked);
  if (!answer.ok) throw new Error(answer.refusal.detail);
  return answer.value.receipt;
}

describe('requestInvoice', () => {
  it('stores the same request once within a day, also across midnight, and takes one of the quota', async () => {
    const first = await receiptOf();
    expect(await receiptOf()).toBe(first);
    expect(await receiptOf(BODY, { atMs: NOW + 23 * HOUR })).toBe(first);
    expect(await receiptOf(bodyOf(['review', 2]))).toBe(first);
    expect(taken).toBe(1);
    expect(await receiptOf(BODY, { atMs: NOW + 25 * HOUR })).not.toBe(first);
    expect(database.look('SELECT count(*) AS n FROM invoice_requests')).toEqual([{ n: 2 }]);
  });

  it.each([
    ['another person', { name: 'Grace' }],
    ['another quantity', { items: [{ id: 'check', quantity: 3 }] }],
    ['another note', { note: 'three' }],
    ['a field more', { company: 'Ada' }],
  ])('stores %s apart', async (_what, changes) => expect(await receiptOf({ ...BODY, ...changes })).not.toBe(await receiptOf()));

  it('tells requests of the same content apart by their keys, and refuses another body under a key', async () => {
    const one = await receiptOf(BODY, { key: 'key-1' });
    expect(await receiptOf(BODY, { key: 'key-1' })).toBe(one);
    expect(await receiptOf(BODY, { key: 'key-2' })).not.toBe(one);
    expect(await ask({ ...BODY, name: 'Eve' }, { key: 'key-1' })).toMatchObject({ ok: false, refusal: { code: 'idempotency_conflict' } });
  });

  it('finds the request of a key when a price has changed since; without a key it is another request', async () => {
    const dearer = OFFERS.map((offer) => ({ ...offer, amountMinor: offer.amountMinor + 100 }));
    expect(await receiptOf(BODY, { key: 'a', offers: dearer })).toBe(await receiptOf(BODY, { key: 'a' }));
    expect(await receiptOf(BODY, { offers: dearer })).not.toBe(await receiptOf(BODY));
  });

  it('stores one of many that come at the same moment', async () => {
    const receipts = await Promise.all(Array.from({ length: 8 }, () => receiptOf()));
    expect(new Set(receipts).size).toBe(1);
    expect(database.look('SELECT count(*) AS n FROM invoice_requests')).toEqual([{ n: 1 }]);
  });

  it('refuses what is free, unknown, over or too much, and says where', async () => {
    const refused = async (...items: Parameters<typeof bodyOf>) => {
      const answer = await ask(bodyOf(...items));
      return answer.ok ? undefined : [answer.refusal.code, answer.refusal.errors?.map(({ pointer }) => pointer)];
    };
    expect(await refused(['notes', 2], ['notes', 1])).toEqual(['invalid_request', ['/items/0/id', '/items/1/id']]);
    expect(await refused(['nothing', 1], ['past', 1])).toEqual(['offer_not_found', ['/items/0/id', '/items/1/id']]);
    expect(await refused(['review', 999], ['check', 1])).toEqual(['cart_refused', ['/items/0/id']]);
    expect(database.look('SELECT count(*) AS n FROM invoice_requests')).toEqual([{ n: 0 }]);
  });
});

describe('InvoiceRequestBody', () => {
  const faulty = (changes: object): boolean => !InvoiceRequestBody.safeParse({ ...BODY, ...changes }).success;
  it.each([
    'a b@c.example',
    'a@b',
    '@b.example',
    'a@b.example\nBcc: x@y.example',
    'a@b.example, c@d.example',
    '<a@b.example>',
    'a@[1.2.3.4]',
    `${'a'.repeat(65)}@b.example`,
  ])('takes %j for no e-mail address', (email) => expect(faulty({ email })).toBe(true));
  it.each(['name', 'company', 'tax_id', 'address', 'note'])('takes no %s that hides or turns text, or that is too long', (field) => {
    for (const text of ['a\u0000b', 'a\u202eb', 'a\u2066b', 'a\u001b[2Jb', '\ud800', 'a\u200bb', ' ', 'a'.repeat(2_001)])
      expect([text, faulty({ [field]: text })]).toEqual([text, true]);
    expect(faulty({ [field]: 'Zoë <b> & "Ünïcode" 漢字 नि\u200dक' })).toBe(false);
  });
  it('takes lines where an address or a note has them, and nowhere else', () => {
    for (const field of ['address', 'note']) expect(faulty({ [field]: 'one\ntwo' })).toBe(false);
    for (const field of ['name', 'company', 'tax_id']) expect(faulty({ [field]: 'one\ntwo' })).toBe(true);
  });
});

describe('a request for a quote', () => {
  const fleet = quoteOnlyOffer({ id: 'fleet', aliases: ['company'] });
  const shop = { quoteOnlyOffers: [fleet] };

  it('keeps offers without a price, beside those with one', async () => {
    const answer = await ask(bodyOf(['company', 2], ['review', 1], ['fleet', 1]), { shop });
    expect(answer).toMatchObject({ ok: true, value: { totalMinor: 24_000, currency: 'USD' } });
    const record = answer.ok ? answer.value : undefined;
    expect(record?.items).toEqual([
      { offerId: 'review', name: 'Offer review', unitMinor: 24_000, quantity: 1 },
      { offerId: 'fleet', name: 'Offer fleet', quantity: 3 },
    ]);
    const shown =
      record && describeInvoiceRequest(record, { baseUrl: 'https://s.example', contactEmail: 'a@s.example', offers: OFFERS, ...shop });
    expect(InvoiceRequest.safeParse(shown).success).toBe(true);
    expect(shown?.lines.at(-1)).toEqual({ offer_id: 'fleet', name: 'Offer fleet', quantity: 3 });
    expect(shown?.next.map(({ offer_id }) => offer_id)).toEqual(['review', 'fleet']);
  });

  it('needs nothing that costs something', async () => {
    expect(await ask(bodyOf(['fleet', 1]), { shop })).toMatchObject({ ok: true, value: { totalMinor: 0 } });
  });

  it('is stored once, and refused above the largest quantity', async () => {
    const body = bodyOf(['fleet', 1]);
    expect(await receiptOf(body, { shop })).toBe(await receiptOf(body, { shop }));
    expect(await ask(bodyOf(['fleet', LIMITS.quantityMax], ['company', 1]), { shop })).toMatchObject({
      refusal: { code: 'cart_refused', errors: [{ pointer: '/items/0/id' }, { pointer: '/items/1/id' }] },
    });
  });
});

describe('the currency of an invoice', () => {
  const offers = [
    soldOffer({ id: 'wheel', currencyOptions: [{ currency: 'EUR', amountMinor: 7_500 }] }),
    soldOffer({ id: 'dollars', amountMinor: 1_000 }),
  ];
  const of = (...ids: string[]) => bodyOf(...ids.map((id): [string, number] => [id, 1]));

  it('is the one of the pages where every item has a price in it, else US dollars', async () => {
    const shop = { displayCurrency: 'EUR' };
    expect(await ask(of('wheel'), { offers, shop })).toMatchObject({ value: { currency: 'EUR', totalMinor: 7_500 } });
    expect(await ask(of('wheel', 'dollars'), { offers, shop })).toMatchObject({ value: { currency: 'USD', totalMinor: 9_000 } });
    expect(await ask({ ...of('wheel'), note: 'dollars' }, { offers })).toMatchObject({ value: { currency: 'USD', totalMinor: 8_000 } });
  });

  it('is the one that is asked for, or a refusal names what has no price in it', async () => {
    expect(await ask({ ...of('wheel'), currency: 'EUR' }, { offers })).toMatchObject({ value: { currency: 'EUR', totalMinor: 7_500 } });
    expect(await ask({ ...of('wheel', 'dollars'), currency: 'EUR' }, { offers })).toMatchObject({
      refusal: { code: 'invalid_request', errors: [{ pointer: '/items/1/id', message: 'has no price in EUR' }] },
    });
  });
});
