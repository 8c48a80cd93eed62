import { describe, expect, test } from 'vitest';
import { AcpCheckoutSession } from '../../../src/protocols/acp/acp-schemas.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { ACP_SESSIONS, type AcpSender, acpHeaders } from '../../support/acp.ts';
import { expectSharedHeaders } from '../../support/expect-problem.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { officialAcp } from '../../support/official-schemas.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { sampleGuide } from '../../support/sample-guide.ts';

const official = officialAcp();
const gateway = useInProcessGateway({ blocks: 'none' });
const create = async (body: unknown, sender: AcpSender = {}): Promise<Response> =>
  gateway.post(ACP_SESSIONS, body, await acpHeaders(sender));
const created = async (body: unknown, sender: AcpSender = {}): Promise<AcpCheckoutSession> => {
  const response = await create(body, sender);
  const text = await response.text();
  expect([response.status, text]).toEqual([201, text]);
  const session = AcpCheckoutSession.parse(JSON.parse(text));
  expect(official('CheckoutSession', session)).toEqual([]);
  return session;
};
const ONE = { line_items: [{ id: SAMPLE_OFFER.id }], currency: 'usd', capabilities: {} };
const rows = async (sql: string) => (await gateway.state().prepare(sql).all<Record<string, unknown>>()).results;

describe('createCheckoutSession 201 application/json', () => {
  test('a session sends its buyer to the hosted link of the offer, with the id by which the payment finds it', async () => {
    expect(official('CheckoutSessionCreateRequest', ONE)).toEqual([]);
    const response = await create(ONE, { idempotencyKey: 'first-session' });
    expect(response.status).toBe(201);
    expect(response.headers.get('cache-control')).toBe('no-store');
    expect(response.headers.get('idempotency-key')).toBe('first-session');
    expect(response.headers.get('request-id')).toBe('req-first-session');
    expect(response.headers.get('idempotent-replayed')).toBeNull();
    expectSharedHeaders(response.headers);
    const session = AcpCheckoutSession.parse(await response.json());
    expect(official('CheckoutSession', session)).toEqual([]);
    expect(session).toMatchObject({
      status: 'requires_escalation',
      currency: 'usd',
      capabilities: { payment: { handlers: [] } },
      continue_url: `${TEST_BASE_URL}/checkout/${session.id}`,
      links: ['terms', 'privacy', 'refunds', 'contact'].map((page) => ({ url: `${TEST_BASE_URL}/${page}` })),
    });
    expect(session.messages.map(({ code }) => code)).toEqual(['approval_required', undefined]);
    expect(Date.parse(session.expires_at) - Date.parse(session.created_at)).toBe(LIMITS.sessionHours * 3_600_000);
  });

  test('the request and the answer of the guide are true', async () => {
    const guide = await sampleGuide('agentic-commerce');
    const body = JSON.parse(/-d '(\{"line_items.*\})'/.exec(guide)?.[1] ?? '') as unknown;
    const shown = JSON.parse(/```json\n(\{\n {2}"id": "cs_…"[\s\S]*?)```/.exec(guide)?.[1] ?? '') as AcpCheckoutSession;
    const session = await created(body);
    const plain = JSON.parse(JSON.stringify(session).replaceAll(session.id, 'cs_…')) as AcpCheckoutSession;
    expect({ ...plain, messages: plain.messages.filter(({ type }) => type !== 'info') }).toMatchObject(
      JSON.parse(JSON.stringify(shown)) as Record<string, unknown>,
    );
  });

  test('members that are unknown are named in messages, and those of a session that is sent back are not', async () => {
    const session = await created({
      ...ONE,
      quantity: 2,
      buyer: { email: 'ada@example.com', e_mail: 'x' },
      status: 'open',
      metadata: { own: 1 },
    });
    expect(session.messages.slice(2)).toEqual(
      [
        ['$.quantity', 'The member quantity is unknown and was ignored.'],
        ['$.buyer.e_mail', 'The member buyer.e_mail is unknown and was ignored.'],
      ].map(([param, content]) => ({ type: 'info', param, content_type: 'plain', content })),
    );
  });

  test('everything that the protocol allows in a request is taken, and the buyer is kept', async () => {
    const address = { name: 'A', line_one: '1', city: 'C', state: 'S', country: 'US', postal_code: '1' };
    const body = {
      ...ONE,
      buyer: { email: 'ada@example.com', first_name: 'Ada', last_name: 'Example', phone_number: '+1 202 555 0123', company: { name: 'X' } },
      fulfillment_details: { name: 'A', address },
      fulfillment_groups: [{ id: 'g', item_ids: ['x'], destination_type: 'digital' }],
      affiliate_attribution: { provider: 'p', token: 't' },
      coupons: ['SAVE'],
      discounts: { codes: ['SAVE'] },
      locale: 'de-DE',
      timezone: 'Europe/Berlin',
      quote_id: 'q',
      metadata: { anything: { at: ['all'] } },
      order_notes: 'n'.repeat(5_000),
      capabilities: { interventions: { supported: ['3ds'] }, extensions: ['discount'] },
    };
    expect(official('CheckoutSessionCreateRequest', body)).toEqual([]);
    const session = await created(body);
    expect(session.buyer).toEqual({ email: 'ada@example.com', first_name: 'Ada', last_name: 'Example', phone_number: '+1 202 555 0123' });
    expect(session.messages.some(({ code }) => code === 'discount_code_invalid')).toBe(true);
    expect(JSON.stringify(session)).not.toMatch(/SAVE|anything|Berlin/);
  });

  test('the same key of another agent, and another key, are other sessions', async () => {
    const ids = [
      (await created(ONE, { agent: '00000000000000a3', idempotencyKey: 'k' })).id,
      (await created(ONE, { agent: '00000000000000a4', idempotencyKey: 'k' })).id,
      (await created(ONE, { agent: '00000000000000a4', idempotencyKey: 'l' })).id,
    ];
    expect(new Set(ids).size).toBe(3);
  });

  test('the database holds no key of an agent and no Idempotency-Key', async () => {
    await created(ONE, { idempotencyKey: 'not-kept-anywhere' });
    const text = JSON.stringify(
      await Promise.all(['checkout_sessions', 'order_log', 'idempotency'].map((table) => rows(`SELECT * FROM ${table}`))),
    );
    expect(text).toContain(SAMPLE_OFFER.id);
    expect(text).not.toMatch(/akg_|not-kept-anywhere/);
  });
});
