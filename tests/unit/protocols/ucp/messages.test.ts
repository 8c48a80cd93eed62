import { expect, test } from 'vitest';
import { ucpMessages } from '../../../../src/protocols/ucp/http-binding.ts';

test('ucpMessages() writes a path and no JSON Pointer into texts for people', () => {
  const errors = [
    { pointer: '/line_items/0/quantity', message: 'must be at least 1' },
    { pointer: '/buyer', message: 'is unknown' },
  ];
  const detail = 'The body has 2 faults. The first: /line_items/0/quantity must be at least 1.';
  expect(ucpMessages({ code: 'invalid_request', detail, errors }, 'recoverable')).toMatchObject([
    { path: '$.line_items[0].quantity', content: 'The body has 2 faults. The first: line_items[0].quantity must be at least 1.' },
    { path: '$.buyer', content: 'buyer is unknown.' },
  ]);
});
