import { expect, it } from 'vitest';
import { pageHeaders } from '../../../src/http/render-response.ts';

const refusal = { code: 'order_not_found', detail: 'No.' } as const;
const page = { page: 'error', props: { subject: 'order', refusal } } as const;

it('lets forms lead to this site, and elsewhere only where they say so', () => {
  expect(pageHeaders(page)['Content-Security-Policy']).toContain("form-action 'self';");
  expect(pageHeaders({ ...page, formTargets: ['https://pay.example'] })['Content-Security-Policy']).toContain(
    "form-action 'self' https://pay.example;",
  );
});

it('hides a secret page from search engines and from other sites, and an unlisted one from search engines', () => {
  expect(pageHeaders(page)).not.toHaveProperty('X-Robots-Tag');
  expect(pageHeaders({ ...page, visibility: 'unlisted' })).toMatchObject({ 'X-Robots-Tag': 'noindex' });
  expect(pageHeaders({ ...page, visibility: 'unlisted' })).not.toHaveProperty('Referrer-Policy');
  expect(pageHeaders({ ...page, visibility: 'secret' })).toMatchObject({ 'X-Robots-Tag': 'noindex', 'Referrer-Policy': 'no-referrer' });
});
