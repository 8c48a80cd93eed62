import * as z from 'zod';
import type * as ports from '../../gateway/commerce/payments/payment-ports.ts';
import { toBytes, toHex } from '../../provenance/bytes-and-sha256.ts';
import { keccak256 } from '../../provenance/canonical-json.ts';
import { recoveredAddress } from '../../provenance/ethereum-signatures.ts';
import { Address, PaymentSignature } from '../../schemas/commerce/stablecoin-payments.ts';
import { decodePayment, objectSchema } from './payment-required.ts';

/** Extension of x402 by which a wallet that bought a text reads it again (x402, specs/extensions/sign-in-with-x.md). */
export const SIGN_IN_WITH_X = 'sign-in-with-x';

const VALID_MS = 300_000;

/** How far the clocks of two machines of this service may differ. */
const CLOCK_SKEW_MS = 5_000;

const Line = z
  .string()
  .max(2_048)
  .regex(/^[^\r\n]*$/);

/** A signed message (EIP-4361, CAIP-122) with its signature. */
const SignIn = z.object({
  domain: Line,
  address: Address,
  statement: Line.optional(),
  uri: Line,
  version: z.literal('1'),
  chainId: Line,
  type: Line,
  nonce: z.string().regex(/^[A-Za-z0-9]{8,64}$/),
  issuedAt: z.iso.datetime({ offset: true }),
  expirationTime: z.iso.datetime({ offset: true }).optional(),
  notBefore: z.iso.datetime({ offset: true }).optional(),
  requestId: Line.optional(),
  resources: z.array(Line).max(10).optional(),
  signature: PaymentSignature,
});
type SignIn = z.infer<typeof SignIn>;

/** The challenge: what a wallet signs, for the address of the text. */
export function signInExtension({ url }: ports.PaidResource, terms: ports.PaymentTerms, source: ports.PaymentChallengeSource): object {
  const nowMs = source.clock.nowMs();
  const [issuedAt, expirationTime] = [nowMs, nowMs + VALID_MS].map((ms) => new Date(ms).toISOString());
  const names = Object.keys(SignIn.shape) as (keyof SignIn)[];
  const required = names.filter((name) => !SignIn.shape[name].safeParse(undefined).success);
  return {
    info: {
      domain: new URL(url).host,
      uri: url,
      version: '1',
      statement: 'Read a text again that this wallet has bought.',
      nonce: toHex(source.randomness.bytes(16)),
      issuedAt,
      expirationTime,
      resources: [url],
    },
    supportedChains: [{ chainId: terms.networkId, type: 'eip191' }],
    // Which members a message must have; no client reads their types.
    schema: objectSchema({}, required),
  };
}

/** The wallet that signed the message of a request for this text; `undefined` without a message. Whether the nonce was used is not checked. */
export function readSignIn(
  header: ports.ReadHeader,
  { url }: ports.PaidResource,
  source: ports.PaymentChallengeSource,
): ports.SignedIn | ports.PaymentIssue | undefined {
  const encoded = header(SIGN_IN_WITH_X)?.trim() ?? '';
  const { terms, clock } = source;
  if (encoded === '' || terms === undefined) return undefined;
  const decoded = decodePayment(encoded, SignIn, 'SIGN-IN-WITH-X');
  if ('unreadable' in decoded) return { reason: 'invalid_siwx_payload', detail: `${decoded.unreadable}.` };
  const { value: message } = decoded;
  return faultOf(message, url, terms, clock.nowMs()) ?? signerOf(message);
}

/** Reasons as in @x402/extensions 2.27. */
function faultOf(message: SignIn, url: string, { networkId }: ports.PaymentTerms, nowMs: number): ports.PaymentIssue | undefined {
  const { domain, uri, chainId, type, issuedAt, expirationTime, notBefore = issuedAt } = message;
  const ageMs = nowMs - Date.parse(issuedAt);
  const isExpired = expirationTime !== undefined && Date.parse(expirationTime) <= nowMs;
  const fault = (reason: string, detail: string): ports.PaymentIssue => ({ reason: `invalid_siwx_${reason}`, detail });
  if (domain !== new URL(url).host) return fault('domain_mismatch', 'The message is for another site.');
  if (uri !== url) return fault('uri_mismatch', 'The message is for another address.');
  if (chainId !== networkId || type !== 'eip191')
    return fault('unsupported_chain', `Only ${networkId} is accepted, with a signature of the type eip191.`);
  if (ageMs > VALID_MS) return fault('issued_at_too_old', 'The message is too old. Sign the one in this response.');
  if (ageMs < -CLOCK_SKEW_MS) return fault('issued_at_in_future', 'The message is from the future.');
  if (isExpired) return fault('expired', 'The message has expired. Sign the one in this response.');
  return Date.parse(notBefore) > nowMs + CLOCK_SKEW_MS ? fault('not_yet_valid', 'The message is not valid yet.') : undefined;
}

function signerOf(message: SignIn): ports.SignedIn | ports.PaymentIssue {
  const payer = message.address.toLowerCase();
  if (recoveredAddress(messageDigest(textOf(message)), message.signature) !== payer)
    return {
      reason: 'invalid_siwx_signature',
      detail: 'The key of this address did not sign this message. Signatures of smart wallets (EIP-1271, EIP-6492) are not supported.',
    };
  return { payer, nonce: message.nonce, endsAtMs: Date.parse(message.issuedAt) + VALID_MS + CLOCK_SKEW_MS };
}

/** EIP-4361. */
function textOf({ domain, address, statement, chainId, resources, ...message }: SignIn): string {
  const line = (name: string, value: string | undefined): string[] => (value === undefined ? [] : [`${name}: ${value}`]);
  const { issuedAt, expirationTime, notBefore } = message;
  return [
    ...[`${domain} wants you to sign in with your Ethereum account:`, address, '', ...(statement === undefined ? [] : [statement]), ''],
    ...[...line('URI', message.uri), 'Version: 1', ...line('Chain ID', chainId.slice('eip155:'.length)), ...line('Nonce', message.nonce)],
    ...[...line('Issued At', issuedAt), ...line('Expiration Time', expirationTime), ...line('Not Before', notBefore)],
    ...line('Request ID', message.requestId),
    ...(resources === undefined ? [] : ['Resources:', ...resources.map((resource) => `- ${resource}`)]),
  ].join('\n');
}

/** What a wallet signs of a text (EIP-191, version 0x45). */
function messageDigest(text: string): Uint8Array {
  return keccak256(toBytes(`\x19Ethereum Signed Message:\n${toBytes(text).length}${text}`));
}
