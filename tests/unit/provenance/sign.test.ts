import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../../src/provenance/canonical-json.ts';
import {
  isPrintedKey,
  keyId,
  makePrivateKey,
  makeSigner,
  PrivateKeyError,
  STATEMENT_TYPES,
  type StatementKind,
  signerOf,
} from '../../../src/provenance/sign.ts';

/** RFC 8037, appendix A.1 to A.3. */
const PRINTED = {
  secret: 'nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
};
const FORM = 'is not 32 bytes in base64url, which are 43 characters';

describe('a private key', () => {
  test('gives the public key and the id that RFC 8037 prints', async () => {
    expect((await signerOf(PRINTED.secret)).publicKey).toEqual({ kid: PRINTED.kid, x: PRINTED.x });
    expect(await keyId(PRINTED.x)).toBe(PRINTED.kid);
  });

  test.each([
    ['TM0Imyj_ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U-4pvs', 'PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw'],
    ['xaqN9D-fg3vtt0QvMdy3sWbThTUHbwlLhc46LgtEWPc', '_FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU'],
  ])('gives the public key that RFC 8032 prints, with both letters that base64 has not: %s', async (secret, x) => {
    expect((await signerOf(secret)).publicKey.x).toBe(x);
  });

  test('that a standard prints is refused', async () => {
    const refused = new PrivateKeyError('is an example key of a standard, so it is not secret');
    await expect(makeSigner(PRINTED.secret)).rejects.toThrow(refused);
    // RFC 8032, section 7.1, TEST 1 to 3.
    for (const x of [PRINTED.x, 'PUAXw-hDiVqStwqnTRt-vJyYLM8uxJaMwM1V8Sr0Zgw', '_FHNjmIYoaONpH7QAjDwWAgW7RO6MwOsXeuRFUiQgCU'])
      expect(isPrintedKey(x)).toBe(true);
    expect(isPrintedKey(PRINTED.secret)).toBe(false);
    expect(refused.name).toBe('PrivateKeyError');
  });

  test.each([
    '',
    PRINTED.secret.slice(1),
    `A${PRINTED.secret}`,
    `${PRINTED.secret}=`,
    `${PRINTED.secret}\n`,
    `+${PRINTED.secret.slice(1)}`,
  ])('of another form is refused: %j', (secret) => expect(signerOf(secret)).rejects.toThrow(new PrivateKeyError(FORM)));

  test('that was made is taken, and is another one each time', async () => {
    const [one, other] = [await makePrivateKey(), await makePrivateKey()];
    expect((await makeSigner(one.secret)).publicKey).toEqual(one.publicKey);
    expect(one.secret).not.toBe(other.secret);
    expect(one.publicKey.kid).toBe(await keyId(one.publicKey.x));
  });
});

test.each(Object.keys(STATEMENT_TYPES) as StatementKind[])(
  'a signature of a statement of the kind %s names key and kind, and holds',
  async (kind) => {
    const { sign, publicKey } = await signerOf(PRINTED.secret);
    const statement = { b: 1, a: 'é' };
    const made = await sign(kind, statement);
    const header = {
      alg: 'Ed25519',
      kid: publicKey.kid,
      typ: { record: 'capsule-version+jws', head: 'lineage-head+jws', corpus: 'corpus-manifest+jws', tombstone: 'tombstone+jws' }[kind],
    };
    expect(JSON.parse(Buffer.from(made.protected, 'base64url').toString())).toEqual(header);
    const key = await crypto.subtle.importKey('jwk', { kty: 'OKP', crv: 'Ed25519', x: publicKey.x }, 'Ed25519', false, ['verify']);
    const holds = (text: string): Promise<boolean> => {
      const input = `${made.protected}.${Buffer.from(text).toString('base64url')}`;
      return crypto.subtle.verify('Ed25519', key, Buffer.from(made.signature, 'base64url'), Buffer.from(input));
    };
    expect(await holds(canonicalJson(statement))).toBe(true);
    expect(await holds(canonicalJson({ ...statement, b: 2 }))).toBe(false);
  },
);
