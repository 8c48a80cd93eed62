import { keccak_256 } from '@noble/hashes/sha3.js';

/**
 * Keccak-256 as Ethereum has it: that of before FIPS 202, whose padding begins with 0x01 and not with 0x06. WebCrypto has none.
 *
 * @returns 32 bytes.
 */
export function keccak256(message: Uint8Array): Uint8Array {
  return keccak_256(message);
}
