import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Session } from '../../../../src/gateway/commerce/cart/checkout-ports.ts';
import { payableCart, totalOf } from '../../../../src/gateway/commerce/cart/price-cart.ts';
import { completionStep } from '../../../../src/gateway/commerce/orders/order-transitions.ts';
import {
  AcpCancelRequest,
  AcpCheckoutSession,
  AcpCompleteRequest,
  AcpCreateRequest,
  AcpUpdateRequest,
} from '../../../../src/protocols/acp/acp-schemas.ts';
import { acpContent } from '../../../../src/protocols/acp/checkout-session-routes.ts';
import { acpSession } from '../../../../src/protocols/acp/write-session.ts';
import { EXAMPLE_SESSION_TIME_MS, exampleSession } from '../../../../src/protocols/protocol-module.ts';
import type { Deployment } from '../../../../src/schemas/deployment.ts';
import { ACP_MARKET } from '../../../support/acp.ts';
import { officialAcp, officialAcpExamples } from '../../../support/official-schemas.ts';
import { OFFERS } from '../../../support/orders.ts';
import { soldOffer } from '../../../support/sold-offer.ts';

const official = officialAcp();
const NOW = EXAMPLE_SESSION_TIME_MS;
const TODAY = '2027-01-01';
const links: Pick<Deployment, 'baseUrl' | 'commerce' | 'offers'> = {
  baseUrl: 'https://signpost.example',
  commerce: { acp: true, ucp: false, processor: 'links', webhookHosts: ['agent.example'] },
  offers: OFFERS,
};
const stripe = { ...links, commerce: { ...links.commerce, processor: 'stripe' as const, merchantId: 'acct_1' } };

const sessionOf = (items: readonly { id: string; quantity?: number }[], facts: Partial<Session> = {}, settings = stripe): Session => {
  const cart = payableCart(
    items.map(({ id, quantity = 1 }, index) => ({ id, quantity, pointer: `/line_items/${index}` })),
    settings,
    TODAY,
    'USD',
  );
  if (!cart.ok) throw new Error(cart.refusal.detail);
  const open = exampleSession(soldOffer({ id: 'review' }), { owner: 'agt_00000000000000aa', channel: 'acp' });
  return { ...open, lines: cart.value, totalMinor: totalOf(cart.value), ...facts };
};
const orderOf = (session: Session) =>
  completionStep(session, { reference: 'pi_1', by: 'agent' }, { bytes: (length) => new Uint8Array(length) }, NOW).order;

describe('acpSession()', () => {
  test('every session is a CheckoutSession by the official schema and by ours, and has an order exactly when it is completed', () => {
    const ids = fc.uniqueArray(fc.constantFrom('review', 'digest', 'notes'), { minLength: 1, maxLength: 3 });
    const buyer = fc.option(
      fc.record({ email: fc.constant('ada@example.com'), full_name: fc.option(fc.constantFrom('Ada', ''), { nil: undefined }) }),
      { nil: undefined },
    );
    fc.assert(
      fc.property(
        ids,
        fc.integer({ min: 1, max: 3 }),
        fc.constantFrom('open', 'charging', 'completed', 'canceled'),
        buyer,
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        fc.boolean(),
        (names, quantity, state, who, codes, late, hasAccount, tookNothing) => {
          const session = sessionOf(
            names.map((id) => ({ id, quantity })),
            {
              state,
              buyer: who,
              ...(tookNothing ? { totalMinor: 0 } : {}),
              details: codes ? { codes_sent: true } : {},
              ...(codes ? { notifyUrl: 'https://agent.example/x' } : {}),
            },
          );
          const order = state === 'completed' ? orderOf(session) : undefined;
          const settings = hasAccount ? stripe : links;
          const written = JSON.parse(
            JSON.stringify(acpSession(session, order, settings, late ? session.expiresAtMs : NOW)),
          ) as AcpCheckoutSession;
          expect(official(order ? 'CheckoutSessionWithOrder' : 'CheckoutSession', written)).toEqual([]);
          expect(AcpCheckoutSession.parse(written)).toEqual(written);
          expect(written.continue_url !== undefined).toBe(state === 'open' && !late);
          expect(written.metadata).toEqual(codes ? { order_webhook_url: 'https://agent.example/x' } : undefined);
          const amountOf = (wanted: string): number => written.totals.find(({ type }) => type === wanted)?.amount ?? 0;
          const ofLines = written.line_items.flatMap(({ totals }) => totals.filter(({ type }) => type === 'total'));
          expect(ofLines.reduce((sum, { amount }) => sum + amount, -amountOf('discount'))).toBe(amountOf('total'));
          expect(amountOf('total')).toBe(session.totalMinor);
        },
      ),
      { numRuns: 200 },
    );
  });

  test.each([
    ['open', 'requires_escalation', links, 'review'],
    ['open', 'ready_for_payment', stripe, 'review'],
    ['open', 'requires_escalation', stripe, 'digest'],
    ['open', 'requires_escalation', { ...stripe, commerce: { ...stripe.commerce, merchantId: undefined } }, 'review'],
    ['charging', 'complete_in_progress', stripe, 'review'],
    ['completed', 'completed', links, 'review'],
    ['canceled', 'canceled', links, 'review'],
  ] as const)('%s is told as %s', (state, status, settings, id) => {
    const written = acpSession(sessionOf([{ id }], { state }), undefined, settings as typeof links, NOW);
    expect(written.status).toBe(status);
    expect(written.capabilities.payment.handlers.length).toBe(status === 'ready_for_payment' ? 1 : 0);
    expect(written.messages.some(({ code }) => code === 'approval_required')).toBe(status === 'requires_escalation');
  });

  test('after its time an open session is expired and leads nowhere', () => {
    const session = sessionOf([{ id: 'review' }]);
    expect(acpSession(session, undefined, links, session.expiresAtMs - 1).status).toBe('requires_escalation');
    const written = acpSession(session, undefined, links, session.expiresAtMs);
    expect(written).toMatchObject({ status: 'expired', messages: [{ code: 'expired' }, { type: 'info' }] });
    expect(written.continue_url).toBeUndefined();
  });

  test('one piece leads to the hosted link of its offer with the id of the session, a cart to the page of the session', () => {
    const one = sessionOf([{ id: 'review' }]);
    expect(acpSession(one, undefined, links, NOW).continue_url).toBe(`https://checkout.example/demo/review?client_reference_id=${one.id}`);
    const two = sessionOf([{ id: 'review', quantity: 2 }]);
    expect(acpSession(two, undefined, stripe, NOW).continue_url).toBe(`https://signpost.example/checkout/${two.id}`);
  });

  test('demonstrations and codes are told', () => {
    const written = acpSession(sessionOf([{ id: 'review' }], { details: { codes_sent: true } }), undefined, links, NOW);
    expect(written.messages.map(({ type }) => type)).toEqual(['error', 'warning', 'info']);
    expect(written.line_items[0]?.disclosures).toHaveLength(1);
    const real = sessionOf([{ id: 'review' }]);
    const sold = acpSession({ ...real, lines: real.lines.map((line) => ({ ...line, demo: false })) }, undefined, links, NOW);
    expect(sold.messages.map(({ type }) => type)).toEqual(['error']);
    expect(JSON.stringify(sold)).not.toMatch(/demonstration/);
  });
});

describe('requests', () => {
  const examples = Object.entries(officialAcpExamples()).filter(([name]) => /request/.test(name));
  const schemas = { create: AcpCreateRequest, update: AcpUpdateRequest, complete: AcpCompleteRequest, cancel: AcpCancelRequest };

  test.runIf(official.isHere)('every example of the specification is taken', () => {
    expect(examples.length).toBeGreaterThan(0);
    for (const [name, body] of examples) {
      const [, kind = 'complete'] = /^(create|update|complete|cancel)_/.exec(name) ?? [];
      expect([name, schemas[kind as keyof typeof schemas].safeParse(body).error]).toEqual([name, undefined]);
    }
  });

  test('whatever a line item looks like, the offer and the number of pieces are found', () => {
    const forms = fc
      .record({
        id: fc.constantFrom('review', 'check', 'digest'),
        quantity: fc.option(fc.integer({ min: 1, max: 5_000 }), { nil: undefined }),
      })
      .chain(({ id, quantity }) => {
        const pieces = quantity === undefined ? {} : { quantity };
        return fc.constantFrom<unknown[]>(
          [{ id, ...pieces }, id, quantity],
          [{ item: { id }, ...pieces }, id, quantity],
          [{ id: 'li_1', item: { id, name: 'x' }, ...pieces }, id, quantity],
          [{ id, name: 'A name', description: {}, ...pieces }, id, quantity],
        );
      });
    fc.assert(
      fc.property(fc.array(forms, { minLength: 1, maxLength: 5 }), fc.boolean(), (wanted, legacy) => {
        const body = AcpCreateRequest.parse({ ...ACP_MARKET, [legacy ? 'items' : 'line_items']: wanted.map(([sent]) => sent) });
        const content = acpContent(body, links, TODAY);
        expect(content.ok && content.value.items).toEqual(
          wanted.map(([, id, quantity = 1], index) => ({ id, quantity, pointer: `/${legacy ? 'items' : 'line_items'}/${index}` })),
        );
      }),
    );
  });

  test.each([
    [{ id: 'review', unit_amount: 24_000 }, undefined],
    [{ id: 'review', unit_amount: 23_999 }, '/line_items/0/unit_amount'],
    [{ item: { id: 'check', unit_amount: 0 }, quantity: 2 }, '/line_items/0/item/unit_amount'],
    [{ id: 'no-such-offer', unit_amount: 1 }, undefined],
  ])('a price that is not that of the catalog is refused: %j', (item, pointer) => {
    const content = acpContent(AcpCreateRequest.parse({ ...ACP_MARKET, line_items: [item] }), links, TODAY);
    expect(content.ok ? undefined : content.refusal.errors?.[0]?.pointer).toBe(pointer);
  });

  test.each([
    ['half a piece', { line_items: [{ id: 'review', quantity: 1.5 }] }],
    ['pieces as text', { line_items: [{ id: 'review', quantity: '2' }] }],
    ['a name that turns its reader', { line_items: [{ id: 'review' }], buyer: { email: 'a@b.example', full_name: 'Ada \u202e' } }],
    ['a telephone number of two lines', { line_items: [{ id: 'review' }], buyer: { email: 'a@b.example', phone_number: '1\n2' } }],
    ['an address that is none', { line_items: [{ id: 'review' }], buyer: { email: 'ada@x-.com' } }],
  ])('%s is refused', (_case, body) => {
    expect(AcpCreateRequest.safeParse({ ...ACP_MARKET, line_items: [{ id: 'review' }] }).success).toBe(true);
    expect(AcpCreateRequest.safeParse({ ...ACP_MARKET, ...body }).success).toBe(false);
  });

  test.each([
    ['https://agent.example/hooks?x=1', links, undefined],
    ['https://agent.example:8443/', links, 'must be on a host'],
    ['https://other.example/', links, 'must be on a host'],
    ['http://agent.example/', links, 'must begin with https'],
    ['http://agent.example/', { ...links, baseUrl: 'http://127.0.0.1:8788' }, undefined],
    ['https://user:secret@agent.example/', links, 'must have no user'],
    ['https://agent.example/#x', links, 'must have no user'],
    ['https://agent.example.evil.example/', links, 'must be on a host'],
    ['https://agent.example\\@evil.example/', links, 'must be an https URL'],
    ['ftp://agent.example/', links, 'must be an https URL'],
    ['//agent.example/', links, 'must be an https URL'],
    ['https://\u0430gent.example/', links, 'must be an https URL'],
  ])('the address %s for events', (address, settings, fault) => {
    const body = AcpCreateRequest.parse({ ...ACP_MARKET, line_items: [{ id: 'review' }], metadata: { order_webhook_url: address } });
    const content = acpContent(body, settings as typeof links, TODAY);
    if (fault === undefined) expect(content).toMatchObject({ ok: true, value: { notifyUrl: new URL(address).href } });
    else
      expect(content).toMatchObject({
        ok: false,
        refusal: {
          code: 'invalid_request',
          errors: [{ pointer: '/metadata/order_webhook_url', message: expect.stringContaining(fault) as unknown }],
        },
      });
  });
});

describe('a session in another currency', () => {
  const wheel = soldOffer({
    id: 'wheel',
    currencyOptions: [{ currency: 'EUR', amountMinor: 7_500, checkoutUrl: 'https://checkout.example/eur' }],
  });
  const shop = { ...links, offers: [wheel, soldOffer({ id: 'dollars' })] };
  const asked = (currency: string, more: object = {}) =>
    acpContent(AcpCreateRequest.parse({ line_items: [{ id: 'wheel' }], currency, capabilities: {}, ...more }), shop, TODAY);

  test('is read with the prices of that currency', () => {
    expect(asked('eur')).toMatchObject({ ok: true, value: { currency: 'EUR' } });
    expect(asked('EUR', { line_items: [{ id: 'wheel', unit_amount: 7_500 }] })).toMatchObject({ ok: true });
    expect(asked('eur', { line_items: [{ id: 'wheel', unit_amount: 8_000 }] })).toMatchObject({
      refusal: { errors: [{ pointer: '/line_items/0/unit_amount', message: 'must be 7500, the catalog price' }] },
    });
    expect(asked('chf')).toMatchObject({
      refusal: { code: 'invalid_request', errors: [{ pointer: '/currency', message: 'must be usd or eur' }] },
    });
  });

  test('is written in small letters everywhere, as the official schema has it', () => {
    const cart = payableCart([{ id: 'wheel', quantity: 1, pointer: '/line_items/0' }], shop, TODAY, 'EUR');
    if (!cart.ok) throw new Error(cart.refusal.detail);
    const session = { ...sessionOf([{ id: 'review' }]), currency: 'EUR', lines: cart.value, totalMinor: totalOf(cart.value) };
    const written = acpSession(session, undefined, shop, NOW);
    expect(official('CheckoutSession', JSON.parse(JSON.stringify(written)))).toEqual([]);
    expect(written).toMatchObject({ currency: 'eur', line_items: [{ unit_amount: 7_500 }] });
    expect(written.continue_url).toBe(`https://checkout.example/eur?client_reference_id=${session.id}`);
    const completed: Session = { ...session, state: 'completed' };
    const refunded = acpSession(completed, { ...orderOf(completed), refundedMinor: 500 }, shop, NOW);
    expect(official('CheckoutSessionWithOrder', JSON.parse(JSON.stringify(refunded)))).toEqual([]);
    expect(refunded.order?.adjustments).toMatchObject([{ currency: 'eur', amount: 500 }]);
  });
});
