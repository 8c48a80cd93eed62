import { describe, expect, test } from 'vitest';
import { AcpCheckoutSession } from '../../../src/protocols/acp/acp-schemas.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { ACP_MARKET, ACP_SESSIONS, type AcpSender, acpHeaders, acpSessionPath } from '../../support/acp.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { officialAcp } from '../../support/official-schemas.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { chargeRefunded, checkoutCompleted, signedMessage } from '../../support/stripe-messages.ts';

const official = officialAcp();
const gateway = useInProcessGateway();
const created = async (sender: AcpSender = {}): Promise<AcpCheckoutSession> =>
  AcpCheckoutSession.parse(
    await (await gateway.post(ACP_SESSIONS, { ...ACP_MARKET, line_items: [{ id: SAMPLE_OFFER.id }] }, await acpHeaders(sender))).json(),
  );
const read = async (id: string, sender: AcpSender = {}): Promise<Response> =>
  gateway.fetch(acpSessionPath(encodeURIComponent(id)), { headers: await acpHeaders(sender) });
const told = async (message: Parameters<typeof signedMessage>[0]): Promise<void> => {
  const response = await gateway.fetch(PATHS.stripeWebhook, signedMessage(message, { atMs: Date.now() }));
  expect([response.status, await response.text()]).toEqual([200, expect.any(String)]);
};

describe('getCheckoutSession 200 application/json', () => {
  test('a session is told as it was answered when it was opened', async () => {
    const session = await created();
    const response = await read(session.id);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(await response.json()).toEqual(session);
  });

  test('once the processor reports its payment it has its order, and later what was paid back', async () => {
    const { id } = await created();
    await told(checkoutCompleted(id, 12_000));
    const paid = AcpCheckoutSession.parse(await (await read(id)).json());
    expect(official('CheckoutSessionWithOrder', paid)).toEqual([]);
    expect(paid).toMatchObject({
      status: 'completed',
      order: { checkout_session_id: id, adjustments: [], support: { help_center_url: `${TEST_BASE_URL}/contact` } },
    });
    expect(paid.order?.permalink_url).toMatch(new RegExp(`^${TEST_BASE_URL}/orders/rct_[0-9a-f]{32}$`));
    expect(paid.order?.line_items[0]?.title).toContain('demonstration');
    expect(paid.continue_url).toBeUndefined();
    for (const [amount, status] of [
      [5_000, 'confirmed'],
      [12_000, 'canceled'],
    ] as const) {
      await told(chargeRefunded(`pi_of_${id}`, amount));
      const refunded = AcpCheckoutSession.parse(await (await read(id)).json());
      expect(official('CheckoutSessionWithOrder', refunded)).toEqual([]);
      expect(refunded.order?.totals.at(-1)).toEqual({ type: 'amount_refunded', display_text: 'Refunded', amount });
      expect([refunded.status, refunded.order?.status]).toEqual(['completed', status]);
    }
  });

  test('after its time it is expired', async () => {
    const { id, expires_at } = await created();
    const session = AcpCheckoutSession.parse(await (await read(id, { nowMs: Date.parse(expires_at) })).json());
    expect(official('CheckoutSession', session)).toEqual([]);
    expect(session.status).toBe('expired');
    expect(Date.parse(expires_at)).toBeLessThanOrEqual(Date.now() + LIMITS.sessionHours * 3_600_000);
  });
});

test.each(["' OR 1=1 --", 'cs_%', '..', '\u0000', 'x'.repeat(200)])('getCheckoutSession 404 session_not_found: %s', async (id) => {
  expect((await read(id)).status).toBe(404);
});
