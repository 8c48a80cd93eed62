import { describe, expect, test } from 'vitest';
import { findBuyTarget, hostedLinkFor } from '../../../../../src/gateway/commerce/catalog/buy-target.ts';
import type { Deployment } from '../../../../../src/schemas/deployment.ts';

const deployment = {
  baseUrl: 'https://signpost.example',
  offers: [{ id: 'review', aliases: [], checkoutUrl: 'https://checkout.example/pay', validUntil: '2099-12-31' }],
} as unknown as Deployment;
const checkoutWith = (name: string, value: string): string => {
  const query = new URLSearchParams([
    ['go', ''],
    [name, value],
  ]).toString();
  const target = findBuyTarget({ segment: 'review', sentSegment: 'review', query }, deployment, '2027-01-01');
  return target.kind === 'redirect' ? target.location : target.kind;
};

describe.each([
  ['client_reference_id', 64],
  ['utm_source', 150],
  ['utm_medium', 150],
  ['utm_campaign', 150],
  ['utm_term', 150],
  ['utm_content', 150],
])('the parameter %s', (name, length) => {
  test.each(['a', 'Spring_sale-2', 'x'.repeat(length)])('is passed on to the checkout with the value %s', (value) => {
    expect(checkoutWith(name, value)).toBe(`https://checkout.example/pay?${name}=${value}`);
  });

  test.each(['', 'a b', ' a', 'a ', '<a', 'a>', '"a', 'a\n', 'x'.repeat(length + 1)])('is left out with the value %j', (value) => {
    expect(checkoutWith(name, value)).toBe('https://checkout.example/pay');
  });
});

test('a link of a session names it, and a link from elsewhere names none', () => {
  const id = `cs_${'0'.repeat(32)}`;
  expect(hostedLinkFor(id, 'https://checkout.example/pay')).toBe(`https://checkout.example/pay?client_reference_id=${id}`);
  expect(checkoutWith('client_reference_id', id)).toBe('https://checkout.example/pay');
});

test('no other parameter is passed on', () => {
  for (const name of ['', 'price', 'utm_id', 'UTM_TERM', 'utm_term2']) expect(checkoutWith(name, 'a')).toBe('https://checkout.example/pay');
});

test.each(['!review:1', 'a review:1', 'review:1!', 'review:1:1', 'review%3A1', 'review:1234567890123456'])(
  '"%s" names no offer',
  (segment) => {
    expect(findBuyTarget({ segment: decodeURIComponent(segment), sentSegment: segment, query: '' }, deployment, '2027-01-01')).toEqual({
      kind: 'page',
    });
  },
);
