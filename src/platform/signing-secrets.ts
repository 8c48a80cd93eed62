import type { SigningSecret, SigningSecrets } from '../gateway/ports.ts';

/** Fewest bytes of a signing secret (RFC 2104 section 3: at least the length of the hash). */
const SIGNING_SECRET_MIN_BYTES = 32;

/**
 * Reads `SIGNING_SECRETS`: one or more `<id>:<secret in base64url>`, comma-separated, the one that signs first.
 *
 * @returns The secrets, or why they cannot be used, without showing them.
 */
export async function readSigningSecrets(text: string | undefined): Promise<SigningSecrets | { readonly missing: string }> {
  if (text === undefined || text.trim() === '')
    return { missing: 'This deployment has no signing secret, so it can neither issue nor accept keys.' };
  const secrets: SigningSecret[] = [];
  for (const entry of text.split(',')) {
    const [, id, value] = /^\s*([1-9]\d{0,2}):([A-Za-z0-9_-]+)\s*$/.exec(entry) ?? [];
    const bytes = value === undefined ? undefined : fromBase64Url(value);
    if (id === undefined || Number(id) > 255 || bytes === undefined)
      return { missing: 'The signing secret of this deployment does not have the form <id>:<base64url>.' };
    if (bytes.length < SIGNING_SECRET_MIN_BYTES || new Set(bytes).size < 8)
      return { missing: 'The signing secret of this deployment is too weak to be used.' };
    if (secrets.some((secret) => secret.id === Number(id))) return { missing: 'Two signing secrets of this deployment have the same id.' };
    secrets.push({ id: Number(id), key: await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']) });
  }
  const [first, ...rest] = secrets;
  return first ? [first, ...rest] : { missing: 'This deployment has no signing secret.' };
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
  } catch {
    return undefined;
  }
}
