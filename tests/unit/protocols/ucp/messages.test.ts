import { expect, test } from 'vitest';
import { type FieldError, refuse, withFurtherErrors } from '../../../../src/gateway/result.ts';
import { ACP_BINDING } from '../../../../src/protocols/acp/http-binding.ts';
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

test('the errors of other parts of a request are all named after a refusal that has none of its own', () => {
  const errors: FieldError[] = [
    { pointer: '/currency', message: 'is missing' },
    { pointer: '/line_items', message: 'is missing' },
  ];
  const refusal = withFurtherErrors(refuse('api_key_expired', 'The key has expired.').refusal, errors, 20);
  expect(ucpMessages(refusal, 'recoverable').map(({ path, content }) => [path, content])).toEqual([
    [undefined, 'The key has expired.'],
    ['$.currency', 'currency is missing.'],
    ['$.line_items', 'line_items is missing.'],
  ]);
  const acp = ACP_BINDING.errorBody(refusal, { baseUrl: '', requestId: '' });
  expect(acp).toMatchObject({ message: 'The key has expired. Also: /currency is missing. /line_items is missing.' });
  expect(acp).not.toHaveProperty('param');
});
