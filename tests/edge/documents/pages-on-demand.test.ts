import { afterAll, describe, expect, it } from 'vitest';
import type { PageProps } from '../../../src/http/on-demand-page-props.ts';
import { OFFERS } from '../../support/orders.ts';
import { startPageServer } from '../../support/page-server.ts';

const { renderPage, stop } = await startPageServer();
afterAll(stop);

const HOSTILE = [
  `"><script>alert(1)</script>`,
  `' onfocus='alert(1)' autofocus='`,
  '</textarea><img src=x onerror=alert(1)>',
  '&quot;&#39;&lt;',
  '$& $1 {{7*7}}',
];
const FIELDS = ['name', 'email', 'company', 'address', 'tax_id', 'note'];

const form = (values: Record<string, string>, faults: { pointer: string; message: string }[] = []): Promise<string> => {
  const refusal: PageProps['invoice']['refusal'] = { code: 'invalid_request', detail: 'No.', errors: faults };
  return renderPage('invoice', { path: '/invoice', offers: OFFERS, values, ...(faults.length > 0 ? { refusal } : {}) });
};

describe('the form for an invoice', () => {
  it('has a label for every field', async () => {
    const text = await form({});
    for (const id of [...FIELDS, 'quantity.review', 'quantity.digest']) expect(text).toContain(`<label for="${id}"`);
    expect(text).not.toContain('role="alert"');
  });

  it.each(HOSTILE)('keeps %s as it was typed, as text alone', async (typed) => {
    const values = Object.fromEntries([...FIELDS, 'quantity.review', 'quantity.<b>'].map((name) => [name, typed]));
    const text = (await form(values, [{ pointer: '/items/1/id', message: typed }])).split('<main')[1]?.replace(/="[^"]*"/g, '') ?? '';
    expect(text.match(/<(img|b)\b[^>]*(alert|x)|<script>alert/g)).toBeNull();
    expect(text.match(/<(input|textarea)[^>]* onfocus=/g)).toBeNull();
    expect(text.split('<textarea').length).toBe(text.split('</textarea>').length);
  });

  it('puts what is wrong next to its field and above the form, with links to the fields', async () => {
    const text = await form({ email: 'no mail' }, [
      { pointer: '/email', message: 'must be an e-mail address' },
      { pointer: '/other', message: 'is unknown' },
    ]);
    expect(text).toContain('<a href="#email">Enter a valid e-mail address.</a>');
    expect(text).toContain('The form has no field “other”');
    expect(text).toMatch(/value="no mail"[^>]*aria-invalid="true"|aria-invalid="true"[^>]*value="no mail"/);
    expect(text).toContain('id="email-fault"');
  });

  it('says when what was refused for today can be sent again', async () => {
    const refusal = { code: 'quota_exceeded', detail: 'No.', retryAfterSeconds: 3_600 } as const;
    const page = await renderPage('contact', { values: { message: 'one more' }, refusal });
    expect(page).toContain('one more</textarea>');
    expect(page).toContain('Nothing was sent this time. The limit for today is reached. Try again in 1 hour.');
  });

  it('keeps line breaks of longer texts, also at their beginning', async () => {
    expect(await form({ note: '\none\ntwo' })).toMatch(/<textarea[^>]*>\n\none\ntwo<\/textarea>/);
  });
});

it('shows text of a refusal and of an order as text alone', async () => {
  for (const detail of HOSTILE) {
    const page = await renderPage('error', {
      subject: 'cart',
      refusal: { code: 'cart_refused', detail },
      wrongItems: [{ offer: detail }, { offer: detail, quantity: detail }],
    });
    expect((page.split('<main')[1]?.replace(/="[^"]*"/g, '') ?? '').match(/<script>alert|<img src=x|<[a-z]+[^>]* onfocus=/g)).toBeNull();
  }
});

const AT = '2027-01-01T00:00:00Z';
const LINE = { offer_id: 'text', name: 'Text', quantity: 1, unit_minor: 900, total_minor: 900, cadence: 'one_time' as const };
const ORDER = {
  ...{ kind: 'order' as const, id: 'ord_1', receipt: 'rct_1', state: 'confirmed' as const, created_at: AT, updated_at: AT },
  ...{ currency: 'USD', total_minor: 900, refunded_minor: 0, lines: [LINE], adjustments: [], deliveries: [], next: [], demo: false },
  url: 'https://signpost.example/orders/rct_1',
  contact: { email: 'desk@signpost.example', url: 'https://signpost.example/contact' },
};

it('shows what is left of the credit of an order, and what the credit opens', async () => {
  const opened = [{ leftMinor: 450, endsAtMs: undefined, texts: [{ capsule_id: 'bm25', title: 'A text', tags: [] }] }];
  const page = await renderPage('order', { order: ORDER, demo: 'none', texts: [], pass: { secret: 'pas_1', opened } });
  expect(page).toContain('$4.50 of your credit is left.');
  expect(page).toContain('href="/capsules/bm25?pass=pas_1"');
});

it('shows $0, and not that it is free, where a demonstration took nothing for what has a price', async () => {
  const shown = async (unit_minor: number): Promise<string> => {
    const lines = [{ ...LINE, unit_minor, total_minor: unit_minor }];
    const adjustments = unit_minor === 0 ? [] : [{ reason: 'demonstration' as const, amount_minor: -unit_minor }];
    const page = await renderPage('order', { order: { ...ORDER, total_minor: 0, lines, adjustments, demo: true }, demo: 'all', texts: [] });
    return (
      /<tfoot>[\s\S]*<\/tfoot>/
        .exec(page)?.[0]
        .replace(/<[^>]*>|\s+/g, ' ')
        .trim() ?? ''
    );
  };
  expect(await shown(900)).toMatch(/-\$9 +Total +\$0$/);
  expect(await shown(0)).toMatch(/^Total +Free$/);
});

it('says of an order of which a part is delivered at once that it is delivered in part', async () => {
  const deliveries = [{ name: 'text', kind: 'file' as const, title: 'Text', url: `${ORDER.url}/text` }];
  const lead = async (awaitsWork: boolean): Promise<string | undefined> => {
    const page = await renderPage('order', { order: { ...ORDER, deliveries }, demo: 'none', awaitsWork, texts: [] });
    return /Paid\. Delivered[^.<]*\./.exec(page)?.[0];
  };
  expect([await lead(true), await lead(false)]).toEqual(['Paid. Delivered in part.', 'Paid. Delivered.']);
});

it('is not indexed and names no address of its own, whoever it is for', async () => {
  const page = await renderPage('session', {
    id: `cs_${'0'.repeat(32)}`,
    state: 'expired',
    lines: [],
    currency: 'USD',
    totalMinor: 0,
    receipt: undefined,
  });
  expect(page).toContain('<meta name="robots" content="noindex"');
  expect(page).not.toContain('rel="canonical"');
  expect(page.split('</head>')[0]).not.toContain('cs_0');
});
