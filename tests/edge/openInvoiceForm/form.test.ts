import { describe, expect, test } from 'vitest';
import { pagePolicy } from '../../../src/http/security-headers.ts';
import { BROWSER } from '../../support/carts.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { expectProblem } from '../../support/expect-problem.ts';
import { SAMPLE_OFFER } from '../../support/function-routes.ts';

const gateway = useSharedGateway({ files: 'built' });
const { id, alias } = SAMPLE_OFFER;

async function formAt(path: string, status = 200): Promise<string> {
  const response = await gateway.fetch(path, { headers: BROWSER });
  const text = await response.text();
  expect([response.status, response.headers.get('content-security-policy')]).toEqual([status, pagePolicy()]);
  expect(response.headers.get('x-robots-tag')).toBe(/items=|quantity/.test(path) ? 'noindex' : null);
  expect(text).toContain('<form class="form" method="post" action="/invoice"');
  return text;
}
const quantity = (page: string, offer: string = id): string =>
  new RegExp(`name="quantity.${offer}"[^>]* value(?:="([^"]*)")?`).exec(page)?.[1] ?? '';

describe('openInvoiceForm 200 text/html', () => {
  test.each(['/invoice', '/buy/invoice'])('%s has the form, and the text about invoices below it', async (path) => {
    const page = await formAt(path);
    expect(page).toContain('Buying on invoice');
    expect(page.indexOf('</form>')).toBeLessThan(page.indexOf('What to expect</h2>'));
    expect(quantity(page)).toBe('');
  });

  test('is filled in with items, an alias as its offer', async () => {
    expect(quantity(await formAt(`/invoice?items=${id}:2,${alias}:3`))).toBe('5');
    const page = await formAt(`/buy/invoice?items=${id}:7,weekly-digest:1`);
    expect([quantity(page), quantity(page, 'weekly-digest')]).toEqual(['7', '1']);
  });

  test('is filled in with the quantities that the buttons of a cart send, and names what is wrong with them', async () => {
    expect(quantity(await formAt(`/invoice?quantity.${id}=4&quantity.office-hours=&utm_source=x`))).toBe('4');
    const page = await formAt(`/invoice?items=${id}:-1,office-hours:2`, 400);
    expect(page).toContain('Quantity of Evidence review of a page: “-1” is not a whole number from 1 to 999.');
    expect([quantity(page), quantity(page, 'office-hours')]).toEqual(['', '2']);
  });
});

test.each(['/invoice', '/buy/invoice'])(
  'openInvoiceForm 404 offer_not_found: %s names an offer that is not sold, and fills in the others',
  async (page) => {
    const path = `${page}?items=${id}:2,nothing:1`;
    await expectProblem(await gateway.fetch(path), 'offer_not_found');
    const form = await formAt(path, 404);
    expect(form).toContain('We don’t sell an offer called “nothing”.</strong> <span>Choose from the list, at most 999 of each offer.');
    expect(quantity(form)).toBe('2');
  },
);

test('the tool of the form for an agent in the browser fills in fields that are described, and leaves it to the person to send them', async () => {
  const form = /<form class="form"[\s\S]*?<\/form>/.exec(await formAt('/invoice'))?.[0] ?? '';
  const [head = ''] = /<form[^>]*>/.exec(form) ?? [];
  expect(head).toMatch(/ toolname="request_invoice" tooldescription="[^"]+"/);
  expect(head).not.toContain('toolautosubmit');
  expect(form).toMatch(/<input type="email"[^>]* toolparamdescription="[^"]+"/);
});

describe('openInvoiceForm 400 invalid_request', () => {
  test('what is much too long for items; a browser gets the form all the same', async () => {
    const path = `/invoice?items=${'a'.repeat(1_501)}`;
    await expectProblem(await gateway.fetch(path), 'invalid_request');
    await formAt(path, 400);
    const twice = `?items=${id}:1&items=${id}:2`;
    for (const page of ['/invoice', '/buy/invoice'])
      expect((await expectProblem(await gateway.fetch(page + twice), 'invalid_request')).detail).toContain('twice');
    const form = await formAt(`/invoice${twice}`, 400);
    expect(form).toContain('banner superseded');
    expect(quantity(form)).toBe('');
  });

  test.each([`${id}:0`, `${id}:1000`, 'x', '%22%3E%3Cscript%3Ealert(1)%3C/script%3E'])(
    'warns that items=%s cannot be asked for',
    async (items) => {
      await expectProblem(await gateway.fetch(`/invoice?items=${items}`), 'invalid_request');
      const page = await formAt(`/invoice?items=${items}`, 400);
      expect(page).toContain('banner superseded');
      expect(page).not.toContain('<script>alert');
    },
  );
});
