import { parsePaymentRequired } from '@x402/core/schemas';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { validateDiscoveryExtension } from '@x402/extensions/bazaar';
import {
  decodeSignedOffers,
  extractOffersFromPaymentRequired,
  extractReceiptFromResponse,
  verifyOfferSignatureJWS,
  verifyReceiptMatchesOffer,
  verifyReceiptSignatureJWS,
} from '@x402/extensions/offer-receipt';
import { paymentIdentifierSchema } from '@x402/extensions/payment-identifier';
import { createSIWxPayload, encodeSIWxHeader, wrapFetchWithSIWx } from '@x402/extensions/sign-in-with-x';
import { decodePaymentResponseHeader, wrapFetchWithPayment, wrapFetchWithPaymentFromConfig, x402Client } from '@x402/fetch';
import { evm, Mppx, stripe } from 'mppx/client';
import { keccak256 } from 'viem';
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { CommerceKit } from '../support/commerce-kit.ts';
import { startFacilitator } from './facilitator.ts';

const NETWORK = 'eip155:84532';

/** The official clients, as tests use them. */
export const kit: CommerceKit = {
  startFacilitator,
  newAccount: () => {
    const key = generatePrivateKey();
    const account = privateKeyToAccount(key);
    return { address: account.address, privateKey: key };
  },
  x402Fetch: ({ privateKey }, fetch) =>
    wrapFetchWithPaymentFromConfig(fetch, {
      schemes: [{ network: NETWORK, client: new ExactEvmScheme(privateKeyToAccount(privateKey as `0x${string}`)) }],
    }),
  x402FetchWithIdentifier: ({ privateKey }, identifier, fetch) => {
    const client = new x402Client().register(NETWORK, new ExactEvmScheme(privateKeyToAccount(privateKey as `0x${string}`)));
    client.registerExtension({
      key: 'payment-identifier',
      enrichPaymentPayload: async (payload) => {
        const extensions = structuredClone(payload.extensions ?? {}) as Record<string, { info: Record<string, unknown> }>;
        const declared = extensions['payment-identifier'];
        if (declared) declared.info['id'] = identifier;
        return { ...payload, extensions };
      },
    });
    return wrapFetchWithPayment(fetch, client);
  },
  signInFetch: ({ privateKey }, fetch) => wrapFetchWithSIWx(fetch, privateKeyToAccount(privateKey as `0x${string}`)),
  signIn: async ({ privateKey }, challenge, changes = {}) => {
    const { info, supportedChains } = challenge as { info: Parameters<typeof createSIWxPayload>[0]; supportedChains: object[] };
    const message = { ...info, ...supportedChains[0], ...changes };
    return encodeSIWxHeader(await createSIWxPayload(message, privateKeyToAccount(privateKey as `0x${string}`), message.uri));
  },
  signX402: async ({ privateKey }, required, changes = {}) => {
    const client = new x402Client().register(NETWORK, new ExactEvmScheme(privateKeyToAccount(privateKey as `0x${string}`)));
    const payload = await client.createPaymentPayload(required as Parameters<typeof client.createPaymentPayload>[0]);
    return { ...payload, ...changes };
  },
  mppFetch: ({ privateKey }, fetch) => {
    const account = privateKeyToAccount(privateKey as `0x${string}`);
    const { fetch: paying } = Mppx.create({
      methods: [evm.charge({ account, currencies: [evm.assets.baseSepolia.USDC] })],
      fetch,
      polyfill: false,
    });
    return paying as typeof globalThis.fetch;
  },
  cardFetch: (createToken, fetch) => {
    const { fetch: paying } = Mppx.create({
      methods: [stripe.charge({ paymentMethod: 'pm_card_visa', createToken })],
      fetch,
      polyfill: false,
    });
    return paying as typeof globalThis.fetch;
  },
  decodePaymentResponse: (header) => decodePaymentResponseHeader(header) as unknown as Record<string, unknown>,
  faultsOfPaymentRequired: (value) => {
    const parsed = parsePaymentRequired(value);
    return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('/')} ${message}`);
  },
  faultsOfBazaar: (extension) => validateDiscoveryExtension(extension as Parameters<typeof validateDiscoveryExtension>[0]).errors ?? [],
  verifiedOffers: (required) => Promise.all(offersIn(required).map((offer) => verifyOfferSignatureJWS(offer as JwsOffer))),
  verifiedReceipt: async (response, required, payer) => {
    const receipt = extractReceiptFromResponse(response);
    const [offer] = decodeSignedOffers(offersIn(required));
    if (receipt === undefined || offer === undefined || !verifyReceiptMatchesOffer(receipt, offer, [payer])) return undefined;
    return verifyReceiptSignatureJWS(receipt as Parameters<typeof verifyReceiptSignatureJWS>[0]);
  },
  paymentIdentifierSchema,
  keccak256: (bytes) => keccak256(bytes),
};

type JwsOffer = Parameters<typeof verifyOfferSignatureJWS>[0];

function offersIn(required: unknown) {
  return extractOffersFromPaymentRequired(required as Parameters<typeof extractOffersFromPaymentRequired>[0]);
}
