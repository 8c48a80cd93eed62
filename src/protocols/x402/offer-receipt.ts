import type { PaidResource, PaymentChallengeSource, PaymentReservation } from '../../gateway/commerce/payments/payment-ports.ts';
import { PAYMENT_TIMEOUT_SECONDS } from '../../gateway/commerce/payments/payment-terms.ts';
import { keyedDigest } from '../../gateway/keyed-digests.ts';
import type { SigningSecret, SigningSecrets } from '../../gateway/platform-ports.ts';
import { toBase64Url, toBytes } from '../../provenance/bytes.ts';
import { canonicalJson } from '../../provenance/canonical-json.ts';
import { didDocument, ed25519Key } from '../../provenance/sign.ts';
import { didWebOf, PATHS } from '../../schemas/paths.ts';
import { objectSchema, type PaymentRequirements } from './payment-required.ts';

/** Name of the extension that signs offers and receipts as JWS (x402, extension offer-receipt, version 1). */
const OFFER_RECEIPT = 'offer-receipt';
const VERSION = 1;
const PURPOSE = 'x402 offer-receipt';

type Source = Pick<PaymentChallengeSource, 'secrets' | 'baseUrl'>;

/** The extension of a 402: the offer to sell on its terms, signed. Empty without signing secrets. */
export async function signedOffer({ url }: PaidResource, terms: PaymentRequirements, nowMs: number, source: Source): Promise<object> {
  const { scheme, network, asset, payTo, amount } = terms;
  const validUntil = Math.floor(nowMs / 1_000) + PAYMENT_TIMEOUT_SECONDS;
  const offer = { version: VERSION, resourceUrl: url, scheme, network, asset, payTo, amount, validUntil };
  return signed(offer, source, (jws) => ({
    info: { offers: [{ ...jws, acceptIndex: 0 }] },
    schema: objectSchema({ offers: { type: 'array' } }, ['offers']),
  }));
}

/** The extension of a settlement: the receipt, which names the transaction. Empty without signing secrets; the same whenever it is repeated. */
export async function signedReceipt(
  { network, resource, payer, transaction, settledAtMs = 0 }: Partial<PaymentReservation>,
  source: Source,
): Promise<object> {
  const receipt = { version: VERSION, network, resourceUrl: resource, payer, issuedAt: Math.floor(settledAtMs / 1_000), transaction };
  return signed(receipt, source, (jws) => ({ info: { receipt: jws }, schema: objectSchema({ receipt: { type: 'object' } }, ['receipt']) }));
}

/** One key for each signing secret. It is not the publisher's document: that one's keys are trusted for lineages; these are on every server. */
export async function paymentKeys(secrets: SigningSecrets, baseUrl: string) {
  const keys = secrets.map(async (secret) => {
    const { x } = (await crypto.subtle.exportKey('jwk', await keyOf(secret))) as JsonWebKey;
    return { fragment: `${secret.id}`, publicKeyJwk: { kty: 'OKP', crv: 'Ed25519', x } };
  });
  return didDocument(didOf(baseUrl), await Promise.all(keys));
}

/** The DID whose document is at {@link PATHS.paymentKeys}. */
const didOf = (baseUrl: string): string => didWebOf(baseUrl + PATHS.paymentKeys.slice(0, -'/did.json'.length));

/** Keys of this isolate: to derive one takes as long as to sign. */
const KEYS = new WeakMap<SigningSecret, CryptoKey>();

/** Each signing secret yields one key, so that keys are set, rotated and withdrawn with it. */
async function keyOf(secret: SigningSecret): Promise<CryptoKey> {
  const key = KEYS.get(secret) ?? (await ed25519Key(await keyedDigest(secret, PURPOSE)));
  KEYS.set(secret, key);
  return key;
}

async function signed(payload: object, { secrets, baseUrl }: Source, extension: (jws: object) => object): Promise<object> {
  if (secrets === undefined) return {};
  const [secret] = secrets;
  const header = { alg: 'EdDSA', kid: `${didOf(baseUrl)}#${secret.id}` };
  const content = [header, payload].map((part) => toBase64Url(canonicalJson(part))).join('.');
  const signature = await crypto.subtle.sign('Ed25519', await keyOf(secret), toBytes(content));
  return { [OFFER_RECEIPT]: extension({ format: 'jws', signature: `${content}.${toBase64Url(new Uint8Array(signature))}` }) };
}
