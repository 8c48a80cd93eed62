import { describe, expect, test } from 'vitest';
import { ERRORS, type ErrorCode } from '../../../../src/gateway/errors.ts';
import type { Protocol } from '../../../../src/http/define-route.ts';
import { errorsOf } from '../../../../src/http/define-route.ts';
import { routeTable } from '../../../../src/routes/route-table.ts';
import { LIMITS } from '../../../../src/schemas/limits.ts';
import type { GuideId } from '../../../../src/schemas/paths.ts';
import { sampleGuide } from '../../../support/sample-guide.ts';

const table = routeTable({
  baseUrl: 'https://signpost.example',
  checkoutHost: 'checkout.example',
  commerce: { acp: true, ucp: true },
});
/** Code of an error in the words of a protocol: the first member of that name that is a text. */
const codeIn = (protocol: Protocol, code: ErrorCode): string => {
  const body = JSON.stringify(protocol.errorBody({ code, detail: '' }, { baseUrl: '', requestId: '' }));
  return /"code":"(\w+)"/.exec(body)?.[1] ?? body;
};
/** Codes and statuses of all operations below a path, and of addresses without one. */
const answered = (prefix: string): string[] => {
  const routes = table.flatMap((route) => (route.protocol?.prefix.startsWith(prefix) ? [{ route, protocol: route.protocol }] : []));
  const pairs = routes.flatMap(({ route, protocol }) =>
    [...errorsOf(route), 'route_not_found' as const, 'method_not_allowed' as const].map(
      (code) => `${protocol.statusOf(code)} ${codeIn(protocol, code)}`,
    ),
  );
  return [...new Set(pairs)].sort();
};
const errorsIn = async (id: GuideId): Promise<string> => (await sampleGuide(id)).split('\n## Errors')[1] ?? '';
/** Codes and statuses of the error table of a guide. */
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
