import { beforeEach, describe, expect, test } from 'vitest';
import { createSession, type SessionResponse } from '../../../../src/gateway/commerce/cart/checkout-sessions.ts';
import { handlePaymentEvent } from '../../../../src/gateway/commerce/orders/handle-payment-event.ts';
import { type FieldError, ok, type Result, refuse, withFurtherErrors } from '../../../../src/gateway/result.ts';
import { ACP_BINDING } from '../../../../src/protocols/acp/http-binding.ts';
import {
  cancelUcpCheckout,
  completeUcpCheckout,
  createUcpCheckout,
  readUcpCheckout,
  type UcpRequest,
  updateUcpCheckout,
  writeUcpCheckout,
} from '../../../../src/protocols/ucp/checkouts.ts';
import { ucpMessages } from '../../../../src/protocols/ucp/http-binding.ts';
import { type UcpCheckout, UcpCheckoutRequest } from '../../../../src/protocols/ucp/ucp-schemas.ts';
import { loadUcpSchemas } from '../../../support/official-schemas.ts';
import { AGENT, checkoutDependenciesFor, paidEvent, requestOf, writeFacts } from '../../../support/orders.ts';
import { useDatabase } from '../../../support/simulated/use-database.ts';
import { soldOffer } from '../../../support/sold-offer.ts';

const schemas = loadUcpSchemas();
const NOW = Date.UTC(2027, 0, 1);
const BUYER = { first_name: 'Jo', last_name: 'B', email: 'jo@b.example', phone_number: '+12025550123' };
const database = useDatabase(NOW);
let clock: { nowMs: number };
beforeEach(() => {
  clock = { nowMs: NOW };
});

const setUp = (processor?: 'stripe') =>
  checkoutDependenciesFor(database.binding(), clock, processor === undefined ? undefined : ({} as never));
type Deps = ReturnType<typeof setUp>;
const from = (idempotencyKey?: string, sentBody: unknown = {}): UcpRequest => ({
  profile: 'https://agent.example/profile',
  idempotencyKey,
  sentBody,
});
const cart = (...items: (readonly [id: string, quantity: number])[]) => ({
  line_items: items.map(([id, quantity]) => ({ item: { id }, quantity })),
});
const create = (body: object, deps: Deps, key?: string): Promise<Result<SessionResponse>> => {
  expect(schemas?.requestFaults('create', 'shopping/checkout.json', body) ?? []).toEqual([]);
  return createUcpCheckout(UcpCheckoutRequest.parse(body), from(key, body), deps);
};
const documentIn = <T>(answer: Result<SessionResponse>, schema: string): T => {
  if (!answer.ok) throw new Error(answer.refusal.code);
  const document: unknown = JSON.parse(answer.value.body);
  expect(schemas?.faults(schema, document) ?? []).toEqual([]);
  return document as T;
};
const checkoutIn = (answer: Result<SessionResponse>) => documentIn<UcpCheckout>(answer, 'shopping/checkout.json');
const errorIn = (answer: Result<SessionResponse>) => {
  expect(answer).toMatchObject({ value: { status: 200 } });
  return documentIn<{ messages: { code: string }[]; continue_url: string }>(answer, 'common/types/error_response.json');
};

describe('a checkout', () => {
  test('waits for a person, who pays exactly its total on the hosted link that names it', async () => {
    const answer = await create({ ...cart(['check', 1]), buyer: { ...BUYER, loyalty: 'gold' }, discounts: { codes: ['10OFF'] } }, setUp());
    const checkout = checkoutIn(answer);
    expect(answer).toMatchObject({ value: { status: 201 } });
    expect(checkout).toMatchObject({
      ucp: { version: '2026-08-25', status: 'success', payment_handlers: {} },
      status: 'requires_escalation',
      currency: 'USD',
      continue_url: `https://checkout.example/demo/review?client_reference_id=${checkout.id}`,
      line_items: [{ item: { id: 'review', price: 24_000 }, quantity: 1 }],
      buyer: BUYER,
      expires_at: '2027-01-02T00:00:00.000Z',
    });
    expect(checkout.totals.map(({ type, amount }) => [type, amount])).toEqual([
      ['subtotal', 24_000],
      ['total', 24_000],
    ]);
    expect(checkout.messages?.map(({ code, severity }) => [code, severity])).toEqual([
      ['member_ignored', undefined],
      ['member_ignored', undefined],
      ['payment_required', 'requires_buyer_input'],
      ['demonstration', undefined],
    ]);
    const ignored = checkout.messages?.slice(0, 2).map(({ content }) => content.split(' ')[2]);
    expect(ignored).toEqual(['buyer.loyalty', 'discounts']);
  });

  test('that is sent back as it was read has no unknown members', async () => {
    const deps = setUp();
    const checkout = checkoutIn(await create(cart(['review', 1]), deps));
    const updated = checkoutIn(await updateUcpCheckout(checkout.id, UcpCheckoutRequest.parse(checkout), from(), deps));
    expect(updated.messages).toEqual(checkout.messages);
  });

  test('is completed by the payment, and then has its order', async () => {
    const deps = setUp();
    const { id } = checkoutIn(await create(cart(['review', 1]), deps));
    expect(await handlePaymentEvent(paidEvent(id, 24_000), deps)).toMatchObject({ value: 'applied' });
    const checkout = checkoutIn(await readUcpCheckout(id, deps));
    expect(checkout).toMatchObject({
      status: 'completed',
      order: { permalink_url: expect.stringMatching(/^https:\/\/signpost\.example\/orders\/rct_[0-9a-f]{32}$/) },
    });
    expect(checkout.continue_url).toBeUndefined();
    expect(await cancelUcpCheckout(id, from(), deps)).toMatchObject({ ok: false, refusal: { code: 'session_closed' } });
  });

  test('of a demonstration that took nothing says why its total is not that of its lines', async () => {
    const deps = setUp();
    const { id } = checkoutIn(await create(cart(['review', 1]), deps));
    const { session } = await deps.store.load(undefined, id, NOW);
    if (session === undefined) throw new Error('the session is not stored');
    const body = JSON.stringify(writeUcpCheckout({ ...session, state: 'completed', totalMinor: 0 }, undefined, deps.deployment, NOW));
    const { totals, line_items: lines } = checkoutIn(ok({ status: 200, body, isReplay: false }));
    const sum = lines.reduce((whole, { totals: [price] }) => whole + (price?.amount ?? 0), 0);
    expect(totals.map(({ type, amount }) => [type, amount])).toEqual([
      ['subtotal', sum],
      ['discount', -sum],
      ['total', 0],
    ]);
  });

  test('leads to the page of the cart once its hosted link would charge another price, or is gone', async () => {
    const deps = setUp();
    const { id } = checkoutIn(await create(cart(['review', 1]), deps));
    const page = 'https://signpost.example/checkout?items=review:1';
    for (const offers of [
      [soldOffer({ id: 'review', amountMinor: 25_000 })],
      [soldOffer({ id: 'review', amountMinor: 24_000, cadence: 'monthly' })],
      [],
    ])
      expect(checkoutIn(await readUcpCheckout(id, { ...deps, deployment: { ...deps.deployment, offers } })).continue_url).toBe(page);
  });

  test('is never completed by an instrument: the answer says where it is paid', async () => {
    const deps = setUp();
    const { id } = checkoutIn(await create(cart(['review', 1]), deps));
    const instruments = [{ id: 'i', handler_id: 'h', type: 'card', credential: { type: 'token', token: 'tok_secret' } }];
    const answer = await completeUcpCheckout(id, from('6e7f0a10-0000-4000-8000-000000000001', { payment: { instruments } }), deps);
    expect(checkoutIn(answer)).toMatchObject({
      status: 'requires_escalation',
      messages: [
        { code: 'payment_unsupported', severity: 'requires_buyer_input' },
        { code: 'payment_required' },
        { code: 'demonstration' },
      ],
    });
    expect(JSON.stringify([database.look('SELECT * FROM checkout_sessions'), database.look('SELECT * FROM idempotency')])).not.toContain(
      'tok_secret',
    );
    expect(database.look('SELECT count(*) AS n FROM orders')).toEqual([{ n: 0 }]);
    expect(await completeUcpCheckout(id, from('6e7f0a10-0000-4000-8000-000000000001', {}), deps)).toMatchObject({
      refusal: { code: 'idempotency_conflict' },
    });
  });

  test('is another content after an update, and the same with the reason where that cannot be sold', async () => {
    const deps = setUp();
    const { id } = checkoutIn(await create({ ...cart(['review', 1]), buyer: { last_name: 'B' } }, deps));
    const update = (body: object) => {
      expect(schemas?.requestFaults('update', 'shopping/checkout.json', body) ?? []).toEqual([]);
      return updateUcpCheckout(id, UcpCheckoutRequest.parse(body), from(undefined, body), deps);
    };
    const changed = checkoutIn(await update(cart(['digest', 1])));
    expect(changed).toMatchObject({
      ucp: { status: 'success' },
      line_items: [{ item: { id: 'digest' } }],
      messages: [{}, {}, { code: 'recurring_price', path: '$.line_items[0]' }],
    });
    expect(changed.buyer).toBeUndefined();
    const refused = checkoutIn(await update(cart(['digest', 1], ['unknown', 1])));
    expect(refused).toMatchObject({
      ucp: { status: 'error', payment_handlers: {} },
      line_items: [{ item: { id: 'digest' } }],
      messages: [{ type: 'error', code: 'item_unavailable', severity: 'recoverable', path: '$.line_items[1]' }, {}, {}, {}],
    });
    for (const [body, code] of [
      [cart(['digest', 3]), 'quantity_exceeded'],
      [inUnit({ unit: 'KGM', display_text: 'kg' }), 'quantity_unit_mismatch'],
    ] as const)
      expect(checkoutIn(await update(body))).toMatchObject({
        ucp: { status: 'error' },
        line_items: [{ item: { id: 'digest' }, quantity: 1 }],
        messages: [{ code, severity: 'recoverable' }, {}, {}, {}],
      });
    expect(checkoutIn(await readUcpCheckout(id, deps)).ucp.status).toBe('success');
  });
});

const inUnit = (quantity_unit: object) => ({ line_items: [{ item: { id: 'review', quantity_unit }, quantity: 1 }] });

describe('what cannot be sold in one session is an outcome with the page of the cart', () => {
  test.each([
    ['two pieces', cart(['review', 2]), 'quantity_exceeded', 'https://signpost.example/checkout?items=review:2'],
    ['two offers', cart(['review', 1], ['notes', 1]), 'quantity_exceeded', 'https://signpost.example/checkout?items=review:1,notes:1'],
    ['very many pieces', cart(['review', 9_007_199_254_740_991]), 'quantity_exceeded', 'https://signpost.example/buy'],
    ['an unknown offer', cart(['x', 1]), 'item_unavailable', 'https://signpost.example/buy'],
    ['an offer of before', cart(['past', 1]), 'item_unavailable', 'https://signpost.example/buy'],
    ['kilograms', inUnit({ unit: 'KGM', scale: 2, display_text: 'kg' }), 'quantity_unit_mismatch', 'https://signpost.example/buy'],
    ['grams', inUnit({ unit: 'GRM', display_text: 'g' }), 'quantity_unit_mismatch', 'https://signpost.example/buy'],
  ])('%s', async (_what, body, code, page) => {
    const error = errorIn(await create(body, setUp()));
    expect(error).toMatchObject({ ucp: { status: 'error' }, continue_url: page });
    expect(error.messages[0]).toMatchObject({ code, severity: 'unrecoverable', path: expect.stringMatching(/^\$\.line_items\[0\]/) });
    expect(database.look('SELECT count(*) AS n FROM checkout_sessions')).toEqual([{ n: 0 }]);
  });

  test('but for the piece as a unit', async () => {
    expect(checkoutIn(await create(inUnit({ unit: 'C62', scale: 0, display_text: 'x' }), setUp())).status).toBe('requires_escalation');
  });

  test('where the processor makes a checkout for it, it can', async () => {
    const checkout = checkoutIn(await create(cart(['review', 2], ['notes', 1]), setUp('stripe')));
    expect(checkout.continue_url).toBe(`https://signpost.example/checkout/${checkout.id}`);
    expect(checkout.ucp.payment_handlers).toEqual({});
  });
});

describe('sessions', () => {
  test('of others, and ids that nobody has, are answered alike', async () => {
    const deps = setUp();
    const other = await createSession(
      requestOf('create', 'k'),
      { items: [{ id: 'review', quantity: 1, pointer: '/0' }] },
      AGENT,
      writeFacts,
      deps,
    );
    const { id } = JSON.parse(other.ok ? other.value.body : '{}') as { id: string };
    for (const unknown of [id, `cs_${'0'.repeat(32)}`, 'x']) {
      const answers = [
        await readUcpCheckout(unknown, deps),
        await cancelUcpCheckout(unknown, from(), deps),
        await completeUcpCheckout(unknown, from(), deps),
        await updateUcpCheckout(unknown, UcpCheckoutRequest.parse(cart(['review', 1])), from(), deps),
      ];
      for (const answer of answers) expect(errorIn(answer)).toMatchObject({ messages: [{ code: 'not_found', severity: 'unrecoverable' }] });
    }
  });

  test('are opened once for an idempotency key, which belongs to a platform from whatever network', async () => {
    const deps = setUp();
    const key = '6e7f0a10-0000-4000-8000-000000000002';
    const body = UcpCheckoutRequest.parse(cart(['review', 1]));
    const send = (more: Partial<UcpRequest>, network = deps.network) =>
      createUcpCheckout(body, { ...from(key, body), ...more }, { ...deps, network });
    const [one, two] = [checkoutIn(await send({})), checkoutIn(await send({}, '198.51.100.0'))];
    expect(two.id).toBe(one.id);
    expect(await send({ sentBody: cart(['digest', 1]) })).toMatchObject({ refusal: { code: 'idempotency_conflict' } });
    expect(checkoutIn(await send({ profile: 'https://other.example/profile' })).id).not.toBe(one.id);
    expect(checkoutIn(await send({ idempotencyKey: undefined })).id).not.toBe(one.id);
  });
});

describe('a checkout in another currency', () => {
  const wheel = soldOffer({
    id: 'wheel',
    currencyOptions: [
      { currency: 'EUR', amountMinor: 7_500, checkoutUrl: 'https://checkout.example/eur' },
      { currency: 'JPY', amountMinor: 12_000 },
    ],
  });
  const shop = (processor?: 'stripe') => {
    const deps = setUp(processor);
    return { ...deps, deployment: { ...deps.deployment, offers: [wheel, soldOffer({ id: 'dollars' })] } };
  };
  const asked = (currency: string, ...ids: string[]) => ({ ...cart(...ids.map((id) => [id, 1] as const)), context: { currency } });

  test('has its prices in the preferred currency, and leads to the link that charges it', async () => {
    const deps = shop();
    const checkout = checkoutIn(await create(asked('EUR', 'wheel'), deps));
    expect(checkout).toMatchObject({
      currency: 'EUR',
      line_items: [{ item: { price: 7_500 } }],
      continue_url: `https://checkout.example/eur?client_reference_id=${checkout.id}`,
    });
    // Of a payment the currency counts as much as the amount.
    expect(await handlePaymentEvent(paidEvent(checkout.id, 7_500, { id: 'evt_usd', reference: 'pi_usd' }), deps)).toMatchObject({
      value: 'amount_differs',
    });
    expect(await handlePaymentEvent(paidEvent(checkout.id, 7_500, { currency: 'EUR' }), deps)).toMatchObject({ value: 'applied' });
  });

  test('is in US dollars where nothing charges the preferred one, and says so', async () => {
    for (const currency of ['JPY', 'GBP', 'nonsense']) {
      const checkout = checkoutIn(await create(asked(currency, 'wheel'), shop()));
      expect(checkout).toMatchObject({ currency: 'USD', line_items: [{ item: { price: 8_000 } }] });
      expect(checkout.messages?.find(({ code }) => code === 'currency_not_offered')?.content).toContain(
        'Currencies of the catalog: USD, EUR.',
      );
    }
  });

  test('never mixes: one item without a price in it is enough', async () => {
    const checkout = checkoutIn(await create(asked('EUR', 'wheel', 'dollars'), shop('stripe')));
    expect(checkout).toMatchObject({ currency: 'USD', totals: [{ amount: 16_000 }, { amount: 16_000 }] });
    expect(checkout.messages?.some(({ code }) => code === 'currency_not_offered')).toBe(true);
  });

  test('is created by the payment processor where no link charges it', async () => {
    const checkout = checkoutIn(await create(asked('JPY', 'wheel'), shop('stripe')));
    expect(checkout).toMatchObject({ currency: 'JPY', totals: [{ amount: 12_000 }, { amount: 12_000 }] });
    expect(checkout.continue_url).toBe(`https://signpost.example/checkout/${checkout.id}`);
  });

  test('changes to another currency as a whole', async () => {
    const deps = shop();
    const { id } = checkoutIn(await create(asked('EUR', 'wheel'), deps));
    const changed = await updateUcpCheckout(id, UcpCheckoutRequest.parse(cart(['wheel', 1])), from(), deps);
    expect(checkoutIn(changed)).toMatchObject({ currency: 'USD', line_items: [{ item: { price: 8_000 } }] });
  });
});

test('ucpMessages() writes a path and no JSON Pointer into texts for people', () => {
  const errors = [
    { pointer: '/line_items/0/quantity', message: 'must be at least 1' },
    { pointer: '/buyer', message: 'is unknown' },
  ];
  const detail = 'The body has 2 faults. The first: /line_items/0/quantity must be at least 1.';
  expect(ucpMessages({ code: 'invalid_request', detail, errors }, 'recoverable')).toMatchObject([
    { path: '$.line_items[0].quantity', content: 'The body has 2 faults. The first: line_items[0].quantity must be at least 1.' },
    { path: '$.buyer', content: 'buyer is unknown.' },
  ]);
});

test('the errors of other parts of a request are all named after a refusal that has none of its own', () => {
  const errors: FieldError[] = [
    { pointer: '/currency', message: 'is missing' },
    { pointer: '/line_items', message: 'is missing' },
  ];
  const refusal = withFurtherErrors(refuse('api_key_expired', 'The key has expired.').refusal, errors);
  expect(ucpMessages(refusal, 'recoverable').map(({ path, content }) => [path, content])).toEqual([
    [undefined, 'The key has expired.'],
    ['$.currency', 'currency is missing.'],
    ['$.line_items', 'line_items is missing.'],
  ]);
  const acp = ACP_BINDING.errorBody(refusal, '');
  expect(acp).toMatchObject({ message: 'The key has expired. Also: /currency is missing. /line_items is missing.' });
  expect(acp).not.toHaveProperty('param');
});
