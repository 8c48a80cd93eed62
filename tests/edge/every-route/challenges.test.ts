import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { CHALLENGE_ADDRESS } from '../../../src/gateway/limits/quotas.ts';
import type { PageProps } from '../../../src/http/on-demand-page-props.ts';
import type { Challenge } from '../../../src/schemas/api-keys.ts';
import { BUDGETS, type Budget, LIMITS } from '../../../src/schemas/limits.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { useBudgets } from '../../support/budget-rows.ts';
import { builtGenerated } from '../../support/edge-gateway.ts';
import { expectRefusal } from '../../support/expect-problem.ts';
import { SAMPLE_OFFER, STORING_ROUTES } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';
import { startPageServer } from '../../support/page-server.ts';
import { solveChallenge } from '../../support/solve-challenge.ts';
import { STORING_OPERATIONS, type StoringOperation, type StoringRequest, storingRequest } from '../../support/storing-requests.ts';

const gateway = useInProcessGateway(async () => {
  const { deployment } = await builtGenerated();
  return {
    generated: { deployment: { ...deployment, commerce: { ...deployment.commerce, processor: 'stripe', merchantId: 'acct_1' } } },
    // Nothing listens there: a charge that is tried ends in an answer that it is not known.
    stripe: { secretKey: 'sk_test_of_this_test', apiBase: 'http://127.0.0.1:1' },
  };
});
const send = (path: string, init: RequestInit): Promise<Response> => gateway.fetch(path, init);
const requestOf = (id: string): Promise<StoringRequest> => storingRequest(id as StoringOperation, send);
const withHeader = ({ path, init }: StoringRequest, solution: string): Promise<Response> =>
  send(path, { ...init, headers: { ...(init.headers as Record<string, string>), 'Challenge-Solution': solution } });
const solved = async (): Promise<string> => {
  const challenge = (await (await gateway.fetch(CHALLENGE_ADDRESS)).json()) as Challenge;
  const { token, solution } = await solveChallenge(challenge);
  return `${token}.${solution}`;
};
let unspent: Promise<string> | undefined;
const unspentSolution = (): Promise<string> => (unspent ??= solved());
/** What a request gets that is let through: the payment processor is out of reach. */
const isLetThrough = (status: number): boolean => [200, 201, 202, 303].includes(status) || status === 503;

const open = (): Promise<void> => useBudgets(gateway.state(), () => 0);
const raise = (): Promise<void> => useBudgets(gateway.state(), ({ withoutChallenge }) => withoutChallenge);
const useUp = (): Promise<void> => useBudgets(gateway.state(), ({ requests }) => requests);
beforeEach(open);

describe.each(STORING_ROUTES)('$id 403 challenge_required', ({ id, route }) => {
  test('once callers together have used so much of the budget, and a solved challenge lets one request through', async () => {
    const [first, second, third] = [await requestOf(id), await requestOf(id), await requestOf(id)];
    expect(isLetThrough((await send(first.path, first.init)).status)).toBe(true);
    await raise();
    const { text, retryAfterSeconds } = await expectRefusal(await send(second.path, second.init), 'challenge_required', route);
    expect(text).toContain(CHALLENGE_ADDRESS);
    expect(text).toContain('Challenge-Solution');
    expect(retryAfterSeconds).toBeUndefined();
    const challenge = await solved();
    expect(isLetThrough((await withHeader(second, challenge)).status)).toBe(true);
    await expectRefusal(await withHeader(third, challenge), 'challenge_invalid', route);
    const refused = await send(third.path, third.init);
    expect(refused.headers.get('www-authenticate')).not.toContain('insufficient_scope');
    await expectRefusal(refused, 'challenge_required', route);
  });

  test('nothing lets a request through once all of it is used', async () => {
    const [request, known] = [await requestOf(id), await requestOf(id)];
    await useUp();
    await expectRefusal(await send(request.path, request.init), 'quota_exceeded', route);
    await expectRefusal(await withHeader(known, await unspentSolution()), 'quota_exceeded', route);
  });
});

describe.each(STORING_ROUTES)('$id 400 challenge_invalid', ({ id, route }) => {
  test.each(['no-token', 'a.b', 'AQFpI2VrAAAAAAAAAAAAAAAAAAAAAAA.4q3'])('%s where a challenge is needed', async (header) => {
    const request = await requestOf(id);
    await raise();
    await expectRefusal(await withHeader(request, header), 'challenge_invalid', route);
  });

  test('and where none is needed, what the header holds does not matter', async () => {
    expect(isLetThrough((await withHeader(await requestOf(id), 'no-token')).status)).toBe(true);
  });
});

test('every operation that takes a challenge is tested with a request that stores something', () => {
  expect([...STORING_OPERATIONS].sort()).toEqual(STORING_ROUTES.map(({ id }) => id).sort());
});

test('a person who sends a form is told to write to the publisher, because a form solves no challenge', async () => {
  const pages = await startPageServer();
  onTestFinished(pages.stop);
  await raise();
  for (const [path, body] of [
    ['/checkout', `items=${SAMPLE_OFFER.id}:1`],
    ['/api/v1/commerce/invoice-requests', `quantity.${SAMPLE_OFFER.id}=1&name=Ada&email=ada@buyer.example`],
  ] as const) {
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded', Accept: 'text/html' };
    const response = await gateway.fetch(path, { method: 'POST', headers, body });
    const { page: name, props } = (await response.json()) as { page: keyof PageProps; props: PageProps[keyof PageProps] };
    const page = await pages.renderPage(name, props);
    expect([response.status, response.headers.get('content-type')]).toEqual([403, 'text/html; charset=utf-8']);
    expect(page).toContain('reopens at midnight UTC');
    expect(page).not.toContain('challenge');
  }
});

test('an agent whose key was sold has room of its own', async () => {
  await useUp();
  const isRaised = true as const;
  const revoke = async (agent: string, key: object = {}): Promise<number> =>
    (await gateway.post('/api/v1/agent-gateway/keys/revoke', {}, bearer(await makeKey({ agent, ...key })))).status;
  expect([await revoke('00000000000000d1'), await revoke('00000000000000d2', { isRaised })]).toEqual([429, 200]);
  await useBudgets(gateway.state(), ({ requests }) => requests, { subject: 'known agents' });
  expect(await revoke('00000000000000d3', { isRaised })).toBe(429);
});

test('capabilities and status tell the level of every budget', async () => {
  const levels = async (path: string): Promise<Record<string, string>> => {
    const { budgets } = (await (await gateway.fetch(path)).json()) as { budgets: { name: string; level: string }[] };
    return Object.fromEntries(budgets.map(({ name, level }) => [name, level]));
  };
  await raise();
  const expected = Object.fromEntries(
    Object.entries<Budget>(BUDGETS)
      .filter(([name]) => name !== 'payment_claims')
      .map(([name, { requests, withoutChallenge }]) => [name, withoutChallenge < requests ? 'challenge_required' : 'used_up']),
  );
  expect(await levels('/api/v1/agent-gateway/capabilities')).toEqual(expected);
  expect(await levels('/api/v1/capsules/public/status')).toEqual(expected);
});

test('over MCP a tool takes the solution in its metadata', async () => {
  const { path, init } = await requestOf('callUcpTool');
  await raise();
  const call = JSON.parse(String(init.body)) as { params: { arguments: { meta: Record<string, unknown> } } };
  call.params.arguments.meta['challenge-solution'] = await solved();
  expect((await send(path, { ...init, body: JSON.stringify(call) })).status).toBe(200);
});

test('a page of another origin may send the header', async () => {
  const preflight = await gateway.fetch('/api/v1/ucp/checkout-sessions', { method: 'OPTIONS' });
  expect(preflight.headers.get('access-control-allow-headers')).toContain('Challenge-Solution');
});

test('the longest challenge fits into the header', async () => {
  expect((await unspentSolution()).length).toBeLessThanOrEqual(LIMITS.challengeSolutionMaxLength);
});
