import { toHex } from '../../provenance/bytes.ts';
import { keccak256 } from '../../provenance/digest.ts';

/**
 * Whether an address can be paid to: it is not that of nobody, and where it has capitals they are its check digits (EIP-55), which clients
 * hold it to.
 *
 * @param address `0x` and 40 hexadecimal digits.
 */
export function isPayableAddress(address: string): boolean {
  const digits = address.slice(2);
  if (/^0+$/.test(digits)) return false;
  if (digits === digits.toLowerCase() || digits === digits.toUpperCase()) return true;
  const hash = toHex(keccak256(new TextEncoder().encode(digits.toLowerCase())));
  return [...digits].every((digit, at) => /\d/.test(digit) || (digit === digit.toUpperCase()) === Number.parseInt(hash[at] ?? '0', 16) > 7);
}
