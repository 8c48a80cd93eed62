import * as z from 'zod';
import { ContentDate } from '../primitives.ts';

/** 32 bytes in base64url without padding (RFC 4648 section 5): an Ed25519 public key, or a SHA-256 thumbprint. */
const Base64Url32 = z.string().regex(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/, 'must be 32 bytes in base64url, which are 43 characters');

/** A public key that signs, or has signed, what is published. */
export const LineageKey = z.strictObject({
  kid: Base64Url32.describe('RFC 7638 thumbprint of the key.'),
  x: Base64Url32.describe('The public key (RFC 8037).'),
  created: ContentDate.describe('Day on which the key was made.'),
  retired: ContentDate.optional().describe('Last day on which it signed; it goes on to verify what was issued until then.'),
});
export type LineageKey = z.infer<typeof LineageKey>;

/** `content/keys.yaml`: the public keys of the publisher, oldest first. Their private halves are never in the repository. */
export const LineageKeys = z.strictObject({ keys: z.array(LineageKey).max(20) });
export type LineageKeys = z.infer<typeof LineageKeys>;
