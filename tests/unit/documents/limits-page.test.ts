import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { routeTable } from '../../../src/routes/table.ts';
import { type Budget, BUDGETS, LIMITS, QUOTAS, RATE_LIMITS } from '../../../src/schemas/limits.ts';
import { ROOT } from '../../support/paths.ts';

const page = await readFile(join(ROOT, 'content/docs/limits.md'), 'utf8');

/** Rows of the page's tables: the cells of each. */
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.slice(2, -2).split(' | '));

/** The text of a section. */
const section = (title: string): string => page.split(`## ${title}\n`)[1]?.split('\n## ')[0] ?? '';

describe('the page about limits', () => {
  test.each([
    ['Rate limits', RATE_LIMITS],
    ['Quotas', QUOTAS],
  ] as const)('has under "%s" what src/schemas/limits.ts has, and nothing else', (title, limits) => {
    const listed = section(title)
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) => line.slice(2, -2).split(' | ').slice(0, 3));
    const expected = Object.entries(limits).map(([name, { requests, windowSeconds, per }]) => [
      `\`${name}\``,
      `${requests} in ${windowSeconds} seconds`,
      per,
    ]);
    expect(listed.sort()).toEqual(expected.sort());
  });

  test('has under "Budgets" what src/schemas/limits.ts has, and nothing else', () => {
    const listed = section('Budgets')
      .split('\n')
      .filter((line) => line.startsWith('| `'))
      .map((line) =>
        line
          .slice(2, -2)
          .split('|')
          .map((cell) => cell.trim())
          .slice(0, 4),
      );
    const expected = Object.entries<Budget>(BUDGETS).map(([name, { requests, withoutChallenge, stored }]) => [
      `\`${name}\``,
      String(requests),
      String(withoutChallenge),
      stored === undefined ? '' : String(stored.rows),
    ]);
    expect(listed.sort()).toEqual(expected.sort());
  });

  test('has the bounds of one request', () => {
    expect(Object.fromEntries(rows.filter(([, , answer]) => /^4\d\d `/.test(answer ?? '')).map(([what, most]) => [what, most]))).toEqual({
      address: `${LIMITS.urlMaxLength} characters`,
      body: `${LIMITS.bodyMaxBytes} bytes, ${LIMITS.intakeBodyMaxBytes} for a proposal`,
      'nesting of JSON': `${LIMITS.jsonMaxDepth} levels`,
      'members and items of JSON': `${LIMITS.jsonMaxKeys}`,
      'one text in JSON': `${LIMITS.jsonStringMaxLength} characters, ${LIMITS.intakeStringMaxLength} in a proposal`,
      'the same query parameter, where an operation takes some': 'once',
    });
  });

  test('and the one about selling agree on how often somebody may ask for an invoice', async () => {
    const selling = await readFile(join(ROOT, 'content/docs/selling.md'), 'utf8');
    expect([RATE_LIMITS.invoice.windowSeconds, QUOTAS.invoices.windowSeconds]).toEqual([3_600, 86_400]);
    expect(selling).toContain(`can send the form or the request ${RATE_LIMITS.invoice.requests} times in an hour`);
    expect(selling).toContain(`one network can leave ${QUOTAS.invoices.requests} a day`);
  });

  test('names exactly the operations that refuse query parameters which they do not know', () => {
    const [, named = ''] = /\n\n([^\n]*(?:\n[^\n]+)*?) refuse query parameters/.exec(page) ?? [];
    const refusing = routeTable({ baseUrl: 'https://signpost.example', checkoutHost: 'https://checkout.example' }).filter(
      ({ queryParameters }) => queryParameters?.safeParse({ unknown: '1' }).error?.issues.some(({ code }) => code === 'unrecognized_keys'),
    );
    expect([...named.matchAll(/`(\w+)`/g)].map(([, id]) => id).sort()).toEqual(refusing.map(({ id }) => id).sort());
  });

  test('shows headers with the published numbers', () => {
    const { network, query } = RATE_LIMITS;
    expect(page).toContain(
      `RateLimit-Policy: "network";q=${network.requests};w=${network.windowSeconds}, "query";q=${query.requests};w=${query.windowSeconds}`,
    );
  });
});
