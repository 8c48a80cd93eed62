import { expect, test } from 'vitest';
import { routeTable } from '../../../../src/routes/route-table.ts';
import { BUDGETS, type Budget, QUOTAS, RATE_LIMITS } from '../../../../src/schemas/limits.ts';
import { guideText } from '../../../../src/site/guides/guide-text.ts';
import { ALL_FEATURES } from '../../../support/features.ts';
import { guideTemplate, sampleGuideSource } from '../../../support/sample-guide.ts';

/** The sample with everything switched on, so that every limit is in use. */
const page = guideText(await guideTemplate('limits'), { ...(await sampleGuideSource()), features: ALL_FEATURES });

const WINDOWS = new Map<number, string>([
  [60, 'minute'],
  [3_600, 'hour'],
  [86_400, 'day'],
]);

/** First cells of the rows of a section's table, without the last column. */
const rowsOf = (title: string): string[][] =>
  (page.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .slice(2, -2)
        .split('|')
        .map((cell) => cell.trim())
        .slice(0, -1),
    );

test.each([
  ['Rate limits', RATE_LIMITS],
  ['Quotas', QUOTAS],
] as const)('the guide lists all %s with their numbers, each in its own row', (title, limits) => {
  const expected = Object.entries(limits).map(([name, { requests, windowSeconds, per }]) => [
    `\`${name}\``,
    `${requests} per ${WINDOWS.get(windowSeconds)}`,
    per,
  ]);
  expect(rowsOf(title).sort()).toEqual(expected.sort());
});

test('the guide lists all budgets with their numbers, each in its own row', () => {
  const expected = Object.entries<Budget>(BUDGETS).map(([name, { requests, withoutChallenge, stored }]) => [
    `\`${name}\``,
    String(requests),
    String(withoutChallenge),
    stored === undefined ? '' : String(stored.rows),
  ]);
  expect(rowsOf('Budgets').sort()).toEqual(expected.sort());
});

test('the guide names exactly the operations that refuse unknown query parameters', () => {
  const [, named = ''] = /\n\n([^\n]*(?:\n[^\n]+)*?) refuse query\s+parameters/.exec(page) ?? [];
  const refusing = routeTable({ baseUrl: 'https://signpost.example', checkoutHost: 'https://checkout.example' }).filter(
    ({ queryParameters }) => queryParameters?.safeParse({ unknown: '1' }).error?.issues.some(({ code }) => code === 'unrecognized_keys'),
  );
  expect([...named.matchAll(/`(\w+)`/g)].map(([, id]) => id).sort()).toEqual(refusing.map(({ id }) => id).sort());
});
