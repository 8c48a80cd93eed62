import { describe, expect, test } from 'vitest';
import { LIMITS, QUOTAS } from '../../../src/schemas/limits.ts';
import { ACP_MARKET, ACP_SESSIONS, type AcpSender, acpErrorOf, acpHeaders } from '../../support/acp.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

const gateway = useInProcessGateway();
const create = async (body: object, sender: AcpSender = {}): Promise<Response> =>
  gateway.post(ACP_SESSIONS, { ...ACP_MARKET, ...body }, await acpHeaders(sender));
const item = { id: SAMPLE_OFFER.id };
const sessions = async (): Promise<unknown> => {
  return gateway.state().prepare('SELECT count(*) AS n FROM checkout_sessions').first('n');
};

describe('createCheckoutSession 400 invalid_request', () => {
  test.each<[string, object, string]>([
    ['nothing wanted', {}, '$.line_items'],
    ['an empty list', { line_items: [] }, '$.line_items'],
    ['an item without an offer', { line_items: [item, {}] }, '$.line_items[1]'],
    ['no piece', { items: [{ ...item, quantity: 0 }] }, '$.items[0].quantity'],
    ['items under both names', { line_items: [item], items: [item] }, '$.items'],
    ['too many items', { line_items: Array.from({ length: LIMITS.cartItemsMax + 1 }, () => item) }, '$.line_items'],
    ['no currency', { line_items: [item], currency: undefined }, '$.currency'],
    ['another currency', { line_items: [item], currency: 'eur' }, '$.currency'],
    ['no capabilities', { line_items: [item], capabilities: undefined }, '$.capabilities'],
    ['a delivery address that is none', { line_items: [item], fulfillment_details: 'Main Street' }, '$.fulfillment_details'],
    ['another price', { line_items: [{ ...item, unit_amount: 1 }] }, '$.line_items[0].unit_amount'],
    ['a buyer without an address', { line_items: [item], buyer: { first_name: 'A' } }, '$.buyer.email'],
    [
      'a host for events that is not allowed',
      { line_items: [item], metadata: { order_webhook_url: 'https://evil.example/' } },
      '$.metadata.order_webhook_url',
    ],
    ['an address for events that is none', { line_items: [item], metadata: { order_webhook_url: 7 } }, '$.metadata.order_webhook_url'],
  ])('%s', async (_case, body, param) => {
    const before = await sessions();
    const response = await create(body);
    expect(response.status).toBe(400);
    expect(await acpErrorOf(response)).toMatchObject({ type: 'invalid_request', code: 'invalid_request', param });
    expect(await sessions()).toBe(before);
  });
});

test.each(['no-such-offer', 'constructor', '../evidence-review', 'Evidence-Review', ' evidence-review'])(
  'createCheckoutSession 400 offer_not_found: %s',
  async (id) => {
    const error = await acpErrorOf(await create({ line_items: [item, { id }] }));
    expect(error).toMatchObject({ type: 'invalid_request', code: 'invalid_item_id', param: '$.line_items[1]' });
    expect(error.message).not.toContain('..');
    expect(error.message).toContain(`No offer is called "${/^[\w-]+$/.test(id) ? id : '(not repeated here)'}".`);
  },
);

test.each([
  ['two pieces', [{ ...item, quantity: 2 }]],
  ['two offers', [item, { id: 'weekly-digest' }]],
  ['the same offer twice', [item, item]],
  ['more pieces than can be bought at once', [{ ...item, quantity: LIMITS.quantityMax + 1 }]],
])(
  'createCheckoutSession 400 cart_refused: %s cannot be paid by a hosted link, and the way that is left is told',
  async (_case, line_items) => {
    const response = await create({ line_items });
    expect(response.status).toBe(400);
    const error = await acpErrorOf(response);
    expect(error).toMatchObject({ type: 'invalid_request', code: 'quantity_exceeded' });
    expect(error.param).toBe(line_items.length === 1 ? '$.line_items[0]' : '$.line_items');
    expect(error.message).not.toContain('/line_items');
    expect(error.message).toMatch(/checkout\?items=evidence-review:|At most 999/);
  },
);

test('createCheckoutSession 429 quota_exceeded: an agent opens exactly the published number in a day; repetitions and refused requests count nothing', async () => {
  const [agent, nowMs] = ['00000000000000b2', Date.UTC(2027, 0, 1, 22)];
  const database = gateway.state();
  expect((await create({ line_items: [item] }, { agent, nowMs, idempotencyKey: 'one' })).status).toBe(201);
  await create({ line_items: [item] }, { agent, nowMs, idempotencyKey: 'one' });
  await create({ line_items: [{ id: 'none' }] }, { agent, nowMs });
  expect(await database.prepare("SELECT count FROM quotas WHERE name = 'checkouts' AND subject = ?1").bind(agent).first('count')).toBe(1);
  await database
    .prepare("UPDATE quotas SET count = ?1 WHERE name = 'checkouts' AND subject = ?2")
    .bind(QUOTAS.checkouts.requests - 1, agent)
    .run();
  expect((await create({ line_items: [item] }, { agent, nowMs })).status).toBe(201);
  const refused = await create({ line_items: [item] }, { agent, nowMs });
  expect(refused.headers.get('retry-after')).toBe('7200');
  expect(await acpErrorOf(refused)).toMatchObject({ type: 'service_unavailable', code: 'quota_exceeded' });
  expect((await create({ line_items: [item] }, { agent, nowMs: nowMs + 7_200_000 })).status).toBe(201);
});
