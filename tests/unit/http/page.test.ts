import { expect, it } from 'vitest';
import { pageHeaders } from '../../../src/http/render-page.ts';

const refusal = { code: 'order_not_found', detail: 'No.' } as const;
const page = { page: 'error', props: { subject: 'order', refusal } } as const;

it('allows forms only where they are named', () => {
  expect(pageHeaders(page)['Content-Security-Policy']).toContain("form-action 'none'");
  expect(pageHeaders({ ...page, formTargets: ["'self'", 'https://pay.example'] })['Content-Security-Policy']).toContain(
    "form-action 'self' https://pay.example;",
  );
});

it('hides a secret page from search engines and from other sites, and an unlisted one from search engines', () => {
  expect(pageHeaders(page)).not.toHaveProperty('X-Robots-Tag');
  expect(pageHeaders({ ...page, visibility: 'unlisted' })).toMatchObject({ 'X-Robots-Tag': 'noindex' });
  expect(pageHeaders({ ...page, visibility: 'unlisted' })).not.toHaveProperty('Referrer-Policy');
  expect(pageHeaders({ ...page, visibility: 'secret' })).toMatchObject({ 'X-Robots-Tag': 'noindex', 'Referrer-Policy': 'no-referrer' });
});
