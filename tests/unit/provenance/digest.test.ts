import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromBase64Url, sha256Hex, toBase64Url, toHex } from '../../../src/provenance/bytes-and-sha256.ts';
import { canonicalDigest, canonicalJson, keccak256 } from '../../../src/provenance/canonical-json.ts';

describe('sha256Hex() of', () => {
  test.each([
    ['the empty text', '', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['"abc" (FIPS 180)', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ])('%s is the known vector', async (_name, text, digest) => {
    expect(await sha256Hex(text)).toBe(digest);
    expect(await sha256Hex(new TextEncoder().encode(text))).toBe(digest);
  });

  test('digests only the part of a buffer that a view covers', async () => {
    expect(await sha256Hex(new TextEncoder().encode('xxabcyy').subarray(2, 5))).toBe(await sha256Hex('abc'));
  });
});

describe('canonicalJson() writes', () => {
  test('the example of RFC 8785 section 3.2.2 and 3.2.3', () => {
    const value: unknown = JSON.parse(
      '{"numbers":[333333333.33333329,1E30,4.50,2e-3,0.000000000000000000000000001],"string":"\\u20ac$\\u000F\\u000aA\'\\u0042\\u0022\\u005c\\\\\\"\\/","literals":[null,true,false]}',
    );
    expect(canonicalJson(value)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
  });

  // RFC 8785 appendix B: IEEE 754 bits and the text that they must give.
  test.each([
    ['8000000000000000', '0'],
    ['8000000000000001', '-5e-324'],
    ['c340000000000000', '-9007199254740992'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
  ])('the double %s as %s', (bits, text) => {
    const view = new DataView(new ArrayBuffer(8));
    view.setBigUint64(0, BigInt(`0x${bits}`));
    expect(canonicalJson(view.getFloat64(0))).toBe(text);
  });

  test.each([undefined, () => 1, Symbol('x')])('nothing for %s', (value) => {
    expect(() => canonicalJson(value)).toThrow(new TypeError('value has no JSON form'));
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, '\ud800', { '\udfff': 1 }])(
    'nothing for a value that has no canonical form: %j',
    (value) => expect(() => canonicalJson(value)).toThrow(),
  );

  test('one text for one value, whatever the order of members, and it reads back as the value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ stringUnit: 'grapheme' }), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(canonicalJson(turnMembers(value))).toBe(text);
        expect(text).not.toMatch(/^\s|\s$/);
      }),
    );
  });
});

test('canonicalDigest() is sha256: and the digest of the canonical text', async () => {
  expect(await canonicalDigest({ b: 1, a: 2 })).toBe(`sha256:${await sha256Hex('{"a":2,"b":1}')}`);
});

function turnMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(turnMembers);
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(
        Object.entries(value)
          .reverse()
          .map(([name, member]) => [name, turnMembers(member)]),
      )
    : value;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

describe('base64url', () => {
  test.each([0, 1, 2, 3, 4, 31, 32, 33, 255])('writes %i bytes as Node does, and reads them again', (length) => {
    const bytes = Uint8Array.from({ length }, (_, index) => (index * 167 + length) % 256);
    expect(toBase64Url(bytes)).toBe(Buffer.from(bytes).toString('base64url'));
    expect(fromBase64Url(toBase64Url(bytes))).toEqual(bytes);
  });

  test('reads only one text for the same bytes', () => {
    for (const prefix of ['A', 'AA', 'AAA']) {
      const read = [...ALPHABET].filter((last) => fromBase64Url(prefix + last) !== undefined);
      expect(read).toHaveLength({ A: 4, AA: 16, AAA: 64 }[prefix] ?? 0);
    }
  });

  test.each(['A', 'AAAAA', 'AA==', 'AA+A', 'AA/A', 'AA A', 'AA\n', 'ÄAAA', '😀'])('does not read %j', (text) => {
    expect(fromBase64Url(text)).toBeUndefined();
  });
});

// From the submission of Keccak to SHA-3, and the signature of an event of every token, from ERC-20.
test.each([
  ['abc', '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
  ['Transfer(address,address,uint256)', 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'],
])('keccak256() of %s is the known vector', (text, digest) => expect(toHex(keccak256(new TextEncoder().encode(text)))).toBe(digest));
