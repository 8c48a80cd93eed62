import { describe, expect, test } from 'vitest';
import { missingPolicyPages } from '../../../src/publication/check/check-offers.ts';
import { makeOffers } from '../../../src/publication/publish/make-offers.ts';
import { readContent } from '../../../src/publication/read-content.ts';
import { type Files, problemsOf, publisher, TODAY, writeWorld } from './content-world.ts';

const OFFER = 'offers/an-offer.md';
describe('an offer without house rules', () => {
  const easy = (offers: string): Files => ({ 'publisher.yaml': publisher({ editorial: undefined, offers }) });
  const own = { name: 'Winter service', price_usd: '90', checkout: '/demo/winter', demo: 'true' };
  const short = `---\n${Object.entries(own)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')}---\n\nWe clean and oil your *bicycle*. Bring it early.\n\n- Brakes\n`;

  async function readOffer(files: Files): Promise<unknown> {
    const { content } = await readContent(await writeWorld({ [OFFER]: short, ...files }), { today: TODAY });
    return content && makeOffers(content.offers, content.publisher)[0];
  }

  test('needs a name and a price; the rest comes from its text and its file, and terms that nobody states are absent', async () => {
    const offer = await readOffer(easy('{}'));
    expect(offer).toMatchObject({ name: 'Winter service', summary: 'We clean and oil your bicycle. Bring it early.', features: [] });
    expect(offer).toMatchObject({ updated: expect.stringMatching(/^\d{4}-\d\d-\d\d$/) as string });
    for (const name of ['category', 'delivery', 'refund', 'validUntil']) expect(offer).not.toHaveProperty(name);
  });

  test('has the terms of publisher.yaml where it states none', async () => {
    const offers = '{ category: service, delivery: Within a week., refund: Until we begin., valid_until: 2027-12-31 }';
    expect(await readOffer(easy(offers))).toMatchObject({
      category: 'service',
      delivery: 'Within a week.',
      refund: 'Until we begin.',
      validUntil: '2027-12-31',
    });
  });

  test('is refused with a last day of sale of publisher.yaml that has passed, where that stands', async () => {
    const problems = await problemsOf({ [OFFER]: short, ...easy('{ valid_until: 2026-01-01 }') });
    expect(problems).toEqual(['publisher.yaml:11 offers.valid_until: 2026-01-01 has passed; set a later date, or delete it']);
  });
});

test.each([
  ['in its first line', ` ${publisher()}`, 'publisher.yaml:1', 'name: Tests'],
  ['below comments', `# Who publishes\n\n ${publisher()}`, 'publisher.yaml:3', 'name: Tests'],
  ['further down', publisher().replace('\nbase_url', '\n base_url'), 'publisher.yaml:4', 'base_url: https://tests.example'],
])('publisher.yaml is refused where a field is indented %s, at that line', async (_where, text, place, field) => {
  expect(await problemsOf({ 'publisher.yaml': text })).toEqual([
    `${place} is not valid YAML: the field is indented too far; begin it in the column of the other fields. The line is \`${field}\``,
  ]);
});

test('warns at the first offer of pages about terms and refunds that nobody wrote', () => {
  const files = ['content/offers/b.md', 'content/offers/a.md'];
  expect(missingPolicyPages(files, new Set(['terms']))).toMatchObject([
    { file: 'content/offers/a.md', line: 1, level: 'warning', message: expect.stringContaining('write content/pages/refunds.md') },
  ]);
  expect(missingPolicyPages(files, new Set(['terms', 'refunds']))).toEqual([]);
  expect(missingPolicyPages([], new Set())).toEqual([]);
});
