import { PAYMENT_IDENTIFIER } from './schemas.ts';
import type { PaidResource } from '../../gateway/commerce/payments/paid-resource.ts';

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

/**
 * Extensions of x402 that a challenge declares. `bazaar` says how the resource is asked for and what comes, so that a catalog of paid resources can list
 * it; `payment-identifier` takes an identifier of the buyer, under which a purchase is answered again instead of being paid again.
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
