/** A token that takes authorizations by EIP-3009, as the one that signs for it has to know it. */
export interface PaymentAsset {
  /** Contract of the token. */
  readonly address: string;
  /** Name and version of its EIP-712 domain. */
  readonly name: string;
  readonly version: string;
  /** Digits after the point of one unit. */
  readonly decimals: number;
}

/** A network on which capsules can be paid. */
export interface PaymentNetwork {
  /** Name for people. */
  readonly name: string;
  readonly chainId: number;
  /** Whether its tokens are worth nothing. */
  readonly isTest: boolean;
  /** Seconds between two blocks. */
  readonly blockSeconds: number;
  readonly asset: PaymentAsset;
}

/**
 * Networks by CAIP-2, with the USD Coin of each (developers.circle.com/stablecoins/usdc-contract-addresses). The domain of the test
 * token is named "USDC", that of the other "USD Coin". Both have a block every two seconds (docs.base.org, "Network Information").
 */
const NETWORKS: Readonly<Record<string, PaymentNetwork>> = {
  'eip155:84532': {
    name: 'Base Sepolia',
    chainId: 84_532,
    isTest: true,
    blockSeconds: 2,
    asset: { address: '0x036CbD53842c5426634e7929541eC2318f3dCF7e', name: 'USDC', version: '2', decimals: 6 },
  },
  'eip155:8453': {
    name: 'Base',
    chainId: 8_453,
    isTest: false,
    blockSeconds: 2,
    asset: { address: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913', name: 'USD Coin', version: '2', decimals: 6 },
  },
};

/** Identifiers of the networks on which capsules can be paid. */
export const PAYMENT_NETWORK_IDS: readonly string[] = Object.keys(NETWORKS);

/** The network with an identifier by CAIP-2, or `undefined` if nothing can be paid there. */
export function paymentNetwork(id: string): PaymentNetwork | undefined {
  return Object.hasOwn(NETWORKS, id) ? NETWORKS[id] : undefined;
}
