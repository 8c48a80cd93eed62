import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { guidesOf } from '../../../../src/documents/page-registry.ts';
import { GUIDE_IDS, PATHS } from '../../../../src/schemas/paths.ts';
import { guideText } from '../../../../src/site/guides/guide-text.ts';
import { checkText, STRICT_TEXT } from '../../../../src/text/check/check-text.ts';
import { parseText } from '../../../../src/text/markdown/parse-text.ts';
import { ALL_FEATURES, NO_FEATURES } from '../../../support/features.ts';
import { ROOT } from '../../../support/paths.ts';
import { guideTemplate, sampleGuideSource } from '../../../support/sample-guide.ts';

const BASE_URL = 'https://guides.example';
const source = await sampleGuideSource(BASE_URL);

test('every guide has a text and an entry in the list of pages, and nothing else does', () => {
  const texts = readdirSync(join(ROOT, 'src/site/guides')).flatMap((name) => (name.endsWith('.md') ? [name.slice(0, -3)] : []));
  expect(texts.sort()).toEqual([...GUIDE_IDS].sort());
  expect(guidesOf('edge', ALL_FEATURES).map(({ id }) => id)).toEqual([...GUIDE_IDS]);
});

test.each([
  ['static', 'static', {}, ['verifying']],
  ['without protocols', 'edge', { acp: false, ucp: false }, GUIDE_IDS.filter((id) => !id.endsWith('-commerce'))],
  ['without payments', 'edge', { payments: false }, GUIDE_IDS.filter((id) => id !== 'paying')],
  ['with closed intake', 'edge', { intake: false }, GUIDE_IDS.filter((id) => id !== 'proposing')],
] as const)('a site %s has only the guides of what it offers', (_name, mode, off, expected) => {
  expect(guidesOf(mode, { ...ALL_FEATURES, ...off }).map(({ id }) => id)).toEqual(expected);
});

describe.each(GUIDE_IDS)('the guide %s', (id) => {
  test('is about the site that shows it, not about the sample or a machine', async () => {
    const template = await guideTemplate(id);
    expect(template).not.toMatch(/127\.0\.0\.1|localhost|[Ss]ignpost|\bsample\b|`?content\//);
    const text = guideText(template, source);
    expect(text).not.toMatch(/\{\{[a-z]/);
    if (template.includes('curl')) expect(text).toContain(BASE_URL);
  });

  test('passes the checks of published texts, and links only to what every such site has', async () => {
    const linkExists = (path: string): boolean =>
      Object.values<string>(PATHS).includes(path) ||
      path.startsWith(`${PATHS.api}/`) ||
      GUIDE_IDS.some((guide) => !guide.endsWith('-commerce') && path.startsWith(`${PATHS.docs}/${guide}`));
    const rules = { levels: STRICT_TEXT, words: { level: 'error', min: 30, max: 4_000 }, sourceKeys: [], parse: parseText } as const;
    expect(checkText(guideText(await guideTemplate(id), source), rules, linkExists)).toEqual([]);
  });

  test('can be filled for a publication without capsules and offers', async () => {
    const template = await guideTemplate(id);
    expect(() => guideText(template, { ...source, features: NO_FEATURES, capsule: undefined, offers: [] })).not.toThrow();
  });
});

test.each(guidesOf('edge', NO_FEATURES))('the guide $id names nothing that is switched off', async ({ id }) => {
  const text = guideText(await guideTemplate(id), { ...source, features: NO_FEATURES, capsule: undefined, offers: [] });
  const words = /propos|submit|checkout|invoice|\bpaid\b|\bpay(s|ments?)?\b|price|offer|bought|\/buy|catalog|x402/i;
  expect(text.split('\n').filter((line) => words.test(line))).toEqual([]);
});

test('a part for a feature that does not exist is refused', () => {
  expect(() => guideText('{{if music}}la{{end}}', source)).toThrow('the feature "music"');
});

test('a placeholder without a value is refused', () => {
  expect(() => guideText('{{no_such_value}}', source)).toThrow(RangeError);
});

test.each([
  ['open', 'for a solved challenge'],
  ['granted', 'to which its publisher granted'],
] as const)('the guide about proposals says what holds where intake is %s', async (intake, words) => {
  expect(guideText(await guideTemplate('proposing'), { ...source, publisher: { ...source.publisher, intake } })).toContain(words);
});
