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
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts';
import type { CommerceKit, TestAccount } from '../support/commerce-kit.ts';
import { startFacilitator } from './facilitator.ts';

const NETWORK = 'eip155:84532';

/** The official clients, as tests use them. */
export const kit: CommerceKit = {
  startFacilitator,
  newAccount: () => {
    const privateKey = generatePrivateKey();
    return { address: privateKeyToAccount(privateKey).address, privateKey };
  },
  x402Fetch: (account, fetch) =>
    wrapFetchWithPaymentFromConfig(fetch, { schemes: [{ network: NETWORK, client: new ExactEvmScheme(signerOf(account)) }] }),
  x402FetchWithIdentifier: (account, identifier, fetch) => {
    const client = clientOf(account);
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
  signInFetch: (account, fetch) => wrapFetchWithSIWx(fetch, signerOf(account)),
  signIn: async (account, challenge, changes = {}) => {
    const { info, supportedChains } = challenge as { info: Parameters<typeof createSIWxPayload>[0]; supportedChains: object[] };
    const message = { ...info, ...supportedChains[0], ...changes };
    return encodeSIWxHeader(await createSIWxPayload(message, signerOf(account), message.uri));
  },
  signX402: async (account, required, changes = {}) => {
    const client = clientOf(account);
    const payload = await client.createPaymentPayload(required as Parameters<typeof client.createPaymentPayload>[0]);
    return { ...payload, ...changes };
  },
  mppFetch: (account, fetch) => {
    const methods = [evm.charge({ account: signerOf(account), currencies: [evm.assets.baseSepolia.USDC] })];
    return Mppx.create({ methods, fetch, polyfill: false }).fetch as typeof globalThis.fetch;
  },
  cardFetch: (createToken, fetch) => {
    const methods = [stripe.charge({ paymentMethod: 'pm_card_visa', createToken })];
    return Mppx.create({ methods, fetch, polyfill: false }).fetch as typeof globalThis.fetch;
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
};

const signerOf = ({ privateKey }: TestAccount) => privateKeyToAccount(privateKey as `0x${string}`);

const clientOf = (account: TestAccount): x402Client => new x402Client().register(NETWORK, new ExactEvmScheme(signerOf(account)));

type JwsOffer = Parameters<typeof verifyOfferSignatureJWS>[0];

function offersIn(required: unknown) {
  return extractOffersFromPaymentRequired(required as Parameters<typeof extractOffersFromPaymentRequired>[0]);
}
