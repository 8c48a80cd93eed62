import { describe, expect, test } from 'vitest';
import { fileDigest } from '../../../../src/publication/frozen-versions.ts';
import { payableContent, publishCapsules } from '../../../../src/publication/publish/published-capsules.ts';
import { readContent } from '../../../../src/publication/read-content.ts';
import { capsulePrice, microDollars, priceText, textPrices } from '../../../../src/schemas/commerce/capsule-price.ts';
import { BODY, capsule, problemsOf, publisher, TODAY, writeWorld } from '../content-world.ts';

const paid = (fields: Readonly<Record<string, string>> = {}, body?: string): string =>
  capsule({ access: 'paid', price_usd: '0.05', ...fields }, body);

const PAYMENTS = '{ pay_to: "0x1111111111111111111111111111111111111111", network: "eip155:84532", facilitator: "https://f.example" }';

describe('the price of a capsule', () => {
  test.each(['0.05', '1', '0.000001', '0.123456', '0.3', '9999.123457', '10000'])(
    'of %s dollars is taken for a paid one',
    async (price_usd) => expect(await problemsOf({ 'capsules/a-capsule.md': paid({ price_usd }) })).toEqual([]),
  );

  test.each([
    [{ access: 'paid' }, ['1 price_usd: is missing; a paid capsule needs a price in dollars, such as 0.05']],
    [{ price_usd: '0.05' }, ['12 price_usd: is only for a paid capsule; set "access: paid", or delete it']],
    [{ access: 'paid', price_usd: '0' }, ['13 price_usd: must be above 0']],
    [{ access: 'paid', price_usd: '-0.1' }, ['13 price_usd: must be above 0']],
    [{ access: 'paid', price_usd: '10000.01' }, ['13 price_usd: must be at most 10,000']],
    [{ access: 'paid', price_usd: '0.0000001' }, ['13 price_usd: must have at most 6 decimals']],
    [{ access: 'paid', price_usd: '0.1234567' }, ['13 price_usd: must have at most 6 decimals']],
    [{ access: 'paid', price_usd: '"0.05"' }, ['13 price_usd: must be a number']],
    [{ access: 'paid', prices: '{ USD: 1 }' }, ['13 prices.USD: belongs into price_usd']],
    [{ access: 'paid', prices: '{ JPY: 0.5 }' }, ['13 prices.JPY: must be a whole number: JPY has no decimals']],
    [{ prices: '{ EUR: 1 }' }, ['12 prices: is only for a paid capsule; set "access: paid", or delete it']],
  ])('is refused with %j', async (fields, problems) => {
    expect(await problemsOf({ 'capsules/a-capsule.md': capsule(fields) })).toEqual(
      problems.map((problem) => `capsules/a-capsule.md:${problem}`),
    );
  });

  test('is in other currencies too, with their decimals, and in those alone', async () => {
    expect(await problemsOf({ 'capsules/a-capsule.md': capsule({ access: 'paid', prices: '{ EUR: 0.5 }' }) })).toEqual([]);
    expect(textPrices(1, { EUR: 0.5, JPY: 90 })).toEqual({
      price: { amount: '1.00', currency: 'USD' },
      prices: [
        { amount: '0.50', currency: 'EUR' },
        { amount: '90', currency: 'JPY' },
      ],
    });
    expect(priceText(textPrices(undefined, { EUR: 0.5 }))).toBe('0.50 EUR');
  });

  test.each([
    [0.05, '0.05', 50_000],
    [1, '1.00', 1_000_000],
    [0.1, '0.10', 100_000],
    [0.000001, '0.000001', 1],
    [0.123456, '0.123456', 123_456],
    [0.29, '0.29', 290_000],
    [0.07, '0.07', 70_000],
    [9_999.123457, '9999.123457', 9_999_123_457],
  ])('of %d is written %j, which is %d micro-dollars', (usd, amount, micro) => {
    expect(capsulePrice(usd)).toEqual({ amount, currency: 'USD' });
    expect(microDollars(capsulePrice(usd))).toBe(micro);
  });
});

describe('a paid capsule', () => {
  const LEFT_OUT = 'which is paid and not published without payments; only a paid capsule may name a paid one';

  test('may rest on public ones and on other paid ones, and link to both', async () => {
    const body = `[One](/capsules/a-capsule) and [another](/capsules/b-paid).\n\n${BODY}`;
    const files = { 'capsules/b-paid.md': paid(), 'capsules/c-paid.md': paid({ derived_from: '[a-capsule]', cites: '[b-paid]' }, body) };
    expect(await problemsOf(files)).toEqual([]);
  });

  test.each(['derived_from', 'cites'])('is not named under %s by a public one', async (field) => {
    expect(await problemsOf({ 'capsules/b-paid.md': paid(), 'capsules/c-free.md': capsule({ [field]: '[a-capsule, b-paid]' }) })).toEqual([
      `capsules/c-free.md:12 ${field}[1]: names the capsule "b-paid", ${LEFT_OUT}`,
    ]);
  });

  test('is not superseded by a public one', async () => {
    const supersedes = '[{ capsule: b-paid, reason: It was too dear for what it said. }]';
    expect(await problemsOf({ 'capsules/b-paid.md': paid(), 'capsules/c-free.md': capsule({ supersedes }) })).toEqual([
      `capsules/c-free.md:12 supersedes[0].capsule: names the capsule "b-paid", ${LEFT_OUT}`,
    ]);
  });

  test('is linked to by no page that is there without it', async () => {
    const link = 'See [the paid one](/capsules/b-paid).';
    const page = `---\ntitle: A page\ndescription: A page of this small world that links to a paid capsule.\nupdated: 2026-11-02\n---\n\n${link}\n\n${BODY.replaceAll('[^one]', '')}`;
    const problems = await problemsOf({
      'capsules/b-paid.md': paid(),
      'capsules/c-free.md': capsule({}, `${link}\n\n${BODY}`),
      'pages/a-page.md': page,
    });
    expect(problems).toHaveLength(2);
    for (const problem of problems)
      expect(problem).toMatch(/^(capsules\/c-free|pages\/a-page)\.md:\d+ text: links to \/capsules\/b-paid, which is paid and not/);
  });

  test('is checked like any other where payments are off', async () => {
    expect(await problemsOf({ 'capsules/b-paid.md': paid({}, 'Too short.\n') })).not.toEqual([]);
  });

  test('is published only where it can be paid', async () => {
    const idsIn = async (mode: 'edge' | 'static', payments: string | undefined): Promise<string[]> => {
      const files = { 'capsules/b-paid.md': paid(), 'publisher.yaml': publisher({ payments }) };
      const { content, problems } = await readContent(await writeWorld(files), { today: TODAY });
      if (content === undefined) throw new Error(JSON.stringify(problems));
      return payableContent(content, mode).capsules.map(({ id }) => id);
    };
    expect(await idsIn('edge', PAYMENTS)).toEqual(['a-capsule', 'b-paid']);
    expect(await idsIn('edge', undefined)).toEqual(['a-capsule']);
    expect(await idsIn('static', PAYMENTS)).toEqual(['a-capsule']);
  });

  test('was never free: a version that was published as such is in the hands of others', async () => {
    const newer = { version: '1.1.0', updated: '2026-11-03' };
    const filesAfter = (frozen: string): Record<string, string> => ({
      'capsules/b-paid.md': paid(newer),
      'capsules/versions/b-paid/1.0.0.md': frozen,
      'capsules/versions/SHA256SUMS': `${fileDigest(frozen)}  b-paid/1.0.0.md\n`,
    });
    expect(await problemsOf(filesAfter(capsule()))).toEqual([
      'capsules/b-paid.md:12 access: must stay "public", because version 1.0.0 was published for free; sell another capsule, which may derive from it',
    ]);
    expect(await problemsOf(filesAfter(paid()))).toEqual([]);
  });

  test.each([
    ['A free part.[^one]\n\n<!-- paid -->\n\n## Sold\n\nIt.\n', { markdown: 'A free part.[^one]\n\n', sections: 1, headings: ['Sold'] }],
    ['A free part.[^one]\n<!--paid-->\nSold.\n', { markdown: 'A free part.[^one]\n', sections: 0 }],

    ['```html\n<!-- paid -->\n```\n\nSold.[^one]\n', { sections: 0 }],
    ['Sold.[^one]\n', { sections: 0 }],
  ])('has what stands before the line as its preview: %j', async (body, preview) => {
    const { content, problems } = await readContent(await writeWorld({ 'capsules/b-paid.md': paid({}, `${body}\n${BODY}`) }), {
      today: TODAY,
    });
    const [free, sold] = content ? await publishCapsules(content) : [];
    expect([problems, free?.preview, sold?.preview]).toEqual([[], undefined, preview]);
  });

  test('has the preview of its front matter, before that of a line in the text', async () => {
    const preview = '"*Free* words.[^one]"';
    const body = `In between.[^one]\n\n<!-- paid -->\n\n## Sold \`now\`\n\n${BODY}`;
    const { content } = await readContent(await writeWorld({ 'capsules/b-paid.md': paid({ preview }, body) }), { today: TODAY });
    const [, sold] = content ? await publishCapsules(content) : [];
    expect(sold?.preview).toEqual({ markdown: '*Free* words.[^one]', sections: 1, headings: ['Sold now'] });
    expect(await problemsOf({ 'capsules/a-capsule.md': capsule({ preview }) })).toEqual([
      'capsules/a-capsule.md:12 preview: is only for a paid capsule; set "access: paid", or delete it',
    ]);
  });

  test('has its price in all versions, and none while it is free', async () => {
    const { content } = await readContent(await writeWorld({ 'capsules/b-paid.md': paid() }), { today: TODAY });
    const [free, sold] = content ? await publishCapsules(content) : [];
    expect(free?.metadata).not.toHaveProperty('price');
    expect(sold?.versions.map(({ metadata }) => [metadata.access, metadata.price])).toEqual([
      ['paid', { amount: '0.05', currency: 'USD' }],
    ]);
  });
});
