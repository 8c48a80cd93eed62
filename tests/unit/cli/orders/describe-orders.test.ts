import { expect, test } from 'vitest';
import { nameOf } from '../../../../src/cli/orders/describe-orders.ts';

test.each([
  [{ full_name: ' Ada Lovelace ', first_name: 'A' }, 'Ada Lovelace'],
  [{ full_name: ' ', first_name: 'Ada', last_name: 'Lovelace' }, 'Ada Lovelace'],
  [{ last_name: 'Lovelace' }, 'Lovelace'],
  [{ full_name: '', first_name: '' }, undefined],
])('the name of a buyer %j is %s', (buyer, name) => {
  expect(nameOf(buyer)).toBe(name);
});
