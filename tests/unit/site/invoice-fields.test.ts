import { expect, it } from 'vitest';
import { errorsByField, quantityFields, wrongItemTexts } from '../../../src/site/form-fields-and-errors.ts';
import { setLanguage } from '../../support/english-strings.ts';
import { OFFERS } from '../../support/orders.ts';

it('lists what costs something, and what is free only where a quantity of it was filled in', () => {
  const ids = (values: Record<string, string>) => quantityFields({ offers: OFFERS, values }).map(({ offer }) => offer.id);
  expect(ids({})).toEqual(expect.arrayContaining(['review', 'digest', 'support']));
  expect(ids({})).not.toContain('notes');
  expect(ids({ 'quantity.notes': '1' })).toContain('notes');
});

const errorsOf = (values: Record<string, string>, ...faults: [pointer: string, message: string][]) =>
  Object.fromEntries(
    errorsByField(
      faults.map(([pointer, message]) => ({ pointer, message })),
      values,
      quantityFields({ offers: OFFERS, values }),
    ),
  );

it('says at each field how to fix it, and above the list what no field shows', () => {
  const values = { 'quantity.digest': '0', 'quantity.review': '5000', 'quantity.gone': '1', email: 'no mail', company: 'x\u0000' };
  expect(
    errorsOf(
      values,
      ['/items/0/quantity', 'must be at most 999'],
      ['/items/1/id', 'is not sold'],
      ['/name', 'is missing'],
      ['/email', 'must be an e-mail address'],
      ['/company', 'is not plain'],
    ),
  ).toEqual({
    'quantity.review': 'Enter a whole number from 1 to 999 for Offer review, or leave its quantity empty.',
    items: 'We don’t sell an offer called “gone”.',
    name: 'Enter your name.',
    email: 'Enter a valid e-mail address.',
    company: 'Company is not plain.',
  });
  expect(errorsOf({}, ['/items', 'is empty'], ['/email', 'is missing'])).toEqual({
    items: 'Choose at least one offer and enter a quantity.',
    email: 'Enter your e-mail address.',
  });
  expect(errorsOf({ 'quantity.notes': '1' }, ['/items/0/id', 'is free'])).toEqual({ 'quantity.notes': 'Offer notes is free.' });
});

it('names unknown fields and offers only if the name is plain, and lists the fields of the form', () => {
  const text = errorsOf({}, ['/foo', 'is unknown'], ['/(a name)', 'is unknown'])[''];
  expect(text).toMatch(
    /^The form has no field “foo”; its fields are name, email, .*quantity\.<offer>\. The form has no field of that name;/,
  );
  expect(errorsOf({ 'quantity.<b>': '1' }, ['/items/0/id', 'is wrong'])).toEqual({ items: 'We don’t sell one of these offers.' });
});

it('names the offer that cannot be bought in every language, and in English why', () => {
  const detail = '"Check of a mast" was sold until 2026-11-23.';
  const items = [{ offer: 'Check of a mast', refusal: { code: 'offer_not_found', detail } }] as const;
  expect(wrongItemTexts(items)).toEqual([detail]);
  setLanguage('de');
  const german = wrongItemTexts(items);
  setLanguage('en');
  expect(german).toEqual(['“Check of a mast” is not available.']);
});
