import * as z from 'zod';

export const Address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address');
const Bytes32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be 32 bytes in hexadecimal');
/** A uint256 in decimal without leading zeros, so that each number has one text. */
const Uint256 = z.string().regex(/^(0|[1-9]\d{0,77})$/, 'must be an integer in decimal');

/** A transfer authorization (EIP-3009). */
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

export const SignedAuthorization = z.object({ signature: PaymentSignature, authorization: Authorization });
export type SignedAuthorization = z.infer<typeof SignedAuthorization>;

export const CardToken = z.object({
  spt: z.string(),
  challengeId: z.string(),
  amount: z.string().default(''),
  currency: z.string().default('usd'),
});
export type CardToken = z.infer<typeof CardToken>;

export const TransactionHash = Bytes32;

export interface PaymentNetwork {
  readonly name: string;
  readonly chainId: number;
  readonly isTest: boolean;
  readonly blockSeconds: number;
  /** A token that supports EIP-3009 authorizations, with its EIP-712 domain. */
  readonly asset: { readonly address: string; readonly name: string; readonly version: string; readonly decimals: number };
}

/** By CAIP-2 id, with their USD Coin (developers.circle.com/stablecoins/usdc-contract-addresses) and block time (docs.base.org, "Network Information"). */
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

export const PAYMENT_NETWORK_IDS: readonly string[] = Object.keys(NETWORKS);

/** In the place of a profile at Stripe where this machine stands in for facilitator and cards; publisher.yaml cannot have it. */
export const DEMO_PROFILE = 'demonstration';

/** Prefixes of transactions and payments of the demonstration; the hexadecimal one spells "demonstration" in ASCII. */
export const DEMO_REFERENCES = { token: '0x64656d6f6e7374726174696f6e', card: 'pi_demo_' } as const;

export const DEMO_NOTE = ' (demonstration: no money is taken)';

export const DEMO_PAYMENT = 'This is a demonstration: no money is taken, and any wallet or shared payment token pays.';

export function isDemonstration(cardProfile: string | undefined): boolean {
  return cardProfile === DEMO_PROFILE;
}

export function demoPayments(address: string) {
  const pay_to = '0x000000000000000000000000000000000000dEaD';
  return { pay_to, network: 'eip155:84532', facilitator: address, stripe_profile: DEMO_PROFILE };
}

/** Whether texts cost nothing of value, so that a demonstration can give them away: on a test network, and not by card. */
export function isTestNetwork(
  payments: { network?: string | undefined; stripeProfile?: string | undefined; stripe_profile?: string | undefined } | undefined,
): boolean {
  const { network = '', stripe_profile: authored, stripeProfile: profile = authored } = payments ?? {};
  return paymentNetwork(network)?.isTest === true && (profile === undefined || isDemonstration(profile));
}

export function paymentNetwork(id: string): PaymentNetwork | undefined {
  return Object.hasOwn(NETWORKS, id) ? NETWORKS[id] : undefined;
}
