import type { PaymentProcessor } from '../gateway/commerce/cart/checkout-ports.ts';
import type { Facilitator } from '../gateway/commerce/payments/payment-ports.ts';
import { fromHex, toBytes, toHex } from '../provenance/bytes-and-sha256.ts';
import { keccak256 } from '../provenance/canonical-json.ts';
import { recoveredAddress } from '../provenance/ethereum-signatures.ts';
import { type Authorization, DEMO_REFERENCES, type PaymentNetwork } from '../schemas/commerce/stablecoin-payments.ts';

/**
 * Stands in for a facilitator: every wallet that signs as the token requires pays, and nothing leaves this machine. Signatures of smart wallets,
 * which only their contracts can check, are refused. The transaction follows from the authorization, so that a repeated settlement names the same one.
 */
export function demoFacilitator(): Facilitator {
  return {
    verify: async ({ signed: { signature, authorization }, terms }) =>
      isTakenByToken(signature) &&
      recoveredAddress(transferDigest(authorization, terms.network), signature) === authorization.from.toLowerCase()
        ? { kind: 'valid' }
        : { kind: 'invalid', reason: 'invalid_exact_evm_signature' },
    settle: async ({ signed: { authorization } }) => ({
      kind: 'settled',
      transaction: DEMO_REFERENCES.token + authorization.nonce.slice(DEMO_REFERENCES.token.length).toLowerCase(),
    }),
  };
}

/** Stands in for a payment processor: every shared payment token pays. */
export function demoProcessor(): PaymentProcessor {
  return {
    takesRealMoney: false,
    charge: async ({ amountMinor, currency, idempotencyKey }) => ({
      kind: 'paid',
      paymentReference: DEMO_REFERENCES.card + idempotencyKey.slice(-24),
      amountMinor,
      currency,
    }),
    openCheckout: () => Promise.reject(new Error('the demonstration has no hosted checkout')),
  };
}

const HALF_ORDER = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n;

/** The contract of the USD Coin reverts for a v other than 27 and 28, and for an s in the upper half (ECRecover.sol). */
function isTakenByToken(signature: string): boolean {
  return /^0x[0-9a-f]{128}1[bc]$/i.test(signature) && BigInt(`0x${signature.slice(66, 130)}`) <= HALF_ORDER;
}

const hashOf = (text: string): string => toHex(keccak256(toBytes(text)));

/** A value of 32 bytes, such as an address or an integer. */
const word = (value: string | number): string => BigInt(value).toString(16).padStart(64, '0');

const hashOfWords = (...words: readonly string[]): string => toHex(keccak256(fromHex(words.join(''))));

const DOMAIN_TYPE = hashOf('EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)');
const TRANSFER_TYPE = hashOf(
  'TransferWithAuthorization(address from,address to,uint256 value,uint256 validAfter,uint256 validBefore,bytes32 nonce)',
);

/** What a wallet signs to authorize a transfer (EIP-712, EIP-3009). */
export function transferDigest(authorization: Authorization, { chainId, asset }: PaymentNetwork): Uint8Array {
  const { from, to, value, validAfter, validBefore, nonce } = authorization;
  const domain = hashOfWords(DOMAIN_TYPE, hashOf(asset.name), hashOf(asset.version), word(chainId), word(asset.address));
  const transfer = hashOfWords(TRANSFER_TYPE, ...[from, to, value, validAfter, validBefore, nonce].map(word));
  return keccak256(fromHex(`1901${domain}${transfer}`));
}
