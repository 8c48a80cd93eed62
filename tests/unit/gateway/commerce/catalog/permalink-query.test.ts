import { expect, test } from 'vitest';
import { readPermalinkQuery } from '../../../../../src/gateway/commerce/catalog/permalink-query.ts';

const passed = (query: string): Record<string, string> => Object.fromEntries(readPermalinkQuery(query).passedOn);

test.each([
  ['utm_source=a&utm_medium=b', { utm_source: 'a', utm_medium: 'b' }],
  ['?attribution/utm_source=email&utm_medium=sms&color=black&access_token=secret', { utm_source: 'email', utm_medium: 'sms' }],
  ['/attribution/utm_source=email', { utm_source: 'email' }],
  ['attribution%2Futm_source=email', { utm_source: 'email' }],
  ['attribution/utm_source=a&utm_source=b', { utm_source: 'a' }],
  ['utm_source=b&attribution/utm_source=a', { utm_source: 'a' }],
  ['client_reference_id=docs_1&utm_source=cs_1', { client_reference_id: 'docs_1', utm_source: 'cs_1' }],
])('of %s goes on what is allowed', (query, expected) => {
  expect(passed(query)).toEqual(expected);
});

test.each([
  ['the same name twice', 'utm_source=a&utm_source=b'],
  ['twice after normalisation', 'utm_source=a&/utm_source=b'],
  ['a field twice after normalisation', 'attribution/utm_source=a&/attribution/utm_source=a'],
  ['three times', 'utm_source=a&utm_source=b&utm_source=c'],
  ['a field of a buyer', 'buyer/email=alice%40foo.com&buyer/unknown=x'],
  ['what the server alone decides', 'totals/0/amount=0&status=completed&currency=EUR&order/id=x&id=x'],
  ['a quantity beside the path', 'line_items/0/quantity=5'],
  ['an attribution that is not for marketing', 'attribution/client_reference_id=x&attribution/ref=x'],
  ['a reference that may be the session of somebody else', `client_reference_id=cs_${'a'.repeat(32)}`],
  ['the same in upper case', `client_reference_id=CS_${'A'.repeat(32)}`],
  ['the same, percent-encoded and with a slash', `/client_reference_id=%63%53%5f${'0'.repeat(32)}`],
  ['any other that begins so', 'client_reference_id=cs_test_1'],
  ['a value that is not percent-encoded rightly', 'utm_source=%zz'],
  ['a name that is not percent-encoded rightly', '%zz=a'],
  ['no name', '=a&&&'],
])('%s has no effect', (_what, query) => {
  expect(passed(query)).toEqual({});
});

test('where to go on is named once or not at all', () => {
  expect(readPermalinkQuery('continue_to=/a%2Fb').continueTo).toBe('/a%2Fb');
  expect(readPermalinkQuery('continue_to=/a&continue_to=/b').continueTo).toBeUndefined();
  expect(readPermalinkQuery('/continue_to=/a').continueTo).toBeUndefined();
  expect(readPermalinkQuery('').continueTo).toBeUndefined();
});
