import { createRemoteJWKSet, type JWTVerifyGetKey, jwtVerify } from 'jose';
import type { Environment } from './environment.ts';

/** Hosts of teams, where the keys of their tokens are (developers.cloudflare.com/cloudflare-one/access-controls/applications/http-apps/authorization-cookie/validating-json). */
const TEAM_DOMAIN = /^[a-z0-9-]{1,63}\.cloudflareaccess\.com$/;
const AUDIENCE = /^[0-9a-f]{64}$/;
const KEYS_DEADLINE_MS = 2_000;

/** The e-mail address that a token of Cloudflare Access vouches for; `undefined` for any other token. */
export type ReadAccessToken = (token: string, nowMs: number) => Promise<string | undefined>;

/** Reads tokens of the team and the application of the settings; `undefined` where they are not set, or malformed. */
export function accessTokenReader(
  { ACCESS_TEAM_DOMAIN: team = '', ACCESS_AUDIENCE: audience = '' }: Pick<Environment, 'ACCESS_TEAM_DOMAIN' | 'ACCESS_AUDIENCE'>,
  keysOf: (address: URL) => JWTVerifyGetKey = (address) => createRemoteJWKSet(address, { timeoutDuration: KEYS_DEADLINE_MS }),
): ReadAccessToken | undefined {
  if (!TEAM_DOMAIN.test(team) || !AUDIENCE.test(audience)) return undefined;
  const issuer = `https://${team}`;
  const keys = keysOf(new URL('/cdn-cgi/access/certs', issuer));
  return async (token, nowMs) => {
    try {
      const options = { issuer, audience, algorithms: ['RS256'], requiredClaims: ['exp', 'email'], currentDate: new Date(nowMs) };
      const { payload } = await jwtVerify(token, keys, options);
      return typeof payload['email'] === 'string' ? payload['email'] : undefined;
    } catch {
      return undefined;
    }
  };
}
