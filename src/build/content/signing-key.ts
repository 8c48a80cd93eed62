import { makeSigner, PrivateKeyError, type Signer } from '../../provenance/sign.ts';
import type { Content } from '../../publication/content.ts';
import { KEYS_FILE } from '../../publication/read-keys.ts';
import { BuildSettingError } from '../deployment.ts';
import type { Signing } from './sign-statements.ts';

/**
 * Signer of `LINEAGE_KEY`, or `undefined` if that is not set.
 *
 * @throws {BuildSettingError} If it is no private key that may be used. The message does not show it.
 */
export async function readSigner(secret: string | undefined): Promise<Signer | undefined> {
  if (secret === undefined || secret === '') return undefined;
  try {
    return await makeSigner(secret);
  } catch (error) {
    if (!(error instanceof PrivateKeyError)) throw error;
    throw new BuildSettingError(`LINEAGE_KEY ${error.message}; npm run keys:new makes one, and what stands behind "LINEAGE_KEY=" is it`);
  }
}

/** What decides whether and how a build is signed. */
export interface SigningOptions {
  /** Today in UTC, `YYYY-MM-DD`. */
  readonly today: string;
  /** Whether a publication that has an active key may be built without it. */
  readonly mayBeUnsigned: boolean;
}

/**
 * What signs a build, or `undefined` if `LINEAGE_KEY` is not set.
 *
 * @throws {BuildSettingError} If it is no private key, or not that of an active key in content/keys.yaml; or if it is not set, although
 * there is an active key. The message does not show it.
 */
export async function readSigning(
  secret: string | undefined,
  content: Content,
  { today, mayBeUnsigned }: SigningOptions,
): Promise<Signing | undefined> {
  const signer = await readSigner(secret);
  if (signer === undefined) {
    if (!mayBeUnsigned && hasActiveSigningKey(content))
      throw new BuildSettingError(
        `${KEYS_FILE} lists an active key, and LINEAGE_KEY is not set: set it to the private half of that key, or build without signatures by "npm run build -- --unsigned"`,
      );
    return undefined;
  }
  const { kid, x } = signer.publicKey;
  const listed = content.keys.find((key) => key.kid === kid);
  if (listed === undefined)
    throw new BuildSettingError(
      `LINEAGE_KEY is not the key of any entry in ${KEYS_FILE}: run "npm run keys:new" and use the key that it makes, or add the public half of this one there: { kid: "${kid}", x: "${x}", created: "${today}" }`,
    );
  if (listed.retired !== undefined)
    throw new BuildSettingError(
      `LINEAGE_KEY is the key ${kid}, which ${KEYS_FILE} says was retired on ${listed.retired}: use one that is active, or make one with "npm run keys:new"`,
    );
  return { signer, today, validDays: content.publisher.proof_days };
}

/** Whether readers of a publication can expect that it is signed. */
export function hasActiveSigningKey({ keys }: Pick<Content, 'keys'>): boolean {
  return keys.some(({ retired }) => retired === undefined);
}
