import { describe, expect, test } from 'vitest';
import { minuteOf } from '../../../src/gateway/agents/api-key.ts';
import type { ErrorCode } from '../../../src/gateway/errors.ts';
import { confirmsByDatabase, errorsOf, type Route } from '../../../src/http/define-route.ts';
import { Scope } from '../../../src/schemas/api-keys.ts';
import { PATHS } from '../../../src/schemas/paths.ts';
import { bearer, makeKey } from '../../support/agent-keys.ts';
import { NOW_HEADER } from '../../support/edge-gateway.ts';
import { expectRefusal } from '../../support/expect-problem.ts';
import { FUNCTION_ROUTES, type FunctionRoute } from '../../support/function-routes.ts';
import { useInProcessGateway } from '../../support/in-process-gateway.ts';

/** Somebody who sends a request: how its key is made, and the code that a route which takes keys refuses it with. */
interface Caller {
  readonly name: string;
  readonly headers: () => Promise<Record<string, string>>;
  readonly parameters?: () => Promise<string>;
  /** Scopes of a key that holds, or why there is none. */
  readonly is: readonly Scope[] | ErrorCode;
}

const WITHDRAWN = `7:${Buffer.from(Array.from({ length: 32 }, (_, index) => index * 3 + 5)).toString('base64url')}`;
const ALL_SCOPES = Scope.options;
let agents = 0;
/** A new agent, so that no cell of the matrix uses up what another needs. */
const newAgent = (): string => (0xa0000 + agents++).toString(16).padStart(16, '0');
const fresh = (scopes: readonly Scope[] = ALL_SCOPES): Promise<string> => makeKey({ agent: newAgent(), scopes });
const withKey = (key: () => Promise<string>) => async (): Promise<Record<string, string>> => bearer(await key());
const noHeaders = async (): Promise<Record<string, string>> => ({});
let isDown = false;
const { fetch: send, logs } = useInProcessGateway({ databaseFault: () => (isDown ? 'refused' : 'none') });

async function revokedKey(): Promise<string> {
  const wasDown = isDown;
  isDown = false;
  const key = await fresh();
  const response = await send(`${PATHS.agentKeys}/revoke`, { method: 'POST', headers: bearer(key) });
  isDown = wasDown;
  expect(response.status).toBe(200);
  return key;
}

const REFUSED: readonly Caller[] = [
  { name: 'without a key', headers: noHeaders, is: 'api_key_missing' },
  { name: 'with an empty header', headers: async () => ({ Authorization: ' ' }), is: 'api_key_missing' },
  { name: 'with another scheme', headers: async () => ({ Authorization: `Basic ${await fresh()}` }), is: 'api_key_invalid' },
  { name: 'with a malformed key', headers: async () => bearer('akg_test_x'), is: 'api_key_invalid' },
  { name: 'with a damaged key', headers: async () => bearer((await fresh()).replace(/.$/, '!')), is: 'api_key_invalid' },
  { name: 'with a key of another prefix', headers: withKey(() => makeKey({}, { prefix: 'akg_live_' })), is: 'api_key_invalid' },
  { name: 'with a key of a withdrawn secret', headers: withKey(() => makeKey({}, { secrets: WITHDRAWN })), is: 'api_key_invalid' },
  { name: 'with a key of the future', headers: withKey(() => makeKey({ issuedMinute: minuteOf(Date.now()) + 60 })), is: 'api_key_invalid' },
  {
    name: 'with an expired key',
    headers: withKey(() => makeKey({ agent: newAgent(), issuedMinute: minuteOf(Date.now()) - 91 * 1_440, scopes: ALL_SCOPES })),
    is: 'api_key_expired',
  },
  { name: 'with a revoked key', headers: withKey(revokedKey), is: 'api_key_revoked' },
  { name: 'with a key in the address', headers: noHeaders, parameters: async () => `api_key=${await fresh()}`, is: 'api_key_in_url' },
  {
    name: 'with a key in the address under another name, and in the header',
    headers: withKey(fresh),
    parameters: async () => `x=${await fresh()}`,
    is: 'api_key_in_url',
  },
];

const HOLDING: readonly Caller[] = Array.from({ length: 2 ** ALL_SCOPES.length }, (_, bits) => {
  const is = ALL_SCOPES.filter((_, index) => bits & (1 << index));
  return { name: `with a key for ${is.join(', ') || 'nothing'}`, headers: withKey(() => fresh(is)), is };
});

const CALLERS = [...REFUSED, ...HOLDING];

/** What a route answers to a caller: the code of a refusal, or that it lets the caller through. */
function expected({ access, ...route }: Route, { is }: Caller, down: boolean): ErrorCode | 'admitted' {
  if (is === 'api_key_in_url') return is;
  const isKeyRead = route.acceptsKey === true && is !== 'api_key_missing';
  if (access === 'open') return isKeyRead && typeof is === 'string' ? is : 'admitted';
  if (typeof is === 'string') return is;
  if (down && confirmsByDatabase({ access, ...route })) return 'state_unavailable';
  return access === 'key' || is.includes(access) ? 'admitted' : 'insufficient_scope';
}

/** Whether an answer is one that only an admitted caller gets: the operation's own, or an error of what it was asked for. */
function isOwnAnswer({ route }: FunctionRoute, status: number, code: string | undefined, down: boolean): boolean {
  if (route.responses.some((answer) => answer.status === status)) return true;
  if (code === 'submission_not_found' || code === 'session_not_found' || code === 'order_not_found') return route.errors.includes(code);
  return down && code === 'state_unavailable' && errorsOf(route).includes('state_unavailable');
}

let cells = 0;

describe.each([
  { state: 'while the database answers', down: false },
  { state: 'while the database does not answer', down: true },
])('$state', ({ down }) => {
  test.each(FUNCTION_ROUTES)('$id admits exactly the callers that it should', async (each) => {
    for (const caller of CALLERS) {
      const query = await caller.parameters?.();
      const headers = new Headers(each.init.headers);
      headers.delete('authorization');
      // The proposal has a time of its own, after which these keys are made.
      headers.delete(NOW_HEADER);
      for (const [name, value] of Object.entries(await caller.headers())) headers.set(name, value);
      isDown = down;
      const response = await send(query === undefined ? each.path : `${each.path}?${query}`, { ...each.init, headers });
      isDown = false;
      cells += 1;
      const want = expected(each.route, caller, down);
      if (want !== 'admitted') {
        const { text } = await expectRefusal(response, want, each.route);
        if (query !== undefined) expect(text).not.toMatch(/akg_/);
        continue;
      }
      const text = await response.text();
      const code = response.status >= 400 ? /"code":"(\w+)"/.exec(text)?.[1] : undefined;
      // Parameters that an open route does not have are refused as such, if it refuses any.
      if (query !== undefined && code === 'invalid_request') continue;
      expect([caller.name, response.status, code, isOwnAnswer(each, response.status, code, down)]).toEqual([
        caller.name,
        response.status,
        code,
        true,
      ]);
    }
  });
});

test('no key got into the log', () => {
  expect(logs.length).toBeGreaterThan(0);
  expect(logs.join('\n')).not.toMatch(/akg_/);
});

test('every cell of the matrix was looked at', () => {
  expect(cells).toBe(FUNCTION_ROUTES.length * CALLERS.length * 2);
  expect(new Set(FUNCTION_ROUTES.map(({ route }) => route.access))).toEqual(new Set(['open', 'key', 'read', 'submit', 'buy']));
});
