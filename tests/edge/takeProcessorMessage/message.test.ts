import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ProcessorReceipt } from '../../../src/schemas/commerce/orders.ts';
import { LIMITS } from '../../../src/schemas/limits.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { ACP_SESSIONS, acpHeaders } from '../../support/acp.ts';
import { NOW_HEADER, useEdgeGateway, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem, expectSharedHeaders } from '../../support/expect-problem.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { ROOT, TEST_BASE_URL } from '../../support/paths.ts';
import {
  chargeRefunded,
  checkoutCompleted,
  eventOf,
  NEW_WEBHOOK_SECRET,
  OLD_WEBHOOK_SECRET,
  signedMessage,
} from '../../support/stripe-messages.ts';

const gateway = useEdgeGateway({ blocks: 'none' });
const send = (init: RequestInit): Promise<Response> => gateway.fetch(PATHS.stripeWebhook, init);
const rows = async (sql: string): Promise<unknown[]> => {
  const database = await gateway.running().miniflare.getD1Database('STATE');
  return (await database.prepare(sql).all()).results;
};

describe('takeProcessorMessage 200 application/json', () => {
  test('money that belongs to no session is kept for the publisher to look at, once', async () => {
    const event = checkoutCompleted(null, 24_000);
    for (const outcome of ['no_session', 'duplicate']) {
      const response = await send(signedMessage(event));
      expect(response.status).toBe(200);
      expect(response.headers.get('cache-control')).toBe('no-store');
      expectSharedHeaders(response.headers);
      expect(ProcessorReceipt.parse(await response.json())).toEqual({ received: true, outcome });
    }
    expect(await rows(`SELECT outcome, amount_minor FROM processor_events WHERE id = '${event.id}'`)).toEqual([
      { outcome: 'no_session', amount_minor: 24_000 },
    ]);
  });

  test('a message that says nothing to orders leaves nothing', async () => {
    const event = eventOf('customer.created', { id: 'cus_1' });
    expect(await (await send(signedMessage(event))).json()).toEqual({ received: true, outcome: 'ignored' });
    expect(await rows(`SELECT id FROM processor_events WHERE id = '${event.id}'`)).toEqual([]);
  });

  test('the secret that comes next is taken too', async () => {
    const response = await send(signedMessage(chargeRefunded('pi_next', 1), { secret: NEW_WEBHOOK_SECRET }));
    expect(await response.json()).toEqual({ received: true, outcome: 'waiting' });
  });

  test('the programs of the guide pay a session and give back', async () => {
    const guide = readFileSync(join(ROOT, 'docs/selling.md'), 'utf8');
    const [pay = '', refund = ''] = [...guide.matchAll(/```js\n(import [\s\S]*?)```/g)].map(([, program]) => program);
    const folder = await mkdtemp(join(tmpdir(), 'akg-pay-'));
    const { origin } = await gateway.running().miniflare.ready;
    for (const [name, program] of Object.entries({ pay, refund }))
      await writeFile(join(folder, `${name}.mjs`), program.replaceAll(TEST_BASE_URL, origin));
    await writeFile(join(folder, '.dev.vars'), `OTHER=1\nSTRIPE_WEBHOOK_SECRETS=${OLD_WEBHOOK_SECRET}\n`);
    const cart = { line_items: [{ id: SAMPLE_OFFER.id }], currency: 'usd', capabilities: {} };
    const opened = await gateway.post(ACP_SESSIONS, cart, await acpHeaders());
    const { id, totals } = (await opened.json()) as { id: string; totals: { type: string; amount: number }[] };
    const total = totals.find(({ type }) => type === 'total')?.amount;
    const run = async (name: string, amount: number | undefined): Promise<string> =>
      (await promisify(execFile)(process.execPath, [`${name}.mjs`, id, String(amount)], { cwd: folder })).stdout;
    const applied = '200 {"received":true,"outcome":"applied"}\n';
    expect(await run('pay', total)).toBe(applied);
    expect(await run('pay', total)).toContain('duplicate');
    expect(await run('refund', 100)).toBe(applied);
    expect(await rows(`SELECT refunded_minor FROM orders WHERE session_id = '${id}'`)).toEqual([{ refunded_minor: 100 }]);
    await rm(folder, { recursive: true });
  });

  test('a message may have any length up to the bound', async () => {
    const filler = (length: number) => eventOf('plan.created', { text: 'x'.repeat(length) }, 'evt_large');
    const empty = JSON.stringify(filler(0), null, 2).length;
    expect((await send(signedMessage(filler(LIMITS.processorEventMaxBytes - empty)))).status).toBe(200);
  });
});

describe('takeProcessorMessage 400 signature_invalid', () => {
  const event = checkoutCompleted('cs_1', 24_000, {}, 'evt_forged');
  const good = signedMessage(event);
  const signed = (signature: string, body = good.body) => ({ ...good, body, headers: { ...good.headers, 'Stripe-Signature': signature } });

  test.each([
    ['another secret', signedMessage(event, { secret: 'whsec_of_somebody_else_00000001' })],
    ['a signature of six minutes ago', signedMessage(event, { atMs: Date.now() - 360_000 })],
    ['a signature of six minutes ahead', signedMessage(event, { atMs: Date.now() + 360_000 })],
    ['other bytes', { ...good, body: good.body.replace('24000', '1') }],
    ['the same JSON in other bytes', { ...good, body: JSON.stringify(event) }],
    ['no signature of a known scheme', signed(`t=1,v0=${'0'.repeat(64)}`)],
  ])('%s', async (_case, init) => {
    await expectProblem(await send(init), 'signature_invalid');
    expect(await rows("SELECT id FROM processor_events WHERE id = 'evt_forged'")).toEqual([]);
  });

  test('the age is counted by the clock of the service', async () => {
    const later = String(Date.now() + (LIMITS.signatureMaxAgeSeconds + 5) * 1_000);
    await expectProblem(await send({ ...good, headers: { ...good.headers, [NOW_HEADER]: later } }), 'signature_invalid');
  });

  test('a refusal shows nothing of what was sent or of a secret', async () => {
    const response = await send(signed('t=1,v1=00', 'a body with a card number'));
    expect(await response.text()).not.toMatch(/whsec|card number|v1=/);
  });
});

describe('takeProcessorMessage 400 invalid_request', () => {
  test.each([
    ['no signature', {}],
    ['a signature that is too long', { 'Stripe-Signature': `t=1,v1=${'0'.repeat(2_000)}` }],
  ])('%s', async (_case, headers: Record<string, string>) => {
    await expectProblem(await send({ method: 'POST', headers, body: '{}' }), 'invalid_request');
  });

  test('what is signed and lacks a member is told which, so that Stripe shows it to the publisher', async () => {
    const response = await send(signedMessage(checkoutCompleted('cs_1', 1, { amount_total: null })));
    expect(await expectProblem(response, 'invalid_request')).toMatchObject({
      errors: [{ pointer: '/data/object/amount_total', message: 'is missing' }],
    });
  });
});

describe('takeProcessorMessage 503 not_configured', () => {
  const without = useSharedGateway({ webhookSecrets: undefined, blocks: 'none' });
  test('without a secret nothing is believed', async () => {
    await expectProblem(await without.fetch(PATHS.stripeWebhook, signedMessage(checkoutCompleted('cs_1', 1))), 'not_configured');
  });
});
