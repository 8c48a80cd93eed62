import type { SigningSecret, SigningSecrets } from '../gateway/platform-ports.ts';
import { attempt } from '../gateway/result.ts';

/** Fewest bytes of a signing secret (RFC 2104 section 3: at least the length of the hash). */
const SIGNING_SECRET_MIN_BYTES = 32;
/** Fewest distinct bytes; of 32 random bytes about 30 are distinct. */
const MIN_DISTINCT_BYTES = 8;
/** Words in secrets that were typed by hand or copied from a page. */
const SAMPLE_WORDS = /secret|example|sample|change[-_ ]?me|passw|default|placeholder|insecure/i;

/**
 * Reads `SIGNING_SECRETS`: one or more `<id>:<secret in base64url>`, comma-separated; the first one signs. Only a `local` place, on a loopback
 * address, may have secrets that count up or contain words. The reason why they cannot be used does not show them.
 */
export async function readSigningSecrets(
  text: string | undefined,
  place: 'local' | 'live' = 'local',
): Promise<SigningSecrets | { readonly missing: string }> {
  const noSecret = { missing: 'This deployment has no signing secret, so it can neither issue nor accept keys.' };
  if (text === undefined || text.trim() === '') return noSecret;
  const secrets: SigningSecret[] = [];
  for (const entry of text.split(',')) {
    const [, id, value] = /^\s*([1-9]\d{0,2}):([A-Za-z0-9_-]+)\s*$/.exec(entry) ?? [];
    const bytes = value === undefined ? undefined : fromBase64Url(value);
    if (id === undefined || value === undefined || Number(id) > 255 || bytes === undefined)
      return { missing: 'The signing secret of this deployment does not have the form <id>:<base64url>.' };
    if (bytes.length < SIGNING_SECRET_MIN_BYTES || new Set(bytes).size < MIN_DISTINCT_BYTES)
      return { missing: 'The signing secret of this deployment is too weak to be used.' };
    if (place === 'live' && isSample(value, bytes))
      return { missing: 'The signing secret of this deployment is a publicly known sample. Generate a random one.' };
    if (secrets.some((secret) => secret.id === Number(id))) return { missing: 'Two signing secrets of this deployment have the same id.' };
    secrets.push({ id: Number(id), key: await crypto.subtle.importKey('raw', bytes, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']) });
  }
  const [first, ...rest] = secrets;
  return first ? [first, ...rest] : noSecret;
}

/** Whether a secret is not random: its bytes rise or fall in equal steps, or it contains a word, as text or as bytes. */
function isSample(text: string, bytes: Uint8Array): boolean {
  const step = (index: number): number => ((bytes[index] ?? 0) - (bytes[index - 1] ?? 0)) & 0xff;
  const isSequence = bytes.every((_, index) => index < 2 || step(index) === step(1));
  return isSequence || SAMPLE_WORDS.test(text) || SAMPLE_WORDS.test(String.fromCharCode(...bytes));
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const base64 = text.replaceAll('-', '+').replaceAll('_', '/');
  return attempt(() => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0)));
}
