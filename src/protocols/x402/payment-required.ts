import * as z from 'zod';
import type { PaidResource, PaymentChallengeSource, PaymentTerms } from '../../gateway/commerce/payments/payment-ports.ts';
import { atomicAmount, PAYMENT_TIMEOUT_SECONDS } from '../../gateway/commerce/payments/payment-terms.ts';
import { attempt } from '../../gateway/result.ts';
import { DEMO_NOTE, isDemonstration, SignedAuthorization } from '../../schemas/commerce/stablecoin-payments.ts';
import { LIMITS } from '../../schemas/limits.ts';

/** x402.org */
export const X402_VERSION = 2;

/** Longest name of a seller, and most tags, in `ResourceInfo` (@x402/core 2.27). */
const NAME_MAX = 32;
const TAGS_MAX = 5;

/** Body of a 402, and its header `PAYMENT-REQUIRED`. */
export function paymentRequired(
  resource: PaidResource,
  terms: PaymentTerms,
  { seller, baseUrl, icon, cardProfile }: Pick<PaymentChallengeSource, 'seller' | 'baseUrl' | 'icon' | 'cardProfile'>,
  error: string,
): PaymentRequired {
  // Clients accept a name in printable ASCII only, because it is sent in a header.
  const serviceName = seller
    .replace(/[^\x20-\x7e]/g, '')
    .slice(0, NAME_MAX)
    .trim();
  const tags = resource.tags.slice(0, TAGS_MAX).map((tag) => tag.slice(0, NAME_MAX));
  return {
    x402Version: X402_VERSION,
    error,
    resource: {
      url: resource.url,
      description: `${resource.title} (version ${resource.version}): the whole text${isDemonstration(cardProfile) ? DEMO_NOTE : ''}`,
      mimeType: 'application/json',
      ...(serviceName === '' ? {} : { serviceName }),
      ...(tags.length === 0 ? {} : { tags }),
      ...(icon === undefined ? {} : { iconUrl: baseUrl + icon }),
    },
    accepts: [requirementsFor(resource, terms)],
    extensions: declaredExtensions(resource),
  };
}

export function requirementsFor({ priceMicros }: PaidResource, terms: PaymentTerms): PaymentRequirements {
  return requirementsOf(atomicAmount(priceMicros, terms), terms.payTo, terms);
}

/**
 * An exact transfer by EIP-3009. `upfront`: it is settled before the text is sent, so that two requests with one authorization are served once
 * (x402 version 2, `extra.paymentFlow`).
 */
export function requirementsOf(amount: string, payTo: string, { network, networkId }: PaymentTerms): PaymentRequirements {
  const { address, name, version } = network.asset;
  return {
    scheme: 'exact',
    network: networkId,
    amount,
    asset: address,
    payTo,
    maxTimeoutSeconds: PAYMENT_TIMEOUT_SECONDS,
    extra: { name, version, paymentFlow: 'upfront' },
  };
}

/** A JSON Schema of an object. Headers have at most 8 kB in many servers, so schemas say only what clients read. */
export const objectSchema = (properties: object, required: readonly string[], more: object = {}): object => {
  return { type: 'object', properties, required, ...more };
};
const DIALECT = { $schema: 'https://json-schema.org/draft/2020-12/schema' };
const TEXT = { type: 'string' };

/** `bazaar` describes request and response for catalogs of paid resources; under a `payment-identifier`, a purchase is replayed, not paid again. */
export function declaredExtensions({ url }: Pick<PaidResource, 'url'>): Record<string, { info: object; schema: object }> {
  const queryParams = Object.fromEntries(new URL(url).searchParams);
  return {
    bazaar: {
      info: { input: { type: 'http', method: 'GET', queryParams }, output: { type: 'json', example: { markdown: 'The whole text.' } } },
      schema: objectSchema({ input: INPUT, output: OUTPUT }, ['input'], DIALECT),
    },
    'payment-identifier': {
      info: { required: false },
      schema: objectSchema({ required: { type: 'boolean' }, id: { ...TEXT, ...PAYMENT_IDENTIFIER } }, ['required'], DIALECT),
    },
  };
}

const INPUT = objectSchema(
  {
    type: { ...TEXT, const: 'http' },
    method: { ...TEXT, enum: ['GET', 'HEAD', 'DELETE'] },
    queryParams: objectSchema({ version: TEXT }, []),
  },
  ['type', 'method'],
  { additionalProperties: false },
);
const OUTPUT = objectSchema({ type: TEXT, example: objectSchema({ markdown: TEXT }, ['markdown']) }, ['type']);

/** x402, extension payment-identifier. */
const PAYMENT_IDENTIFIER = { minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' } as const;
const PaymentIdentifier = z.string().regex(/^[a-zA-Z0-9_-]{16,128}$/);

/** Terms that a seller offers and a buyer accepts (x402 version 2, `PaymentRequirements`). */
export const PaymentRequirements = z.object({
  scheme: z.string().describe('exact: a transfer of exactly this amount.'),
  network: z.string().describe('Network, as a CAIP-2 id.'),
  amount: z.string().describe('Price in the smallest unit of the token.'),
  asset: z.string().describe('Contract of the token.'),
  payTo: z.string().describe('Address that receives the payment.'),
  maxTimeoutSeconds: z.number().describe('How long an authorization must be valid, in seconds.'),
  extra: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Name and version of the token, for the signature; upfront: the payment is settled before the response.'),
});
export type PaymentRequirements = z.infer<typeof PaymentRequirements>;

/** x402 version 2, `ResourceInfo`. */
export const ResourceInfo = z.object({
  url: z.string().describe('Address of the resource.'),
  description: z.string().optional().describe('What is sold.'),
  mimeType: z.string().optional().describe('Media type of the response.'),
  serviceName: z.string().optional().describe('Name of the seller.'),
  tags: z.array(z.string()).optional().describe('Tags: the subjects.'),
  iconUrl: z.string().optional().describe('Icon of the seller.'),
});

/** x402 version 2, `PaymentRequired`. */
export const PaymentRequired = z.object({
  x402Version: z.literal(X402_VERSION).describe('Version of x402.'),
  error: z.string().describe('Why a payment is required.'),
  resource: ResourceInfo.describe('What is sold.'),
  accepts: z.array(PaymentRequirements).describe('Terms; one of them is accepted.'),
  extensions: z
    .record(z.string(), z.unknown())
    .describe('Extensions of x402: how to request the resource, and the identifier of a payment.'),
});
export type PaymentRequired = z.infer<typeof PaymentRequired>;

/** A payment (x402 version 2, `PaymentPayload`), without unneeded members. */
export const PaymentPayload = z.object({
  x402Version: z.literal(X402_VERSION),
  resource: z.object({ url: z.string() }).nullish(),
  accepted: z.object({ scheme: z.string(), network: z.string(), amount: z.string(), asset: z.string(), payTo: z.string() }),
  payload: SignedAuthorization,
  extensions: z.object({ 'payment-identifier': z.object({ info: z.object({ id: PaymentIdentifier.optional() }) }).optional() }).nullish(),
});
export type PaymentPayload = z.infer<typeof PaymentPayload>;

export const VerifyResponse = z.object({ isValid: z.boolean(), invalidReason: z.string().nullish() });

export const SettleResponse = z.object({ success: z.boolean(), transaction: z.string().nullish(), errorReason: z.string().nullish() });

interface Undecoded {
  /** What is wrong, without text of the buyer. */
  readonly unreadable: string;
  /** Whether it is no JSON object in base64; otherwise it is an object that does not fit the schema. */
  readonly isMalformed: boolean;
}

/** Reads a JSON object in base64 that fits a schema. @param header Its name, for the reason why it cannot be read. */
export function decodePayment<T>(encoded: string, schema: z.ZodType<T>, header: string): { readonly value: T } | Undecoded {
  const malformed = (fault: string): Undecoded => ({ unreadable: `${header} ${fault}`, isMalformed: true });
  if (encoded.length > LIMITS.paymentHeaderMaxLength) return malformed(`has more than ${LIMITS.paymentHeaderMaxLength} characters`);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return malformed('is not base64');
  const json = attempt((): unknown => {
    const bytes = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0));
    return JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes));
  });
  if (json === undefined) return malformed('is not JSON in base64');
  if (typeof json !== 'object' || json === null || Array.isArray(json)) return malformed('is not a JSON object');
  const parsed = schema.safeParse(json);
  if (parsed.success) return { value: parsed.data };
  const [issue] = parsed.error.issues;
  return {
    unreadable: `${header} is not what this response asks for: see /${(issue?.path ?? []).map(String).join('/')}`,
    isMalformed: false,
  };
}
