import { describe, expect, it } from 'vitest';
import { readInvoiceForm, refusedInvoicePage } from '../../../../src/routes/invoice-routes.ts';
import { InvoiceRequestBody } from '../../../../src/schemas/commerce/orders.ts';
import { OFFERS } from '../../../support/orders.ts';

describe('readInvoiceForm', () => {
  it('reads quantities by offer, and leaves what is no number to be refused', () => {
    expect(
      readInvoiceForm({ 'quantity.review': ' 2 ', 'quantity.digest': '0', 'quantity.notes': 'many', name: 'Ada', other: 'x' }),
    ).toEqual({
      name: 'Ada',
      other: 'x',
      items: [
        { id: 'review', quantity: 2 },
        { id: 'notes', quantity: 'many' },
      ],
    });
  });

  it.each(['1.5', '1e3', '-1', '+1', '0x10', '٣', '9999999', ''])('takes %s for no quantity', (typed) => {
    const body = { ...readInvoiceForm({ 'quantity.review': typed }), name: 'Ada', email: 'ada@buyer.example' };
    expect(InvoiceRequestBody.safeParse(body).success).toBe(false);
  });

  it('takes a field named like a member of objects for an unknown one', () => {
    const body = readInvoiceForm(
      Object.fromEntries([
        ['__proto__', 'x'],
        ['constructor', 'y'],
        ['quantity.__proto__', '1'],
      ]),
    );
    expect(InvoiceRequestBody.safeParse(body).success).toBe(false);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });
});

describe('invoicePage', () => {
  const deps = { deployment: { offers: OFFERS }, clock: { nowMs: () => Date.UTC(2026, 10, 22) } } as never;

  it('keeps what was typed when the form is refused', () => {
    const refusal = {
      code: 'invalid_request',
      detail: 'No.',
      errors: [{ pointer: '/email', message: 'must be an e-mail address' }],
    } as const;
    const sent = { method: 'POST', path: '/invoice', query: new URLSearchParams(), fields: { email: 'no mail', a: 1 } };
    expect(refusedInvoicePage(refusal, sent, deps)).toMatchObject({
      visibility: 'unlisted',
      props: { values: { email: 'no mail', a: '1' }, refusal: { code: 'invalid_request', errors: refusal.errors } },
    });
  });
});
