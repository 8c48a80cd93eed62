import * as z from 'zod';

const Address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address');
const Bytes32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be 32 bytes in hexadecimal');
/** A uint256 in decimal, without leading zeros, so that one number has one text. */
const Uint256 = z.string().regex(/^(0|[1-9]\d{0,77})$/, 'must be an integer in decimal');

/** A transfer authorization (EIP-3009): who pays whom how much, and when. */
export const Authorization = z.object({
  from: Address,
  to: Address,
  value: Uint256,
  validAfter: Uint256,
  validBefore: Uint256,
  nonce: Bytes32,
});
export type Authorization = z.infer<typeof Authorization>;

/** A signature by a key (65 bytes) or by a contract (EIP-1271, EIP-6492), which may be longer. */
export const PaymentSignature = z.string().regex(/^0x(?:[0-9a-fA-F]{2}){65,2048}$/, 'must be a signature in hexadecimal');

/** What a buyer signed. */
export const SignedAuthorization = z.object({ signature: PaymentSignature, authorization: Authorization });
export type SignedAuthorization = z.infer<typeof SignedAuthorization>;

/** Hash of a transaction of an EVM network. */
export const TransactionHash = Bytes32;
