import { describe, expect, it } from 'vitest';
import { invoiceForm, prefilled, readInvoiceForm, typedFields } from '../../../../src/routes/commerce/invoice-form.ts';
import { InvoiceRequestBody } from '../../../../src/schemas/commerce/invoice-requests.ts';
import { OFFERS } from '../../../support/orders.ts';

const HOSTILE = [
  `"><script>alert(1)</script>`,
  `' onfocus='alert(1)' autofocus='`,
  '</textarea><img src=x onerror=alert(1)>',
  '&quot;&#39;&lt;',
  '$& $1 {{7*7}}',
  '<!--/slot:form-->',
];
const FIELDS = ['name', 'email', 'company', 'address', 'tax_id', 'note'];

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

describe('invoiceForm', () => {
  const form = (typed: Record<string, string>, faults: { pointer: string; message: string }[] = []): string =>
    invoiceForm(OFFERS, '/send', typed, faults).text;

  it('offers what costs something, each with a label', () => {
    const text = form({});
    for (const id of ['review', 'digest', 'support'])
      expect(text).toMatch(new RegExp(`<label for="quantity.${id}"[\\s\\S]*<input id="quantity.${id}"`));
    expect(text).not.toContain('quantity.notes');
    for (const name of FIELDS) expect(text).toContain(`<label for="${name}"`);
    expect(text).not.toContain('role="alert"');
  });

  it.each(HOSTILE)('keeps %s as it was typed, as text alone', (typed) => {
    const all = Object.fromEntries([...FIELDS, 'quantity.review', 'quantity.<b>'].map((name) => [name, typed]));
    const text = form(all, [{ pointer: '/items/1/id', message: typed }]);
    expect(text).not.toContain(typed.includes('<') || typed.includes('"') || typed.includes("'") ? typed : '<script');
    expect(text.match(/<(script|img|b)\b[^>]*(alert|x)/g)).toBeNull();
    expect(text.split('<textarea').length).toBe(text.split('</textarea>').length);
  });

  it('puts what is wrong beside its field and above the form, with links to the fields', () => {
    const text = form({ 'quantity.review': '5000', 'quantity.gone': '1', email: 'no mail' }, [
      { pointer: '/items/0/quantity', message: 'must be at most 999' },
      { pointer: '/items/1/id', message: 'is no offer that is sold here' },
      { pointer: '/email', message: 'must be an e-mail address' },
      { pointer: '/other', message: 'is not known here' },
    ]);
    expect(text).toContain(
      '<a href="#quantity.review">Quantity of Offer review</a> must be a whole number from 1 to 999; 0 or nothing leaves the offer out.',
    );
    expect(text).toContain('<a href="#items">Items</a> is no offer that is sold here.');
    expect(text).toMatch(/value="no mail"[^>]*aria-invalid="true"/);
    expect(text).toContain('id="email-fault" class="fault"');
    expect(text).toContain('A field that the form does not have is not known here.');
  });

  it('keeps line breaks of longer texts, also at their beginning', () => {
    expect(form({ note: '\none\ntwo' })).toMatch(/<textarea[^>]*>\n\none\ntwo<\/textarea>/);
  });

  it('is filled in with items, aliases added to their offers, and what is not sold left out', () => {
    const typed = prefilled(
      [
        { id: 'review', quantity: 2 },
        { id: 'check', quantity: 3 },
        { id: 'gone', quantity: 1 },
      ],
      OFFERS,
    );
    expect(typed).toEqual({ 'quantity.review': '5' });
    expect(typedFields({ a: 1 })).toEqual({ a: '1' });
  });
});
