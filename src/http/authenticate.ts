import { type KnownKeys, type VerifiedKey, verifyKey } from '../gateway/agents/api-key.ts';
import { confirmByDatabase, confirmByList, refuseWithoutScope } from '../gateway/agents/scopes.ts';
import { type FieldError, ok, type Result, refuse } from '../gateway/result.ts';
import { withoutKeys } from '../schemas/agents.ts';
import { type Caller, confirmsByDatabase, type Route } from './define-route.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import type { RequestContext } from './rate-limits.ts';

/** Query parameters in which clients send keys by mistake. */
const KEY_PARAMETERS = ['api_key', 'apikey', 'api-key', 'key', 'token', 'access_token'];

const KEY_ADVICE = 'Send keys in the Authorization header only, and treat this key as compromised.';

export const MISSING_KEY: FieldError = { pointer: 'Authorization', message: 'is missing; send "Authorization: Bearer <api_key>"' };

/** The caller's key, if its signature is valid and it has not expired. Keys are accepted in the Authorization header only. */
export async function authenticate(
  request: Request,
  query: URLSearchParams,
  deps: GatewayDependencies,
  known?: KnownKeys,
): Promise<Result<VerifiedKey>> {
  const parameter = keyParameter(query);
  if (parameter !== undefined) return refuse('api_key_in_url', `The URL has the parameter "${parameter}". ${KEY_ADVICE}`);
  const header = request.headers.get('authorization');
  if (header === null || header.trim() === '')
    return refuse('api_key_missing', 'The request has no Authorization header.', { errors: [MISSING_KEY] });
  // White space is limited: a remembered key keeps the whole header in memory.
  const [, key] = /^[ \t]{0,8}Bearer {1,8}([\x21-\x7e]{1,256})[ \t]{0,8}$/i.exec(header) ?? [];
  if (key === undefined) return refuse('api_key_invalid', 'The Authorization header does not have the form "Bearer <api_key>".');
  if ('missing' in deps.secrets) return refuse('not_configured', deps.secrets.missing);
  return verifyKey(key, deps.deployment.keyPrefix, deps.secrets, deps.clock.nowMs(), known);
}

export function keyParameter(query: URLSearchParams): string | undefined {
  return [...query.keys()].map((name) => name.toLowerCase()).find((name) => KEY_PARAMETERS.includes(name));
}

/** Refuses a URL with a key anywhere, whatever is at the address: logs and histories have it, and an answer would repeat it. */
export function refuseKeyInUrl({ pathname, search }: URL): Result<undefined> {
  const hasKey = withoutKeys(pathname + search) !== undefined;
  return hasKey ? refuse('api_key_in_url', `The URL contains an API key. ${KEY_ADVICE}`) : ok(undefined);
}

/** Refuses a valid body with a key in one of its texts, which would be searched for, stored or passed on. */
export function refuseKeyInBody(body: unknown): Result<undefined> {
  const hasKey = body !== undefined && withoutKeys(JSON.stringify(body)) !== undefined;
  return hasKey ? refuse('invalid_request', `The body contains an API key. ${KEY_ADVICE}`) : ok(undefined);
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
    return refuseWithoutScope(`The key does not have the scope "${access}".`, access, deps.deployment.intake, deps.features);
  return ok({ key, scopes: scopes.value });
}
