import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { guidesOf } from '../../../../src/documents/page-registry.ts';
import { ERRORS, type ErrorCode } from '../../../../src/gateway/errors.ts';
import { errorsOf, type Protocol, statusOf } from '../../../../src/http/define-route.ts';
import { routeTable } from '../../../../src/routes/route-table.ts';
import { RESULT_KINDS } from '../../../../src/schemas/knowledge/kinds-and-levels.ts';
import { BUDGETS, type Budget, LIMITS, QUOTAS, RATE_LIMITS } from '../../../../src/schemas/limits.ts';
import { GUIDE_IDS, type GuideId, PATHS } from '../../../../src/schemas/paths.ts';
import { guideText } from '../../../../src/site/guides/guide-text.ts';
import { checkText, STRICT_TEXT } from '../../../../src/text/check/check-text.ts';
import { parseText } from '../../../../src/text/markdown/parse-text.ts';
import { ALL_FEATURES, NO_FEATURES } from '../../../support/features.ts';
import { ROOT } from '../../../support/paths.ts';
import { guideTemplate, sampleGuide, sampleGuideSource } from '../../../support/sample-guide.ts';

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

test.each([
  ['with', ALL_FEATURES, RESULT_KINDS],
  ['without', NO_FEATURES, RESULT_KINDS.filter((kind) => kind !== 'offer')],
] as const)('the guide about searching lists the kinds that a site %s a shop accepts', async (_name, features, kinds) => {
  const [, section = ''] = guideText(await guideTemplate('searching'), { ...source, features }).split('\n## Kinds\n');
  const [, table = ''] = section.split('\n\n').filter((part) => part !== '');
  expect(table.split('\n').flatMap((row) => /^\| `(\w+)` \|/.exec(row)?.[1] ?? [])).toEqual(kinds);
});

test('a part for a feature that does not exist, and a placeholder without a value, are refused', () => {
  expect(() => guideText('{{if music}}la{{end}}', source)).toThrow('the part "music"');
  expect(() => guideText('{{no_such_value}}', source)).toThrow(RangeError);
});

test.each([
  ['open', 'for a solved challenge'],
  ['granted', 'to which its publisher granted'],
] as const)('the guide about proposals says what holds where intake is %s', async (intake, words) => {
  expect(guideText(await guideTemplate('proposing'), { ...source, publisher: { ...source.publisher, intake } })).toContain(words);
});

/** The sample with everything switched on, so that every limit is in use. */
const page = guideText(await guideTemplate('limits'), { ...(await sampleGuideSource()), features: ALL_FEATURES });

const WINDOWS: Readonly<Record<number, string>> = { 60: 'minute', 3600: 'hour', 86400: 'day' };

const limitRows = (limits: typeof RATE_LIMITS | typeof QUOTAS): string[] =>
  Object.entries(limits).map(
    ([name, { requests, windowSeconds, per }]) => `| \`${name}\` | ${requests} per ${WINDOWS[windowSeconds]} | ${per} |`,
  );

test.each([
  ['Rate limits', limitRows(RATE_LIMITS)],
  ['Quotas', limitRows(QUOTAS)],
  [
    'Budgets',
    Object.entries<Budget>(BUDGETS).map(
      ([name, { requests, withoutChallenge, stored }]) => `| \`${name}\` | ${requests} | ${withoutChallenge} | ${stored?.rows ?? ''} |`,
    ),
  ],
])('the guide lists all %s with their numbers, each in its own row', (title, expected) => {
  const section = page.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
  expect(
    section
      .split('\n')
      .flatMap((line) => /^(\| `.*\|)[^|]*\|$/.exec(line)?.[1] ?? [])
      .sort(),
  ).toEqual(expected.sort());
});

test('the guide names exactly the operations that refuse unknown query parameters', () => {
  const [, named = ''] = /\n\n([^\n]*(?:\n[^\n]+)*?) refuse query\s+parameters/.exec(page) ?? [];
  const refusing = routeTable({ baseUrl: 'https://signpost.example', checkoutHost: 'https://checkout.example' }).filter(
    ({ queryParameters }) => queryParameters?.safeParse({ unknown: '1' }).error?.issues.some(({ code }) => code === 'unrecognized_keys'),
  );
  expect([...named.matchAll(/`(\w+)`/g)].map(([, id]) => id).sort()).toEqual(refusing.map(({ id }) => id).sort());
});

const table = routeTable({ baseUrl: 'https://signpost.example', checkoutHost: 'checkout.example', commerce: { acp: true, ucp: true } });
/** Code of an error in the words of a protocol: the first member of that name that is a text. */
const codeIn = (protocol: Protocol, code: ErrorCode): string => {
  const body = JSON.stringify(protocol.errorBody({ code, detail: '' }, ''));
  return /"code":"(\w+)"/.exec(body)?.[1] ?? body;
};
const answered = (prefix: string): string[] => {
  const routes = table.flatMap((route) => (route.protocol?.prefix.startsWith(prefix) ? [{ route, protocol: route.protocol }] : []));
  const pairs = routes.flatMap(({ route, protocol }) =>
    [...errorsOf(route), 'route_not_found' as const, 'method_not_allowed' as const].map(
      (code) => `${statusOf(code, protocol)} ${codeIn(protocol, code)}`,
    ),
  );
  return [...new Set(pairs)].sort();
};
const errorsIn = async (id: GuideId): Promise<string> => (await sampleGuide(id)).split('\n## Errors')[1] ?? '';
const documented = (text: string): string[] =>
  [...text.matchAll(/^\| (`[^|]+) \| ([^|]+) \|/gm)]
    .flatMap(([, codes = '', statuses = '']) =>
      [...codes.matchAll(/`(\w+)`/g)].flatMap(([, code]) => [...statuses.matchAll(/\d{3}/g)].map(([status]) => `${status} ${code}`)),
    )
    .sort();

describe.each([
  // A version that is missing has a code of its own, which depends on the request.
  ['agentic-commerce', '/api/v1/acp', ['400 missing_api_version']],
  ['universal-commerce', '/api/v1/ucp', []],
] as const)('the errors in the guide %s', (name, prefix, more) => {
  test('are exactly those that its operations and addresses return', async () => {
    expect(documented(await errorsIn(name))).toEqual([...answered(prefix), ...more].sort());
  });

  test('state the size of a body that is too large', async () => {
    expect(await errorsIn(name)).toContain(`${LIMITS.bodyMaxBytes / 1_024} KiB`);
  });
});

test('the codes of UCP that are not in the list of errors are named', async () => {
  const protocol = table.find((route) => route.protocol?.name === 'ucp')?.protocol;
  if (protocol === undefined) throw new Error('the table has no operation of UCP');
  const outcomes = (['offer_not_found', 'cart_refused', 'session_not_found'] as const).map((code) => codeIn(protocol, code));
  expect(outcomes.some((code) => Object.hasOwn(ERRORS, code))).toBe(false);
  for (const code of outcomes) expect(await errorsIn('universal-commerce')).toContain(`\`${code}\``);
});
