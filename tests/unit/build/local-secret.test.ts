import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import { ensureLocalSecret, localSettings } from '../../../src/build/local/local-stores.ts';
import { readSigningSecrets, stripeWebhookReader } from '../../../src/platform/environment.ts';
import { demoPayments } from '../../../src/schemas/commerce/stablecoin-payments.ts';
import { TEST_SIGNING_SECRETS } from '../../support/edge-gateway.ts';
import { temporaryFolder } from '../publication/content-world.ts';

let folder: string;
let file: string;
beforeEach(async () => {
  folder = await temporaryFolder();
  file = join(folder, '.dev.vars');
});
const GOOD = `3:${Buffer.from('Vq0x!9fJ#bL2&mZ7*kR4^tW8(yP1)uD5').toString('base64url')}`;

describe('ensureLocalSecret()', () => {
  test('creates a secret that only the owner can read, once', async () => {
    await ensureLocalSecret(folder);
    const made = await readFile(file, 'utf8');
    const [, value] = /^SIGNING_SECRETS=(.*)$/m.exec(made) ?? [];
    expect('missing' in (await readSigningSecrets(value, 'live'))).toBe(false);
    expect((await stat(file)).mode & 0o077).toBe(0);
    await ensureLocalSecret(folder);
    expect(await readFile(file, 'utf8')).toBe(made);
  });

  test('creates a secret for test payment webhooks, unless there is one', async () => {
    await ensureLocalSecret(folder);
    const [, made] = /^STRIPE_WEBHOOK_SECRETS=(.*)$/m.exec(await readFile(file, 'utf8')) ?? [];
    expect(stripeWebhookReader(made)).toBeTypeOf('function');
    await writeFile(file, `SIGNING_SECRETS=${GOOD}\nSTRIPE_WEBHOOK_SECRETS=whsec_of_my_own\n`);
    const admin = await ensureLocalSecret(folder);
    const all = `SIGNING_SECRETS=${GOOD}\nSTRIPE_WEBHOOK_SECRETS=whsec_of_my_own\nADMIN_SECRET=${admin}\n`;
    expect(await readFile(file, 'utf8')).toBe(all);
    expect([await ensureLocalSecret(folder), await readFile(file, 'utf8')]).toEqual([admin, all]);
  });

  test('adds a secret to a file without one', async () => {
    await writeFile(file, 'OTHER=1');
    await ensureLocalSecret(folder);
    expect(await readFile(file, 'utf8')).toMatch(
      /^OTHER=1\nSIGNING_SECRETS=1:[A-Za-z0-9_-]{43}\nSTRIPE_WEBHOOK_SECRETS=whsec_[A-Za-z0-9_-]{32}\nADMIN_SECRET=[A-Za-z0-9_-]{43}\n$/,
    );
  });

  test.each([
    ['bare', GOOD],
    ['in quotes', `"${GOOD}"`],
  ])('accepts a secret %s', async (_name, value) => {
    await writeFile(file, `SIGNING_SECRETS=${value}\n`);
    await ensureLocalSecret(folder);
  });

  test.each([
    ['the secret of the tests', `SIGNING_SECRETS=${TEST_SIGNING_SECRETS}\n`, 'publicly known sample'],
    ['a short one', 'SIGNING_SECRETS=1:c2hvcnQ\n', 'too weak'],
    ['one that cannot be read', 'SIGNING_SECRETS=my secret\n', 'does not have the form'],
    ['none behind the name', 'SIGNING_SECRETS=\n', 'no signing secret'],
    ['a sample written last', `SIGNING_SECRETS=${GOOD}\nexport SIGNING_SECRETS = '${TEST_SIGNING_SECRETS}'\n`, 'publicly known sample'],
  ])('rejects %s in one sentence that does not show it', async (_name, text, reason) => {
    await writeFile(file, text);
    const error = await ensureLocalSecret(folder).catch((fault: unknown) => fault as Error);
    expect(error).toMatchObject({ name: 'UserError', message: expect.stringContaining(reason) as string });
    expect((error as Error).message).toMatch(
      /^SIGNING_SECRETS in \.dev\.vars cannot be used: .* Delete the line, and npm start creates a secret\.$/,
    );
    expect((error as Error).message).not.toContain(TEST_SIGNING_SECRETS.slice(2, 12));
    expect(await readFile(file, 'utf8')).toBe(text);
  });

  test('refuses a file that cannot be read', async () => {
    await mkdir(file);
    await expect(ensureLocalSecret(folder)).rejects.toThrow(/^\.dev\.vars cannot be read \(EISDIR\)/);
  });
});

test.each<[string, Record<string, string>, string, boolean]>([
  ['nothing is configured', {}, '', true],
  ['publisher.yaml alone names payments, by an empty environment', { PAY_TO: '' }, '', true],
  ['there is a key of Stripe', {}, 'STRIPE_SECRET_KEY=sk_test_of_my_own\n', false],
  ['the site has a public address', { BASE_URL: 'https://docs.example.com' }, '', false],
])('localSettings() make payments a demonstration where %s: %j', async (_name, environment, secrets, isDemo) => {
  await writeFile(file, secrets);
  const address = 'http://127.0.0.1:8788';
  const settings = await localSettings(folder, environment, address);
  expect(settings.baseUrl).toBe(environment['BASE_URL'] ?? address);
  expect('demoPayments' in settings && settings.demoPayments).toEqual(isDemo && demoPayments(address));
});
