import { verifyKey, type VerifiedKey } from '../../gateway/agents/api-key.ts';
import { ok, type Result, refuse } from '../../gateway/result.ts';
import type { Scope } from '../../schemas/registration.ts';
import type { GatewayDependencies } from '../define-route.ts';

/** Names under which keys are mistakenly sent in addresses. */
const KEY_PARAMETERS = ['api_key', 'apikey', 'api-key', 'key', 'token', 'access_token'];

/** A key, or the beginning of one, under whatever name. */
const KEY_IN_TEXT = /akg_(live|test)_[0-9A-Za-z]/;

/** The caller's key, checked for the scope that a route needs. Keys are taken from the Authorization header only. */
export async function authenticate(
  request: Request,
  query: URLSearchParams,
  scope: Scope,
  deps: GatewayDependencies,
): Promise<Result<VerifiedKey>> {
  const inUrl = [...query.keys()].find((name) => KEY_PARAMETERS.includes(name.toLowerCase()));
  if (inUrl !== undefined)
    return refuse(
      'api_key_in_url',
      `The address has a parameter "${inUrl.toLowerCase()}". Keys are taken from the Authorization header only; treat this key as lost.`,
    );
  if ([...query.values()].some((value) => KEY_IN_TEXT.test(value)))
    return refuse(
      'api_key_in_url',
      'The address holds an API key. Keys are taken from the Authorization header only; treat this key as lost.',
    );
  const header = request.headers.get('authorization');
  if (header === null || header.trim() === '') return refuse('api_key_missing', 'The request has no Authorization header.');
  const [, key] = /^Bearer +([\x21-\x7e]{1,256})$/i.exec(header.trim()) ?? [];
  if (key === undefined) return refuse('api_key_invalid', 'The Authorization header does not have the form "Bearer <api_key>".');
  if ('missing' in deps.secrets) return refuse('not_configured', deps.secrets.missing);
  const verified = await verifyKey(key, deps.deployment.keyPrefix, deps.secrets, deps.clock.nowMs());
  if (!verified.ok) return verified;
  if (!verified.value.payload.scopes.includes(scope)) return refuse('insufficient_scope', `The key does not have the scope "${scope}".`);
  return ok(verified.value);
}
