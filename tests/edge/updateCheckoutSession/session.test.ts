import { describe, expect, test } from 'vitest';
import { AcpCheckoutSession } from '../../../src/protocols/acp/acp-schemas.ts';
import { ACP_MARKET, ACP_SESSIONS, type AcpSender, acpErrorOf, acpHeaders, acpSessionPath, openAcpSession } from '../../support/acp.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { officialAcp } from '../../support/official-schemas.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

const official = officialAcp();
const gateway = useInProcessGateway();
const open = (sender: AcpSender = {}): Promise<string> => openAcpSession(gateway, sender);
const update = async (id: string, body: unknown, sender: AcpSender = {}): Promise<Response> =>
  gateway.post(acpSessionPath(id), body, await acpHeaders(sender));
const updated = async (id: string, body: unknown, sender: AcpSender = {}): Promise<AcpCheckoutSession> => {
  const response = await update(id, body, sender);
  const text = await response.text();
  expect([response.status, text]).toEqual([200, text]);
  const session = AcpCheckoutSession.parse(JSON.parse(text));
  expect(official('CheckoutSession', session)).toEqual([]);
  return session;
};

describe('updateCheckoutSession 200 application/json', () => {
  test('what is left out stays, and null takes a buyer back', async () => {
    const id = await open();
    const named = await updated(id, { buyer: { email: 'ada@example.com', full_name: 'Ada' } });
    expect(named).toMatchObject({
      id,
      buyer: { email: 'ada@example.com', full_name: 'Ada' },
      line_items: [{ item: { id: SAMPLE_OFFER.id } }],
    });
    const other = await updated(id, { line_items: [{ id: 'weekly-digest' }] });
    expect(other).toMatchObject({ id, buyer: { email: 'ada@example.com' }, line_items: [{ item: { id: 'weekly-digest' } }] });
    expect(other.continue_url).toBe(`${TEST_BASE_URL}/checkout/${id}`);
    expect((await updated(id, { buyer: null })).buyer).toBeUndefined();
  });

  test('an update of nothing, and all that the protocol allows in one, changes nothing', async () => {
    const id = await open();
    const body = {
      fulfillment_details: { email: 'a@example.com' },
      selected_fulfillment_options: [{ type: 'digital', option_id: 'digital', item_ids: [SAMPLE_OFFER.id] }],
      discounts: { codes: [] },
      coupons: [],
      order_notes: 'x',
    };
    expect(official('CheckoutSessionUpdateRequest', body)).toEqual([]);
    const { updated_at: _first, ...first } = await updated(id, {});
    const { updated_at: _second, ...second } = await updated(id, body);
    expect(second).toEqual(first);
  });

  test('a repetition gets the answer of before, although the session has changed since; the key is free for another session', async () => {
    const [id, another, sender] = [await open(), await open(), { idempotencyKey: 'one' }];
    const body = { buyer: { email: 'one@example.com' } };
    const text = await (await update(id, body, sender)).text();
    await updated(id, { buyer: { email: 'two@example.com' } });
    const again = await update(id, body, sender);
    expect([again.status, await again.text(), again.headers.get('idempotent-replayed')]).toEqual([200, text, 'true']);
    expect((await updated(id, {})).buyer).toEqual({ email: 'two@example.com' });
    expect((await updated(another, body, sender)).id).toBe(another);
  });

  test('ten at once are all stored, one after the other', async () => {
    const id = await open();
    const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => update(id, { buyer: { email: `n${index}@example.com` } })));
    const stored = answers.filter(({ status }) => status === 200).length;
    const database = gateway.state();
    const revision = await database.prepare('SELECT revision FROM checkout_sessions WHERE id = ?1').bind(id).first('revision');
    expect(revision).toBe(1 + stored);
    for (const answer of answers) if (answer.status !== 200) expect((await acpErrorOf(answer)).code).toBe('idempotency_in_flight');
  });
});

describe('updateCheckoutSession 400 invalid_request', () => {
  test.each([
    [{ currency: 'eur' }, '$.currency'],
    [{ currency: null }, '$.currency'],
    [{ capabilities: 5 }, '$.capabilities'],
    [{ capabilities: null }, '$.capabilities'],
  ])('what is refused when a session is opened is refused here: %j', async (body, param) => {
    const refused = { status: 400, code: 'invalid_request', param };
    expect(await acpErrorOf(await update(await open(), body))).toMatchObject(refused);
    const line_items = [{ id: SAMPLE_OFFER.id }];
    expect(await acpErrorOf(await gateway.post(ACP_SESSIONS, { ...ACP_MARKET, line_items, ...body }, await acpHeaders()))).toMatchObject(
      refused,
    );
  });

  test('and what is taken there is taken here', async () => {
    expect((await updated(await open(), { currency: 'USD', capabilities: {} })).currency).toBe('usd');
  });
});

test('updateCheckoutSession 400 offer_not_found: leaves the session as it was', async () => {
  const id = await open();
  const refused = await acpErrorOf(await update(id, { line_items: [{ id: 'none' }] }));
  expect(refused).toMatchObject({ status: 400, code: 'invalid_item_id', param: '$.line_items[0]' });
  expect((await updated(id, {})).line_items[0]?.item.id).toBe(SAMPLE_OFFER.id);
});

test('updateCheckoutSession 400 cart_refused: more than one piece, where hosted links alone are paid', async () => {
  const refused = await acpErrorOf(await update(await open(), { items: [{ id: SAMPLE_OFFER.id, quantity: 3 }] }));
  expect(refused).toMatchObject({ status: 400, code: 'quantity_exceeded', param: '$.items[0]' });
});

test('updateCheckoutSession 409 session_closed: a session that was canceled, and one whose time is over', async () => {
  const [canceled, late] = [await open(), await open()];
  await gateway.post(acpSessionPath(canceled, 'cancel'), {}, await acpHeaders());
  expect(await acpErrorOf(await update(canceled, {}))).toMatchObject({ status: 409, type: 'invalid_request', code: 'session_closed' });
  const tomorrow = Date.now() + 25 * 3_600_000;
  expect(await acpErrorOf(await update(late, {}, { nowMs: tomorrow }))).toMatchObject({ status: 409, code: 'session_closed' });
});
