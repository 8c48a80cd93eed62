import { randomBytes } from 'node:crypto';
import { access, appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readSigningSecrets } from '../../platform/signing-secrets.ts';
import { UserError } from '../user-error.ts';

/** Folder in which wrangler keeps the local KV and D1. */
export const LOCAL_STATE = '.wrangler/state';

/**
 * Makes sure that `.dev.vars` holds a signing secret of this machine's own, and one with which messages of a payment processor can be
 * signed for a try.
 *
 * @throws {UserError} If it holds one that cannot be used, or is a sample that others know too.
 */
export async function ensureLocalSecret(root: string): Promise<void> {
  const path = join(root, '.dev.vars');
  const present = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw new UserError(`.dev.vars cannot be read (${error.code}); it should hold SIGNING_SECRETS`);
    return '';
  });
  const given = settingIn(present, 'SIGNING_SECRETS');
  if (given !== undefined) {
    const secrets = await readSigningSecrets(given, 'live');
    if ('missing' in secrets)
      throw new UserError(`SIGNING_SECRETS in .dev.vars cannot be used: ${secrets.missing} Remove the line, and npm start makes one.`);
  }
  const lines =
    (given === undefined ? `SIGNING_SECRETS=1:${await randomSecret()}\n` : '') +
    (settingIn(present, 'STRIPE_WEBHOOK_SECRETS') === undefined
      ? `STRIPE_WEBHOOK_SECRETS=whsec_${randomBytes(24).toString('base64url')}\n`
      : '');
  if (present === '') await writeFile(path, `# Secrets of this machine, made by npm start. Not committed.\n${lines}`, { mode: 0o600 });
  else if (lines !== '') await appendFile(path, `${present.endsWith('\n') ? '' : '\n'}${lines}`);
}

/** Value of a setting in the text of `.dev.vars`. The last line counts where there are several, as for wrangler. */
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

/** A random secret that is taken; one in many millions spells a word by chance. */
async function randomSecret(): Promise<string> {
  for (;;) {
    const secret = randomBytes(32).toString('base64url');
    if (!('missing' in (await readSigningSecrets(`1:${secret}`, 'live')))) return secret;
  }
}

/** Path of wrangler's program, to be run with this Node. */
export function wranglerProgram(root: string): string {
  return join(root, 'node_modules/wrangler/bin/wrangler.js');
}

/** Whether a file or folder is there. */
export function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
