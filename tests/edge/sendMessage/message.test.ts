import { describe, expect, test } from 'vitest';
import { StoredMessage } from '../../../src/schemas/commerce/orders.ts';
import { LIMITS, QUOTAS } from '../../../src/schemas/limits.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { BROWSER, expectPage, sendForm } from '../../support/carts.ts';
import { NOW_HEADER, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem, faultsOf } from '../../support/expect-problem.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

const gateway = useSharedGateway({ files: 'built' });
const counted = useInProcessGateway({ blocks: 'none' });
const BODY = { name: 'Ada', email: 'ada@reader.example', message: 'Section 2 is wrong.\nSee RFC 9110.' };

test('sendMessage 201 application/json: stores a message once, under a receipt that no page shows', async () => {
  const send = async () => StoredMessage.parse(await (await gateway.post(PATHS.messages, BODY)).json());
  const { receipt } = await send();
  expect((await send()).receipt).toBe(receipt);
  await expectProblem(await gateway.fetch(`${PATHS.orders}/${receipt}`), 'order_not_found');
  expect((await gateway.post(PATHS.messages, { ...BODY, message: 'Another.' })).status).toBe(201);
});

test('sendMessage 200 text/html: a form gets the contact page with the news that its message has arrived, which no address says by itself', async () => {
  const response = await sendForm(gateway, PATHS.contact, { ...BODY, name: 'Grace' });
  // A browser that goes back to it shows what it stored.
  expect(response.headers.get('cache-control')).toBe('private, no-cache');
  expect(await expectPage(response, 200)).toContain('Your message has arrived.');
  expect(await (await gateway.fetch('/contact', { headers: BROWSER })).text()).not.toContain('has arrived');
});

describe('sendMessage 400 invalid_request', () => {
  test.each([
    [{ ...BODY, name: ' ' }, '/name'],
    [{ ...BODY, email: 'ada' }, '/email'],
    [{ ...BODY, message: '' }, '/message'],
    [{ ...BODY, message: 'a\u202eb' }, '/message'],
    [{ ...BODY, message: 'a'.repeat(LIMITS.invoiceNoteMaxLength + 1) }, '/message'],
    [{ ...BODY, items: [] }, '/items'],
  ])('%j', async (body, pointer) => {
    expect(faultsOf(await expectProblem(await gateway.post(PATHS.messages, body), 'invalid_request')).map(([place]) => place)).toContain(
      pointer,
    );
  });

  test('a form comes back with what was typed, as text, and the error beside its field', async () => {
    const hostile = '</textarea><img src=x onerror=alert(1)>';
    const page = await expectPage(await sendForm(gateway, PATHS.messages, { name: 'Ada', email: 'ada', message: hostile }), 400);
    expect(page).toMatch(/<title>Error: [\s\S]* role="alert" tabindex="-1" autofocus/);
    expect(page).toMatch(/id="email-fault"[^>]*>\s*Enter a valid e-mail address\./);
    expect(page).toContain('&lt;img src=x');
    expect(page).not.toContain('<img src=x');
  });

  test('the address of the form takes it, and is its page for everybody else', async () => {
    const page = await expectPage(await sendForm(gateway, PATHS.contact, { ...BODY, email: 'ada' }), 400);
    expect(page).toContain('action="/contact"');
    expect(page).toContain('Section 2 is wrong.\nSee RFC 9110.</textarea>');
    for (const method of ['GET', 'HEAD']) expect((await gateway.fetch(PATHS.contact, { method, headers: BROWSER })).status).toBe(200);
    expect((await gateway.fetch(PATHS.contact, { method: 'DELETE' })).headers.get('allow')).toBe('GET, POST, HEAD, OPTIONS');
  });

  test('a text that is much too long comes back whole, with its limit', async () => {
    const message = 'x'.repeat(30_000);
    const page = await expectPage(await sendForm(gateway, PATHS.contact, { ...BODY, message }), 400);
    expect(page).toContain(`${message}</textarea>`);
    expect(page).toMatch(/id="message-fault"[^>]*>[^<]*2000 characters/);
    const larger = await sendForm(gateway, PATHS.contact, { ...BODY, message: 'x'.repeat(70_000) });
    expect(await expectPage(larger, 413)).toContain('Nothing was sent this time. The form is too long. Shorten it and send it again.');
  });

  test.each(['multipart/form-data; boundary=x', 'application/json'])('%s of a browser gets advice for a person', async (type) => {
    const response = await gateway.fetch(PATHS.contact, { method: 'POST', headers: { ...BROWSER, 'Content-Type': type }, body: '--x' });
    const page = await expectPage(response, type.startsWith('multipart') ? 415 : 400);
    expect(page).toContain('Go back and send the form again.');
    expect(page).not.toContain('Content-Type');
  });
});

describe('sendMessage 429 quota_exceeded', () => {
  test('a network sends only so many in a day, and nothing typed is lost', async () => {
    const day = 86_400_000;
    const from = { 'CF-Connecting-IP': '203.0.113.78', [NOW_HEADER]: String((Math.floor(Date.now() / day) + 1) * day) };
    const later = (hour: number) => ({ ...from, [NOW_HEADER]: String(Number(from[NOW_HEADER]) + hour * 3_600_000) });
    for (let turn = 0; turn < QUOTAS.messages.requests; turn += 1)
      expect((await counted.post(PATHS.messages, { ...BODY, message: `${turn}` }, later(turn % 20))).status).toBe(201);
    await expectProblem(await counted.post(PATHS.messages, { ...BODY, message: 'One too many.' }, later(23)), 'quota_exceeded');
    const form = await sendForm(counted, PATHS.messages, { ...BODY, message: 'one more' }, { ...BROWSER, ...later(23) });
    expect([form.status, await form.json()]).toMatchObject([
      429,
      { page: 'contact', props: { values: { message: 'one more' }, refusal: { code: 'quota_exceeded', retryAfterSeconds: 3_600 } } },
    ]);
  });

  test('attempts that are refused use up nothing of it', async () => {
    const from = { 'CF-Connecting-IP': '203.0.113.79' };
    for (let turn = 0; turn < QUOTAS.messages.requests + 5; turn += 1)
      expect((await counted.post(PATHS.messages, { ...BODY, email: 'ada' }, from)).status).toBe(400);
    expect((await counted.post(PATHS.messages, { ...BODY, message: 'Accepted.' }, from)).status).toBe(201);
  });
});
