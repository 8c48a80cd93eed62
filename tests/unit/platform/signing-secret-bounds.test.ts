import { expect, test } from 'vitest';
import { readSigningSecrets } from '../../../src/platform/signing-secrets.ts';

const secretOf = (different: number): string =>
  `1:${Buffer.from(Array.from({ length: 32 }, (_, index) => index % different)).toString('base64url')}`;

test('a secret of eight different bytes is taken, one of seven is too weak', async () => {
  expect(await readSigningSecrets(secretOf(8))).toMatchObject([{ id: 1 }]);
  expect(await readSigningSecrets(secretOf(7))).toEqual({ missing: 'The signing secret of this deployment is too weak to be used.' });
});
