import { expect, it } from 'vitest';
import { faultsByField, labelOf, quantityFields } from '../../../src/site/invoice-fields.ts';
import { OFFERS } from '../../support/orders.ts';

it('lists what costs something, and what is free only where a quantity of it was filled in', () => {
  const ids = (values: Record<string, string>) => quantityFields({ offers: OFFERS, values }).map(({ id }) => id);
  expect(ids({})).toEqual(expect.arrayContaining(['review', 'digest', 'support']));
  expect(ids({})).not.toContain('notes');
  expect(ids({ 'quantity.notes': '1' })).toContain('notes');
});

it('puts what is wrong next to its field, and what no field shows above the list', () => {
  const values = { 'quantity.digest': '0', 'quantity.review': '5000', 'quantity.gone': '1', email: 'no mail' };
  const listed = quantityFields({ offers: OFFERS, values });
  const faults = faultsByField(
    [
      { pointer: '/items/0/quantity', message: 'must be at most 999' },
      { pointer: '/items/1/id', message: 'is not sold' },
      { pointer: '/email', message: 'must be an e-mail address' },
      { pointer: '/other', message: 'is unknown' },
    ],
    values,
    listed,
  );
  expect([...faults]).toEqual([
    ['quantity.review', 'must be a whole number from 1 to 999; 0 or nothing leaves the offer out'],
    ['items', 'is not sold'],
    ['email', 'must be an e-mail address'],
    ['other', 'is unknown'],
  ]);
  expect([...faults.keys()].map((field) => labelOf(field, listed))).toEqual(['Quantity of Offer review', 'Items', 'E-mail', undefined]);
});
