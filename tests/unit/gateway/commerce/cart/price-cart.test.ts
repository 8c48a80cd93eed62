import { expect, test } from 'vitest';
import { payableIn, priceCart } from '../../../../../src/gateway/commerce/cart/price-cart.ts';

test('priceCart throws on an item that has not been checked, and leaves nothing out of a cart', () => {
  const items = [{ id: 'nope', quantity: 1, pointer: '/items/0/id' }];
  expect(() => priceCart(items, [], '2026-11-30', payableIn('USD', { processor: 'links' }))).toThrow(
    new TypeError('refuseUnsoldItems has not checked nope.'),
  );
});
