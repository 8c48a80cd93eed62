import { toHex } from '../provenance/bytes.ts';
import { keyedDigest } from '../gateway/digests.ts';
import type { SigningSecrets } from '../gateway/ports.ts';

/** Bytes of a digest that are kept: too many for two networks to be taken for one. */
const DIGEST_BYTES = 16;

/**
 * What is stored of a network instead of its address: a digest under the secret of the deployment, so that nobody who reads the
 * database can try all networks. It differs from window to window, so that rows tell nothing about who came again. A change of
 * the secret begins all counts anew.
 *
 * @returns 32 hexadecimal digits.
 */
export function networkDigest([secret]: SigningSecrets): (network: string, window: string) => Promise<string> {
  const encoder = new TextEncoder();
  return async (network, window) => {
    const digest = await keyedDigest(secret, 'quota of a network', encoder.encode(window), encoder.encode(network));
    return toHex(digest.subarray(0, DIGEST_BYTES));
  };
}
