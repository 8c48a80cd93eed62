import { getPublicKey, recoverPublicKey, signAsync, utils } from '@noble/secp256k1';
import { fromHex, toHex } from './bytes-and-sha256.ts';
import { keccak256 } from './canonical-json.ts';

const addressOf = (publicKey: Uint8Array): string => `0x${toHex(keccak256(publicKey.subarray(1)).subarray(12))}`;

/** The address whose key signed a digest, in lower case; `undefined` for what is no signature by a key. @param signature `0x`, r, s and v in hexadecimal. */
export function recoveredAddress(digest: Uint8Array, signature: string): string | undefined {
  const bytes = fromHex(signature.slice('0x'.length));
  if (bytes.length !== 65) return undefined;
  const [v = 0] = bytes.subarray(64);
  const recovery = v < 27 ? v : v - 27;
  if (recovery > 1) return undefined;
  try {
    return addressOf(recoverPublicKey(Uint8Array.of(recovery, ...bytes.subarray(0, 64)), digest, { prehash: false, isCompressed: false }));
  } catch {
    return undefined;
  }
}

/** A new key and its address. */
export function newWallet(): { readonly address: string; readonly sign: (digest: Uint8Array) => Promise<string> } {
  const secretKey = utils.randomSecretKey();
  return {
    address: addressOf(getPublicKey(secretKey, false)),
    sign: async (digest) => {
      const [recovery = 0, ...rs] = await signAsync(digest, secretKey, { prehash: false, format: 'recovered' });
      return `0x${toHex(Uint8Array.of(...rs, recovery + 27))}`;
    },
  };
}
