import type { PaidResource } from '../../gateway/commerce/payments/paid-resource.ts';
import { atomicAmount, PAYMENT_TIMEOUT_SECONDS, type PaymentTerms } from '../../gateway/commerce/payments/payment-terms.ts';
import { X402_VERSION } from '../versions.ts';
import { PAYMENT_IDENTIFIER, type PaymentRequired, type PaymentRequirements } from './schemas.ts';

/** Longest name of a seller, and most tags, in `ResourceInfo` (@x402/core 2.27). */
const NAME_MAX = 32;
const TAGS_MAX = 5;

/** The challenge for an unpaid resource: body of a 402, and its header `PAYMENT-REQUIRED`. */
export function paymentRequired(resource: PaidResource, terms: PaymentTerms, seller: string, error: string): PaymentRequired {
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
      description: `${resource.title} (version ${resource.version}): the whole text`,
      mimeType: 'application/json',
      ...(serviceName === '' ? {} : { serviceName }),
      ...(tags.length === 0 ? {} : { tags }),
    },
    accepts: [requirementsFor(resource, terms)],
    extensions: declaredExtensions(resource),
  };
}

/** The terms of a resource: a transfer of exactly its price. */
export function requirementsFor({ priceMicros }: PaidResource, terms: PaymentTerms): PaymentRequirements {
  return requirementsOf(atomicAmount(priceMicros, terms), terms.payTo, terms);
}

/**
 * Terms of an exact transfer by EIP-3009. `upfront`: it is settled before the text is sent, so that two requests with one authorization are
 * served once (x402 version 2, `extra.paymentFlow`).
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

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Extensions of x402 that a challenge declares. `bazaar` describes request and response for catalogs of paid resources;
 * `payment-identifier` accepts an identifier under which a purchase is replayed instead of paid again.
 */
export function declaredExtensions({ url }: Pick<PaidResource, 'url'>): Record<string, { info: object; schema: object }> {
  const queryParams = Object.fromEntries(new URL(url).searchParams);
  return {
    bazaar: {
      info: { input: { type: 'http', method: 'GET', queryParams }, output: { type: 'json', example: { markdown: 'The whole text.' } } },
      schema: {
        $schema: DIALECT,
        type: 'object',
        properties: {
          input: {
            type: 'object',
            properties: {
              type: { type: 'string', const: 'http' },
              method: { type: 'string', enum: ['GET', 'HEAD', 'DELETE'] },
              queryParams: {
                type: 'object',
                properties: { version: { type: 'string', description: 'Version wanted; the current one without it.' } },
              },
            },
            required: ['type', 'method'],
            additionalProperties: false,
          },
          output: {
            type: 'object',
            properties: {
              type: { type: 'string' },
              example: {
                type: 'object',
                properties: { markdown: { type: 'string', description: 'The text, whose digest is content_sha256.' } },
                required: ['markdown'],
              },
            },
            required: ['type'],
          },
        },
        required: ['input'],
      },
    },
    'payment-identifier': {
      info: { required: false },
      schema: {
        $schema: DIALECT,
        type: 'object',
        properties: { required: { type: 'boolean' }, id: { type: 'string', ...PAYMENT_IDENTIFIER } },
        required: ['required'],
      },
    },
  };
}
