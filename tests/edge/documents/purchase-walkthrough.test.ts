import { expect, test } from 'vitest';
import {
  EXAMPLE_KEY,
  type examplePayment,
  type PurchaseStep,
  purchaseSteps,
  requestText,
  responseText,
  shownJson,
} from '../../../src/documents/purchase-walkthrough.ts';
import { minuteOf } from '../../../src/gateway/agents/api-key.ts';
import { paymentTerms } from '../../../src/gateway/commerce/payments/payment-terms.ts';
import { demoFacilitator, transferDigest } from '../../../src/platform/demo-payments.ts';
import { EXAMPLE_SESSION_TIME_MS } from '../../../src/protocols/protocol-module.ts';
import { newWallet } from '../../../src/provenance/ethereum-signatures.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { ENGLISH } from '../../../src/text/strings/interface-strings.ts';
import { makeKey } from '../../support/agent-keys.ts';
import { duringTests } from '../../support/during-tests.ts';
import { NOW_HEADER, useEdgeGateway } from '../../support/edge-gateway.ts';
import { paidEdge, paidSite } from '../../support/paid-site.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';
import { TEST_PAYMENTS, testResource } from '../../support/payments.ts';
import { makePublication, readSample } from '../../support/sample-content.ts';
import { startStandInFacilitator } from '../../support/stand-in-facilitator.ts';
import { checkoutCompleted, signedMessage } from '../../support/stripe-messages.ts';

const facilitator = duringTests(startStandInFacilitator);
const gateway = useEdgeGateway(() => paidEdge(facilitator().url));
const { publication } = await paidSite();
const steps = await purchaseSteps(publication);

/** Headers without the nonce that chance makes, and with what is signed in the place of signatures, because a build has no key of the service. */
const unsigned = (headers: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (!/^PAYMENT-RE/.test(name)) return [name, value];
      const message = atob(value).replace(/"nonce":"[0-9a-f]{32}",?/, '');
      return [name, message.replace(/[\w-]+\.([\w-]+)\.[\w-]{86}/g, (_, payload: string) => atob(payload))];
    }),
  );

const withoutIds = (text: string): string => text.replace(/\b(cs|ord|rct)_[0-9a-f]+/g, '$1_');

test('every request that the page shows gets the response that it shows, from the service itself', async () => {
  const key = await makeKey({ scopes: ['read', 'buy'], issuedMinute: minuteOf(EXAMPLE_SESSION_TIME_MS) });
  let sessionId = '';
  let request: PurchaseStep['request'];
  let compared = 0;
  for (const step of steps) {
    request = step.request ?? request;
    const { response } = step;
    if (request === undefined || response === undefined) continue;
    if (step.id === 'receipt') {
      const paid = await gateway.fetch(PATHS.stripeWebhook, signedMessage(checkoutCompleted(sessionId, 12_000), { atMs: Date.now() }));
      expect(paid.status).toBe(200);
    }
    const headers = Object.entries(request.headers).map(([name, value]) => [name, value.replace(EXAMPLE_KEY, key)]);
    const answer = await gateway.fetch(request.path.replace(/cs_[0-9a-f]+/, sessionId), {
      method: request.method,
      headers: { ...Object.fromEntries(headers), [NOW_HEADER]: String(EXAMPLE_SESSION_TIME_MS) },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    });
    const body = (await answer.json()) as Record<string, unknown>;
    if (step.id === 'order') sessionId = String(body['id']);
    const named = Object.fromEntries(Object.keys(response.headers).map((name) => [name, answer.headers.get(name) ?? 'missing']));
    const given = { status: answer.status, headers: named, body, shown: response.shown };
    expect(withoutIds(responseText(given)), step.id).toBe(withoutIds(responseText(response)));
    expect(unsigned(named), step.id).toEqual(unsigned(response.headers));
    compared += 1;
  }
  expect(compared).toBe(7);
});

test('shows discovery, question, proof, 402, payment and receipt, then an order, and nothing of the text that is sold', () => {
  expect(steps.map(({ id }) => id)).toEqual(['discover', 'ask', 'verify', 'challenge', 'pay', 'delivery', 'order', 'receipt']);
  expect(JSON.stringify(steps)).not.toContain('A paid endpoint has two costly faults');
  const [challenge, pay, delivery] = steps.slice(3);
  expect(challenge?.response?.status).toBe(402);
  expect(pay?.request && requestText(pay.request, TEST_BASE_URL)).toMatch(
    /^GET \/api\S+ HTTP\/1\.1\nHost: 127\.0\.0\.1:8788\nPAYMENT-SIGNATURE: eyJ/,
  );
  expect(delivery?.decoded?.value).toMatchObject({ success: true, network: 'eip155:84532' });
});

test('shows a payment that a demonstration takes once payer, times, nonce and signature are those of a wallet, as its text says', async () => {
  const pay = steps.find(({ id }) => id === 'pay');
  const { accepted, payload } = (pay?.decoded?.value ?? {}) as ReturnType<typeof examplePayment>;
  const terms = paymentTerms({ payments: TEST_PAYMENTS });
  if (terms === undefined) throw new Error('there are terms');
  const { amount, payTo } = accepted;
  const verify = (signed: typeof payload) => demoFacilitator().verify({ signed, resource: testResource(), terms, amount, payTo });
  expect(await verify(payload)).toMatchObject({ kind: 'invalid' });
  const wallet = newWallet();
  const times = { validAfter: '0', validBefore: String(Math.floor(Date.now() / 1_000) + 60) };
  const authorization = { ...payload.authorization, ...times, from: wallet.address, nonce: `0x${'08'.repeat(32)}` };
  const signature = await wallet.sign(transferDigest(authorization, terms.network));
  expect(await verify({ authorization, signature })).toEqual({ kind: 'valid' });
  expect(ENGLISH.watch.payText).toContain('The payer, times, nonce and signature are examples');
});

test('leaves out what a publication does not sell, and is empty where agents cannot buy', async () => {
  const content = await readSample({ baseUrl: TEST_BASE_URL });
  const [unpaid, files] = await Promise.all(
    (['edge', 'static'] as const).map((mode) => makePublication(content, { mode, rateLimits: undefined })),
  );
  const idsOf = async (made: typeof unpaid) => (made ? (await purchaseSteps(made.publication)).map(({ id }) => id) : undefined);
  expect(await idsOf(unpaid)).toEqual(['discover', 'ask', 'verify', 'order', 'receipt']);
  expect(await idsOf(files)).toEqual([]);
});

test('an ellipsis stands for whatever is left out', () => {
  const value = { id: 7, list: [{ a: 1, b: 2 }, { a: 3 }], text: 'x'.repeat(200), secret: 'no' };
  expect(shownJson(value, { id: 'all', list: { a: 'all' }, secret: 'present' })).toBe(
    '{ "id": 7, "list": [ { "a": 1, … }, … ], "secret": "…", … }',
  );
  expect(shownJson(value.text, 'all')).toBe(`"${'x'.repeat(160)}…"`);
  expect(shownJson([1, 2, 3, 4, 5], 'all')).toBe('[ 1, 2, 3, 4, … ]');
});
