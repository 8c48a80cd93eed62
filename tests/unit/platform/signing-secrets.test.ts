import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readSigningSecrets } from '../../../src/platform/environment.ts';
import { TEST_SIGNING_SECRETS } from '../../support/edge-gateway.ts';

const secret = (from: number, length = 32): string =>
  Buffer.from(Array.from({ length }, (_, index) => (from + index * 7) % 256)).toString('base64url');
const FORM = 'The signing secret of this deployment does not have the form <id>:<base64url>.';
const WEAK = 'The signing secret of this deployment is too weak to be used.';
const NONE = 'This deployment has no signing secret, so it can neither issue nor accept keys.';

describe('readSigningSecrets() reads', () => {
  test.each<[name: string, text: string, ids: number[]]>([
    ['one secret', `1:${secret(1)}`, [1]],
    ['two, the signing one first', `2:${secret(2)},1:${secret(1)}`, [2, 1]],
    ['white space around them', ` 1:${secret(1)} ,\n 2:${secret(2)}\n`, [1, 2]],
    ['the largest id', `255:${secret(3)}`, [255]],
    ['longer secrets', `7:${secret(4, 64)}`, [7]],
    ['one of eight different bytes', `1:${Buffer.from('abcdefgh'.repeat(4)).toString('base64url')}`, [1]],
  ])('%s', async (_name, text, ids) => {
    const secrets = await readSigningSecrets(text);
    expect('missing' in secrets ? secrets.missing : secrets.map(({ id }) => id)).toEqual(ids);
  });

  test('keys that can sign and cannot be exported', async () => {
    const secrets = await readSigningSecrets(`1:${secret(1)}`);
    if ('missing' in secrets) throw new Error(secrets.missing);
    expect(secrets[0].key.extractable).toBe(false);
    expect(secrets[0].key.usages).toEqual(['sign']);
  });
});

describe('readSigningSecrets() of a deployment that others reach', () => {
  const ofText = (text: string): string => `1:${Buffer.from(text).toString('base64url')}`;

  test.each<[name: string, text: string]>([
    ['the secret of the tests', TEST_SIGNING_SECRETS],
    ['bytes that count up', `1:${Buffer.from(Array.from({ length: 32 }, (_, index) => index)).toString('base64url')}`],
    ['bytes that count down', `1:${Buffer.from(Array.from({ length: 40 }, (_, index) => 255 - index)).toString('base64url')}`],
    ['bytes that say "secret"', ofText('a very Secret text of 32 bytes or more')],
    ['bytes that say "change-me"', ofText('please change-me before you go live')],
    ['bytes that say "changeme"', ofText('please changeme before you go live')],
    ['bytes that say "password"', ofText('0123456789 my PASSWORD 9876543210')],
    ['text that says "example"', `1:${'an-example-'.repeat(4)}`],
    ['a sample behind a random one', `2:${randomBytes(32).toString('base64url')},${ofText('sample sample sample of a key 123')}`],
  ])('refuses %s, which is accepted on this machine', async (_name, text) => {
    expect(await readSigningSecrets(text, 'live')).toEqual({ missing: expect.stringContaining('sample') as string });
    expect('missing' in (await readSigningSecrets(text, 'local'))).toBe(false);
  });

  test('accepts random secrets', async () => {
    for (let count = 0; count < 500; count += 1)
      expect('missing' in (await readSigningSecrets(`1:${randomBytes(32).toString('base64url')}`, 'live'))).toBe(false);
  });
});

test.each<[name: string, text: string | undefined, missing: string]>([
  ['nothing', undefined, NONE],
  ['an empty text', '', NONE],
  ['white space', ' \n', NONE],
  ['31 bytes', `1:${secret(1, 31)}`, WEAK],
  ['32 equal bytes', `1:${Buffer.alloc(32, 65).toString('base64url')}`, WEAK],
  ['a text of seven different characters', `1:${Buffer.from('abcdefg'.repeat(5)).toString('base64url')}`, WEAK],
  ['a text of few characters', `1:${Buffer.from('ab'.repeat(20)).toString('base64url')}`, WEAK],
  ['a weak one behind a good one', `1:${secret(1)},2:${secret(2, 16)}`, WEAK],
  ['one id twice', `1:${secret(1)},1:${secret(2)}`, 'Two signing secrets of this deployment have the same id.'],
  ['no id', secret(1), FORM],
  ['id 0', `0:${secret(1)}`, FORM],
  ['id 256', `256:${secret(1)}`, FORM],
  ['id 01', `01:${secret(1)}`, FORM],
  ['a negative id', `-1:${secret(1)}`, FORM],
  ['an id that is no number', `one:${secret(1)}`, FORM],
  ['plain base64', `1:${Buffer.alloc(32, 251).toString('base64')}`, FORM],
  ['base64url that is cut off', `1:${secret(1).slice(0, -2)}`, FORM],
  ['an empty secret', '1:', FORM],
  ['a comma at the end', `1:${secret(1)},`, FORM],
  ['a space within', `1:${secret(1).slice(0, 20)} ${secret(1).slice(20)}`, FORM],
  ['the value of another variable', 'SIGNING_SECRETS=1:abc', FORM],
])('readSigningSecrets() refuses, without showing anything of it, %s', async (_name, text, missing) => {
  const outcome = await readSigningSecrets(text);
  expect(outcome).toEqual({ missing });
  for (const part of (text ?? '').split(/[:,\s]/).filter((piece) => piece.length > 8)) expect(JSON.stringify(outcome)).not.toContain(part);
});
