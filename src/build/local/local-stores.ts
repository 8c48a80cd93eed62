import { randomBytes } from 'node:crypto';
import { access, appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSigningSecrets } from '../../platform/signing-secrets.ts';
import { UserError } from '../user-error.ts';

/** Folder in which wrangler keeps the local KV and D1. */
export const LOCAL_STATE = '.wrangler/state';

/**
 * Adds a random signing secret and a secret for test payment webhooks to `.dev.vars`, unless they are set.
 *
 * @throws {UserError} If its signing secret is unusable or a published sample.
 */
export async function ensureLocalSecret(root: string): Promise<void> {
  const path = join(root, '.dev.vars');
  const present = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT')
      throw new UserError(`.dev.vars cannot be read (${error.code}); it holds SIGNING_SECRETS, so make it a readable file`);
    return '';
  });
  const given = settingIn(present, 'SIGNING_SECRETS');
  if (given !== undefined) {
    const secrets = await readSigningSecrets(given, 'live');
    if ('missing' in secrets)
      throw new UserError(
        `SIGNING_SECRETS in .dev.vars cannot be used: ${secrets.missing} Delete the line, and npm start creates a secret.`,
      );
  }
  const lines =
    (given === undefined ? `SIGNING_SECRETS=1:${await randomSecret()}\n` : '') +
    (settingIn(present, 'STRIPE_WEBHOOK_SECRETS') === undefined
      ? `STRIPE_WEBHOOK_SECRETS=whsec_${randomBytes(24).toString('base64url')}\n`
      : '');
  if (present === '')
    await writeFile(path, `# Secrets of this machine, created by npm start. Do not commit them.\n${lines}`, { mode: 0o600 });
  else if (lines !== '') await appendFile(path, `${present.endsWith('\n') ? '' : '\n'}${lines}`);
}

/** Value of a setting in the text of `.dev.vars`. The last line counts, as for wrangler. */
export function settingIn(text: string, name: string): string | undefined {
  const values = text.split('\n').flatMap((line) => {
    const at = line.indexOf('=');
    const named = line
      .slice(0, Math.max(at, 0))
      .trim()
      .replace(/^export\s/, '')
      .trim();
    return named === name ? [line.slice(at + 1).trim()] : [];
  });
  return values.at(-1)?.replace(/^(['"`])(.*)\1$/, '$2');
}

/** A random secret that is accepted; very few contain a rejected word by chance. */
async function randomSecret(): Promise<string> {
  for (;;) {
    const secret = randomBytes(32).toString('base64url');
    if (!('missing' in (await readSigningSecrets(`1:${secret}`, 'live')))) return secret;
  }
}

/** Whether a file or folder exists. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
