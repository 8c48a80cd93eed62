import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { continueTo } from '../../../../../src/gateway/commerce/catalog/continue-to.ts';

const BASE = 'https://signpost.example';

test.each([
  ['/', '/'],
  ['/collections/spring', '/collections/spring'],
  ['%2Fcollections%2Fspring', '/collections/spring'],
  ['/a/./b/../c', '/a/c'],
  ['/caf%C3%A9', '/caf%C3%A9'],
  ['/buy/review:1', '/buy/review:1'],
  ['/a?x=1#y', '/a'],
  ['/../../a', '/a'],
])('%s leads to %s', (sent, path) => {
  expect(continueTo(sent, BASE)).toBe(BASE + path);
});

test.each([
  '',
  'a',
  '//evil.example',
  '%2F%2Fevil.example',
  '/%2Fevil.example',
  '/%252Fevil.example',
  '/%252e%252e//evil.example',
  '///evil.example',
  '/\\evil.example',
  '/%5Cevil.example',
  '/%255Cevil.example',
  '\\\\evil.example',
  'https://evil.example',
  'https:%2F%2Fevil.example',
  'javascript:alert(1)',
  '/javascript:alert(1)',
  '/https://evil.example',
  '/data:text/html,x',
  '/.//evil.example',
  '/..//evil.example',
  '/a/..//evil.example',
  '/%09/evil.example',
  '/%0A/evil.example',
  '/a%0D%0ALocation:%20https://evil.example',
  '/a%00',
  '/a b',
  '/a%20b',
  '/a%C2%A0b',
  '/a%E2%80%A8b',
  '/a%E2%80%AEb',
  '/a%EF%BB%BFb',
  '/%zz',
  '/%C0%AF',
  '/%E3%80',
])('%s leads nowhere', (sent) => {
  expect(continueTo(sent, BASE)).toBeUndefined();
});

test('whatever is asked for, it stays on this site, in plain ASCII', () => {
  const piece = fc.constantFrom(
    '/',
    '//',
    '\\',
    '.',
    '..',
    '@',
    ':',
    '%2f',
    '%5c',
    '%09',
    '%0d%0a',
    'evil.example',
    'https:',
    '?',
    '#',
    ' ',
    'é',
    '\t',
    '%25',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(piece, { maxLength: 8 }).map((pieces) => `/${pieces.join('')}`),
        fc.string({ unit: 'binary' }),
      ),
      (sent) => {
        const address = continueTo(sent, BASE);
        if (address === undefined) return;
        expect(address).toMatch(/^https:\/\/signpost\.example\/(?!\/)[\x21-\x7e]*$/);
        expect(address).not.toContain('\\');
        expect(new URL(address).origin).toBe(BASE);
        // A browser that reads it relative to any page of the site comes to the same place.
        expect(new URL(new URL(address).pathname, `${BASE}/buy/x`).href).toBe(address);
      },
    ),
    { numRuns: 5_000 },
  );
});
