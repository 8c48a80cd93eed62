import { describe, expect, it } from 'vitest';
import { fillPage } from '../../../src/http/fill-page.ts';
import { html } from '../../../src/http/html.ts';

const HOSTILE = `</title><script>alert("1")</script>'&lt;$&$1<!--slot:main-->`;

describe('html', () => {
  it('escapes every value, in text and in attributes, and joins lists', () => {
    expect(html`<p title="${HOSTILE}">${[HOSTILE, 7]}</p>`.text).toBe(`<p title="${escaped(HOSTILE)}">${escaped(HOSTILE)}7</p>`);
    expect(escaped(HOSTILE)).not.toMatch(/[<>"']/);
  });

  it('leaves markup of its own as it is, and writes nothing for nothing', () => {
    expect(html`<ul>${['a', '<'].map((text) => html`<li>${text}</li>`)}${undefined}</ul>`.text).toBe('<ul><li>a</li><li>&lt;</li></ul>');
  });

  it('takes an object that only looks like markup for a list or refuses it', () => {
    expect(() => html`${{ text: '<b>' } as never}`).toThrow(TypeError);
  });
});

describe('fillPage', () => {
  const deployment = { baseUrl: 'https://signpost.example', name: 'Sign & Post' } as never;
  const page = '<title>Built</title><!--slot:main--><p>built</p><!--/slot:main--><!--slot:rest-->kept<!--/slot:rest-->';
  const served = (body: string, status = 200) => ({ deployment, serveFile: async () => new Response(body, { status }) });

  it('puts content into slots and keeps the others, whatever signs the content holds', async () => {
    const filled = await fillPage('/p', { title: HOSTILE, slots: { main: html`<b>${HOSTILE}</b>` } }, served(page));
    expect(filled).toMatchObject({
      ok: true,
      value: {
        body: `<title>${escaped(HOSTILE)} · Sign &amp; Post</title><b>${escaped(HOSTILE)}</b><!--slot:rest-->kept<!--/slot:rest-->`,
      },
    });
  });

  it('allows forms only where they are named, and tells nobody the address of a secret page', async () => {
    const open = await fillPage('/p', { slots: {} }, served(page));
    const secret = await fillPage('/p', { slots: {}, kind: 'secret', formTargets: ["'self'", 'https://pay.example'] }, served(page));
    if (!open.ok || !secret.ok) throw new Error('the page was not filled');
    expect(open.value.headers['Content-Security-Policy']).toContain("form-action 'none'");
    expect(open.value.headers).not.toHaveProperty('X-Robots-Tag');
    expect(secret.value.headers['Content-Security-Policy']).toContain("form-action 'self' https://pay.example;");
    expect(secret.value.headers).toMatchObject({ 'X-Robots-Tag': 'noindex', 'Referrer-Policy': 'no-referrer' });
  });

  it.each([
    ['a page that is not there', served(page, 404)],
    ['a page without the slot', served('<title>Built</title>')],
    ['a slot that does not end', served('<!--/slot:main--><!--slot:main-->')],
    ['a host that does not answer', { deployment, serveFile: () => Promise.reject(new Error('down')) }],
  ])('refuses %s', async (_what, deps) => {
    expect(await fillPage('/p', { slots: { main: html`x` } }, deps)).toMatchObject({ ok: false, refusal: { code: 'file_unavailable' } });
  });
});

function escaped(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return [...text].map((character) => entities[character] ?? character).join('');
}
