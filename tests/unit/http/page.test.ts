import { expect, it } from 'vitest';
import { pageHeaders } from '../../../src/http/render-response.ts';

const refusal = { code: 'order_not_found', detail: 'No.' } as const;
const GET = { method: 'GET' };
const page = { page: 'error', props: { subject: 'order', refusal } } as const;

it('lets forms lead to this site, and elsewhere only where they say so', () => {
  expect(pageHeaders(page, GET)['Content-Security-Policy']).toContain("form-action 'self';");
  expect(pageHeaders({ ...page, formTargets: ['https://pay.example'] }, GET)['Content-Security-Policy']).toContain(
    "form-action 'self' https://pay.example;",
  );
});

it('hides a secret page from search engines and from other sites, and an unlisted one from search engines', () => {
  expect(pageHeaders(page, GET)).not.toHaveProperty('X-Robots-Tag');
  expect(pageHeaders({ ...page, visibility: 'unlisted' }, GET)).toMatchObject({ 'X-Robots-Tag': 'noindex' });
  expect(pageHeaders({ ...page, visibility: 'unlisted' }, GET)).not.toHaveProperty('Referrer-Policy');
  expect(pageHeaders({ ...page, visibility: 'secret' }, GET)).toMatchObject({
    'X-Robots-Tag': 'noindex',
    'Referrer-Policy': 'no-referrer',
  });
});

it('lets a browser go back to the answer to a form, unless the page is secret', () => {
  const POST = { method: 'POST' };
  expect(pageHeaders({ ...page, visibility: 'unlisted' }, POST)['Cache-Control']).toBe('private, no-cache');
  expect(pageHeaders({ ...page, visibility: 'secret' }, POST)['Cache-Control']).toBe('private, no-store');
  expect(pageHeaders(page, GET)).not.toHaveProperty('Cache-Control');
});
