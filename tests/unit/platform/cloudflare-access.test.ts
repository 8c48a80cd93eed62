import { createLocalJWKSet, exportJWK, generateKeyPair, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { accessTokenReader } from '../../../src/platform/cloudflare-access.ts';

const TEAM = 'my-team.cloudflareaccess.com';
const AUDIENCE = 'a1'.repeat(32);
const NOW = Date.UTC(2027, 0, 1);
const own = await generateKeyPair('RS256');
const foreign = await generateKeyPair('RS256');
const keys = createLocalJWKSet({ keys: [{ ...(await exportJWK(own.publicKey)), kid: 'k', alg: 'RS256' }] });
const settings = { ACCESS_TEAM_DOMAIN: TEAM, ACCESS_AUDIENCE: AUDIENCE };
const asked: string[] = [];
const read = accessTokenReader(settings, (address) => {
  asked.push(address.href);
  return keys;
});

const CLAIMS = { iss: `https://${TEAM}`, aud: [AUDIENCE], email: 'ada@example.org', exp: NOW / 1_000 + 60 };

function token(claims: object, key = own.privateKey): Promise<string> {
  return new SignJWT({ ...CLAIMS, ...claims }).setProtectedHeader({ alg: 'RS256', kid: 'k' }).sign(key);
}

describe('accessTokenReader()', () => {
  it('gives the address that a token of the team and the application names', async () => {
    expect(await read?.(await token({}), NOW)).toBe('ada@example.org');
    expect(asked).toEqual([`https://${TEAM}/cdn-cgi/access/certs`]);
  });

  it.each([
    ['of another application', { aud: ['b2'.repeat(32)] }],
    ['of another team', { iss: 'https://other.cloudflareaccess.com' }],
    ['that has expired', { exp: NOW / 1_000 - 1 }],
    ['without an address', { email: undefined }],
    ['of a service, not of a person', { email: 7 }],
  ])('refuses a token %s', async (_, claims) => expect(await read?.(await token(claims), NOW)).toBeUndefined());

  it('refuses a token of another key, without a signature, or signed with the public key as a secret', async () => {
    const unsigned = `${btoa('{"alg":"none"}')}.${btoa(JSON.stringify(CLAIMS))}.`.replaceAll('=', '');
    const secret = new TextEncoder().encode(JSON.stringify(await exportJWK(own.publicKey)));
    const symmetric = await new SignJWT(CLAIMS).setProtectedHeader({ alg: 'HS256', kid: 'k' }).sign(secret);
    for (const forged of [await token({}, foreign.privateKey), unsigned, symmetric, 'x', ''])
      expect(await read?.(forged, NOW)).toBeUndefined();
  });

  it('is off without settings, and with a team that is elsewhere', () => {
    for (const other of [
      {},
      { ...settings, ACCESS_TEAM_DOMAIN: 'evil.example' },
      { ...settings, ACCESS_TEAM_DOMAIN: `x.${TEAM}` },
      { ...settings, ACCESS_AUDIENCE: '' },
    ])
      expect(accessTokenReader(other, () => keys)).toBeUndefined();
  });
});
