import * as z from 'zod';
import { LIMITS } from '../../../schemas/limits.ts';
import { UcpLookupRequest, UcpProductRequest, UcpSearchRequest } from './catalog.ts';
import { UcpCheckoutRequest, UcpCompleteRequest } from './checkout.ts';

/** Metadata of a request over MCP, in the place of the headers of HTTP. */
export const UcpToolMeta = z
  .looseObject({
    'ucp-agent': z
      .looseObject({ profile: z.string().max(LIMITS.urlMaxLength).describe('Address of the profile of the platform. It is not fetched.') })
      .describe('The platform that asks.'),
    'idempotency-key': z
      .string()
      .min(LIMITS.idempotencyKeyMinLength)
      .max(LIMITS.idempotencyKeyMaxLength)
      .regex(/^[\x21-\x7e]+$/)
      .optional()
      .describe('A UUID, for tools that change something: the same request with the same key has one effect.'),
    'challenge-solution': z
      .string()
      .max(LIMITS.challengeSolutionMaxLength)
      .optional()
      .describe('Token and solution of a challenge, with a full stop between them, where a refusal asks for one.'),
  })
  .describe('Who asks.');

const Id = z.string().min(1).max(LIMITS.shortTextMaxLength).describe('Id of the checkout session.');

/** Arguments of the tools besides `meta`, by the names that the service description of UCP gives (mcp.openrpc.json). */
export const UCP_TOOL_ARGUMENTS = {
  search_catalog: z.looseObject({ catalog: UcpSearchRequest.describe('The search.') }),
  lookup_catalog: z.looseObject({ catalog: UcpLookupRequest.describe('The lookup.') }),
  get_product: z.looseObject({ catalog: UcpProductRequest.describe('The product that is wanted.') }),
  create_checkout: z.looseObject({ checkout: UcpCheckoutRequest.describe('The checkout.') }),
  get_checkout: z.looseObject({ id: Id }),
  update_checkout: z.looseObject({ id: Id, checkout: UcpCheckoutRequest.describe('The whole checkout, as it shall be.') }),
  complete_checkout: z.looseObject({ id: Id, checkout: UcpCompleteRequest.optional().describe('How it is paid; nothing is taken.') }),
  cancel_checkout: z.looseObject({ id: Id }),
} as const;
export type UcpToolName = keyof typeof UCP_TOOL_ARGUMENTS;
