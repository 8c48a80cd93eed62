import { type KnownKeys, type VerifiedKey, verifyKey } from '../gateway/agents/api-key.ts';
import { confirmByDatabase, confirmByList } from '../gateway/agents/key-status.ts';
import { type Fault, ok, type Result, refuse } from '../gateway/result.ts';
import { type Caller, confirmsByDatabase, type Route } from './define-route.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import type { RequestContext } from './request-context.ts';

/** Query parameters in which clients send keys by mistake. */
const KEY_PARAMETERS = ['api_key', 'apikey', 'api-key', 'key', 'token', 'access_token'];

/** A key, or the beginning of one. */
export const KEY_IN_TEXT = /akg_(live|test)_[0-9A-Za-z]/;

const KEY_IN_URL = 'Send keys in the Authorization header only, and treat this key as compromised.';

/** The fault of a request without a key. */
export const MISSING_KEY: Fault = { pointer: 'Authorization', message: 'is missing; send "Authorization: Bearer <api_key>"' };

/** The caller's key, if its signature is valid and it has not expired. Keys are accepted in the Authorization header only. */
export async function authenticate(
  request: Request,
  query: URLSearchParams,
  deps: GatewayDependencies,
  known?: KnownKeys,
): Promise<Result<VerifiedKey>> {
  const inUrl = keyInUrl(query);
  if (inUrl !== undefined) return refuse('api_key_in_url', `${inUrl} ${KEY_IN_URL}`);
  const header = request.headers.get('authorization');
  if (header === null || header.trim() === '')
    return refuse('api_key_missing', 'The request has no Authorization header.', { errors: [MISSING_KEY] });
  // White space is limited: a remembered key keeps the whole header in memory.
  const [, key] = /^[ \t]{0,8}Bearer {1,8}([\x21-\x7e]{1,256})[ \t]{0,8}$/i.exec(header) ?? [];
  if (key === undefined) return refuse('api_key_invalid', 'The Authorization header does not have the form "Bearer <api_key>".');
  if ('missing' in deps.secrets) return refuse('not_configured', deps.secrets.missing);
  return verifyKey(key, deps.deployment.keyPrefix, deps.secrets, deps.clock.nowMs(), known);
}

/** Where a URL has a key, or may have one, in a sentence; `undefined` without one. */
export function keyInUrl(query: URLSearchParams): string | undefined {
  const parameter = [...query.keys()].find((name) => KEY_PARAMETERS.includes(name.toLowerCase()));
  if (parameter !== undefined) return `The URL has the parameter "${parameter.toLowerCase()}".`;
  return [...query.values()].some((value) => KEY_IN_TEXT.test(value)) ? 'The URL contains an API key.' : undefined;
}

/** The caller, if the key is still valid and has the scope that the route needs. */
export async function confirmCaller(
  key: VerifiedKey,
  route: Route,
  context: RequestContext,
  deps: GatewayDependencies,
): Promise<Result<Caller>> {
  const nowMs = deps.clock.nowMs();
  const scopes = confirmsByDatabase(route)
    ? await confirmByDatabase(key.payload, nowMs, deps.deployment.intake, deps)
    : await confirmByList(key.payload, nowMs, deps, {
        degrade(what) {
          context.degraded.add(what);
        },
        defer: context.defer,
      });
  if (!scopes.ok) return scopes;
  const { access } = route;
  if (access !== 'open' && access !== 'key' && !scopes.value.includes(access))
    return refuse('insufficient_scope', `The key does not have the scope "${access}".`);
  return ok({ key, scopes: scopes.value });
}
