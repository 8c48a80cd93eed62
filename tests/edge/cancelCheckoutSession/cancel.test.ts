import { describe, expect, test } from 'vitest';
import { AcpCheckoutSession } from '../../../src/protocols/acp/acp-schemas.ts';
import { type AcpSender, acpErrorOf, acpHeaders, acpSessionPath, openAcpSession } from '../../support/acp.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { officialAcp } from '../../support/official-schemas.ts';

const official = officialAcp();
const gateway = useInProcessGateway();
const open = (sender: AcpSender = {}): Promise<string> => openAcpSession(gateway, sender);
const cancel = async (id: string, sender: AcpSender = {}, body?: unknown): Promise<Response> => {
  const headers = await acpHeaders(sender);
  const path = acpSessionPath(id, 'cancel');
  return body === undefined ? gateway.fetch(path, { method: 'POST', headers }) : gateway.post(path, body, headers);
};

test.each([
  ['without a body', undefined],
  ['with an empty one', {}],
  ['with the reason', { intent_trace: { reason_code: 'shipping_cost', trace_summary: 'x', metadata: { target: 0 } } }],
])('cancelCheckoutSession 200 application/json: %s', async (_case, body) => {
  const response = await cancel(await open(), {}, body);
  expect(response.status).toBe(200);
  const session = AcpCheckoutSession.parse(await response.json());
  expect(official('CheckoutSession', session)).toEqual([]);
  expect([session.status, session.continue_url]).toEqual(['canceled', undefined]);
});

describe('cancelCheckoutSession 405 session_closed', () => {
  test('a session that was canceled before, with a list of what the address takes', async () => {
    const id = await open();
    await cancel(id);
    const response = await cancel(id);
    expect(response.headers.get('allow')).toBe('OPTIONS');
    expect(await acpErrorOf(response)).toMatchObject({ status: 405, type: 'invalid_request', code: 'session_closed' });
  });

  test('a completed one, and one whose time is over', async () => {
    const [completed, late] = [await open(), await open()];
    await gateway.state().prepare("UPDATE checkout_sessions SET state = 'completed' WHERE id = ?1").bind(completed).run();
    expect((await acpErrorOf(await cancel(completed))).status).toBe(405);
    expect((await acpErrorOf(await cancel(late, { nowMs: Date.now() + 25 * 3_600_000 }))).status).toBe(405);
  });
});
