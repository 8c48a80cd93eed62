import { describe, expect, test } from 'vitest';
import { InvoiceRequest } from '../../../src/schemas/commerce/orders.ts';
import { LIMITS, QUOTAS } from '../../../src/schemas/limits.ts';
import { BROWSER, expectPage, SAMPLE_PRICE, sendForm } from '../../support/carts.ts';
import { NOW_HEADER, useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem, faultsOf } from '../../support/expect-problem.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { TEST_BASE_URL } from '../../support/paths.ts';

const gateway = useSharedGateway({ files: 'built' });
const counted = useInProcessGateway({ blocks: 'none' });
const PATH = '/api/v1/commerce/invoice-requests';
const { id, alias } = SAMPLE_OFFER;
const BODY = { items: [{ id: alias, quantity: 2 }], name: 'Ada', email: 'ada@buyer.example' };
const FIELDS = { [`quantity.${id}`]: '2', name: 'Grace', email: 'grace@buyer.example' };
const HOSTILE = `"><script>alert(1)</script>' onfocus='alert(1)' </textarea><img src=x onerror=alert(1)>`;

test('requestInvoice 201 application/json: gives the receipt, the totals and the address of its state', async () => {
  const response = await gateway.post(PATH, { ...BODY, note: 'PO 7' });
  const made = InvoiceRequest.parse(await response.json());
  expect([response.status, response.headers.get('location')]).toEqual([201, made.url]);
  expect(made).toMatchObject({ state: 'new', total_minor: 2 * SAMPLE_PRICE, lines: [{ offer_id: id, quantity: 2 }], demo: true });
  const page = await expectPage(await gateway.fetch(made.url.slice(TEST_BASE_URL.length), { headers: BROWSER }), 200);
  expect(page).toContain('Your invoice request');
  expect(page).toContain('No invoice is made');
  expect(page).not.toContain('The answer comes by e-mail');
  for (const secret of ['Ada', 'ada@buyer.example', 'PO 7']) expect(page).not.toContain(secret);
});

test('requestInvoice 303: leads a form to its receipt, twice to the same', async () => {
  const [first, again] = [await sendForm(gateway, PATH, FIELDS), await sendForm(gateway, PATH, FIELDS)];
  expect([first.status, first.headers.get('location')]).toEqual([303, again.headers.get('location')]);
  expect(first.headers.get('location')).toMatch(new RegExp(`^${TEST_BASE_URL}/orders/inv_[0-9a-f]{32}$`));
});

describe('requestInvoice 400 invalid_request', () => {
  test.each([
    [{ ...BODY, items: [] }, '/items'],
    [{ ...BODY, items: [{ id, quantity: 0 }] }, '/items/0/quantity'],
    [{ ...BODY, items: [{ id: 'A', quantity: 1 }] }, '/items/0/id'],
    [{ ...BODY, items: [{ id: 'weekly-digest', quantity: 1 }] }, '/items/0/id'],
    [{ ...BODY, items: [{ id, quantity: 1, unit_minor: 1 }] }, '/items/0/unit_minor'],
    [{ ...BODY, name: ' ' }, '/name'],
    [{ ...BODY, email: 'ada' }, '/email'],
    [{ ...BODY, company: 'a\u202eb' }, '/company'],
    [{ ...BODY, note: 'a'.repeat(LIMITS.invoiceNoteMaxLength + 1) }, '/note'],
    [{ ...BODY, total_minor: 1 }, '/total_minor'],
  ])('%j', async (body, pointer) => {
    expect(faultsOf(await expectProblem(await gateway.post(PATH, body), 'invalid_request')).map(([place]) => place)).toContain(pointer);
  });

  test('what is free stands beside what is not, and has no invoice by itself', async () => {
    const items = [
      { id, quantity: 1 },
      { id: 'weekly-digest', quantity: 1 },
    ];
    const made = InvoiceRequest.parse(await (await gateway.post(PATH, { ...BODY, items })).json());
    expect([made.total_minor, made.lines.length]).toEqual([SAMPLE_PRICE, 2]);
  });

  test.each(['-1', '1.5', '1000', 'two'])('the quantity %s is refused in one wording', async (typed) => {
    const page = await expectPage(await sendForm(gateway, PATH, { ...FIELDS, [`quantity.${id}`]: typed }), 400);
    expect(page).toContain('Enter a whole number from 1 to 999');
    expect(page).toContain(`value="${typed}"`);
  });

  test('a form comes back with its input as text, and its errors have the focus', async () => {
    const typed = {
      [`quantity.${id}`]: HOSTILE,
      name: HOSTILE,
      email: HOSTILE,
      company: HOSTILE,
      address: HOSTILE,
      tax_id: HOSTILE,
      note: HOSTILE,
      [HOSTILE]: HOSTILE,
    };
    const page = await expectPage(await sendForm(gateway, PATH, typed), 400);
    expect(page).toMatch(/<title>Error: [\s\S]* role="alert" tabindex="-1" autofocus/);
    expect(page).not.toMatch(/Last changed|On this page/);
    // In a value between quotation marks only these are escaped.
    expect(page.replace(/="[^"]*"/g, '')).not.toMatch(/<script>alert|<img src=x|'alert\(1\)'/);
    expect(page.split(/&quot;(?:>|&gt;)(?:<|&lt;)script(?:>|&gt;)alert\(1\)/).length - 1).toBeGreaterThanOrEqual(7);
    expect(page).toContain('href="#email"');
    expect(page).toContain('aria-invalid="true"');
  });
});

test('requestInvoice keeps what is wrong at the address of the form', async () => {
  const page = await expectPage(await sendForm(gateway, '/invoice', { ...FIELDS, email: 'ada' }), 400);
  expect(page).toMatch(/<form\s+class="form"\s+method="post"\s+action="\/invoice"/);
  expect(page).toMatch(/<output[^>]*>Total: \$240</);
  expect(page).toMatch(/value="2"[\s\S]*<details>\s*<summary>Other offers/);
  expect((await sendForm(gateway, '/invoice', FIELDS)).headers.get('location')).toMatch(/\/orders\/inv_[0-9a-f]{32}$/);
});

describe('requestInvoice 400 invalid_json', () => {
  test('a form that names a field twice says how what was typed comes back', async () => {
    const headers = { ...BROWSER, 'Content-Type': 'application/x-www-form-urlencoded' };
    const response = await gateway.fetch(PATH, { method: 'POST', headers, body: 'name=a&name=b' });
    expect(await expectPage(response, 400)).toContain('one step back in your browser');
  });
  test('a form whose percent-encoding is no UTF-8', async () => {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    await expectProblem(await gateway.fetch(PATH, { method: 'POST', headers, body: 'name=%FF&email=a' }), 'invalid_json');
  });
});

test('requestInvoice 404 offer_not_found: for software, and for people beside the list', async () => {
  await expectProblem(await gateway.post(PATH, { ...BODY, items: [{ id: 'nothing', quantity: 1 }] }), 'offer_not_found');
  const page = await expectPage(await sendForm(gateway, PATH, { ...FIELDS, 'quantity.nothing': '1' }), 404);
  expect(page).toContain('value="Grace"');
  expect(page).toContain('an offer called “nothing”');
});

test('requestInvoice 422 cart_refused: more than can be asked for at once', async () => {
  const items = [
    { id, quantity: 999 },
    { id: alias, quantity: 1 },
  ];
  await expectProblem(await gateway.post(PATH, { ...BODY, items }), 'cart_refused');
});

test('requestInvoice 429 quota_exceeded: a network asks for only so many in a day, and a repetition takes none; nothing typed is lost', async () => {
  const from = { 'CF-Connecting-IP': '203.0.113.77' };
  // A whole day ahead, so that no other day's quota is touched.
  const DAY_MS = 86_400_000;
  const at = (hour: number): string => String((Math.floor(Date.now() / DAY_MS) + 1) * DAY_MS + hour * 3_600_000);
  const lifted = Array.from({ length: QUOTAS.invoices.requests }, (_, turn) => turn);
  const send = (turn: number, atHour: number): Promise<Response> =>
    counted.post(PATH, { ...BODY, note: `number ${turn}` }, { ...from, [NOW_HEADER]: at(atHour) });
  for (const turn of lifted) expect((await send(turn, turn % 20)).status).toBe(201);
  expect((await send(0, 23)).status).toBe(201);
  await expectProblem(await send(99, 23), 'quota_exceeded');
  const form = await sendForm(counted, PATH, { ...FIELDS, note: 'one more' }, { ...BROWSER, ...from, [NOW_HEADER]: at(23) });
  expect([form.status, await form.json()]).toMatchObject([
    429,
    { page: 'invoice', props: { values: { note: 'one more' }, refusal: { code: 'quota_exceeded', retryAfterSeconds: 3_600 } } },
  ]);
});
