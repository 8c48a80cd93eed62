import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { PATHS } from '../../../src/schemas/paths.ts';
import { ACP_SESSIONS, acpHeaders, acpSessionPath } from '../../support/acp.ts';
import { builtGenerated } from '../../support/edge-gateway.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { DOUBLE_KEY, type LedgerIntent, type StripeDouble, startStripeDouble, TOKENS } from '../../support/stripe-double.ts';
import { intentMessage, signedMessage } from '../../support/stripe-messages.ts';

let double: StripeDouble;
const gateway = useInProcessGateway(async () => {
  double = await startStripeDouble();
  const { deployment } = await builtGenerated();
  const commerce = { ...deployment.commerce, acp: true, processor: 'stripe' as const, merchantId: 'acct_of_the_double' };
  return { stripe: { secretKey: DOUBLE_KEY, apiBase: double.origin }, generated: { deployment: { ...deployment, commerce } } };
});
let agents = 0;
let agent: string;
beforeAll(() => expect(double.faults).toEqual([]));
beforeEach(() => {
  agents += 1;
  agent = (0xd0000 + agents).toString(16).padStart(16, '0');
});
afterAll(async () => {
  expect(double.faults).toEqual([]);
  await double.stop();
});

interface Answer {
  readonly status: number;
  readonly body: { readonly status?: string; readonly code?: string; readonly order?: { readonly id: string } };
  readonly text: string;
}

async function open(): Promise<string> {
  const body = { line_items: [{ id: SAMPLE_OFFER.id }], currency: 'usd', capabilities: {} };
  const response = await gateway.post(ACP_SESSIONS, body, await acpHeaders({ agent }));
  const session = (await response.json()) as { id: string; capabilities: { payment: { handlers: { id: string }[] } } };
  expect(session.capabilities.payment.handlers).toHaveLength(1);
  handler = session.capabilities.payment.handlers[0]?.id ?? '';
  return session.id;
}
let handler = '';

async function complete(id: string, idempotencyKey: string, token: string, nowMs?: number): Promise<Answer> {
  const body = { payment_data: { handler_id: handler, instrument: { type: 'card', credential: { type: 'spt', token } } } };
  const headers = await acpHeaders({ agent, idempotencyKey, ...(nowMs === undefined ? {} : { nowMs }) });
  const response = await gateway.post(acpSessionPath(id, 'complete'), body, headers);
  const text = await response.text();
  return { status: response.status, body: JSON.parse(text) as Answer['body'], text };
}

const chargesOf = (id: string): LedgerIntent[] =>
  double.intents.filter(({ metadata, status }) => metadata['checkout_session_id'] === id && status === 'succeeded');
const tell = async (intent: LedgerIntent, how: 'succeeded' | 'payment_failed'): Promise<unknown> =>
  (await gateway.fetch(PATHS.stripeWebhook, signedMessage(intentMessage(how, intent)))).json();

test('twenty requests with keys and tokens of their own charge a session once', async () => {
  const id = await open();
  const all = await Promise.all(Array.from({ length: 20 }, (_, index) => complete(id, `key-${index}`, `${TOKENS.pays}_b_${index}`)));
  expect(chargesOf(id)).toHaveLength(1);
  expect(all.filter(({ status }) => status === 200)).toHaveLength(1);
  expect(all.filter(({ status }) => status !== 200 && status !== 409 && status !== 405)).toEqual([]);
});

test('news of a payment that failed before do not open a session that is being paid again', async () => {
  const id = await open();
  await complete(id, 'first', `${TOKENS.settlesLater}_d`);
  const [first] = double.intents.filter(({ metadata }) => metadata['checkout_session_id'] === id);
  if (first === undefined) throw new Error('nothing was begun');
  expect(await tell(first, 'payment_failed')).toMatchObject({ outcome: 'applied' });
  expect(await complete(id, 'first', `${TOKENS.settlesLater}_d`)).toMatchObject({ body: { code: 'payment_declined' } });
  await complete(id, 'second', `${TOKENS.settlesLater}_dd`);
  const again = intentMessage('payment_failed', first);
  const response = await gateway.fetch(PATHS.stripeWebhook, signedMessage({ ...again, id: 'evt_of_the_first_again' }));
  expect(await response.json()).toMatchObject({ outcome: 'ignored' });
  expect((await complete(id, 'third', `${TOKENS.pays}_ddd`)).status).not.toBe(200);
  expect(chargesOf(id)).toHaveLength(0);
});

test('a message completes a session whose payment is under way, and the repeated request finds it completed', async () => {
  const id = await open();
  expect(await complete(id, 'slow', `${TOKENS.settlesLater}_e`)).toMatchObject({ status: 409 });
  const [intent] = double.intents.filter(({ metadata }) => metadata['checkout_session_id'] === id);
  if (intent === undefined) throw new Error('nothing was begun');
  double.settle(intent);
  expect(await tell(intent, 'succeeded')).toEqual({ received: true, outcome: 'applied' });
  const found = await complete(id, 'slow', `${TOKENS.settlesLater}_e`);
  expect(found).toMatchObject({ status: 200, body: { status: 'completed', order: { id: expect.any(String) as string } } });
  expect((await complete(id, 'slow', `${TOKENS.settlesLater}_e`)).text).toBe(found.text);
});

test('the log shows no token and no key of the processor', () => {
  expect(gateway.logs.filter((line) => line.includes('spt_') || line.includes(DOUBLE_KEY))).toEqual([]);
});
