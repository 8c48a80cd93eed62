import * as z from 'zod';
import { IsoDate, Uri } from '../../../schemas/primitives.ts';
import { UCP_VERSION } from '../../versions.ts';

/** The service of UCP. */
export const UCP_SERVICE = 'dev.ucp.shopping';

/** Capabilities of the service that are offered, under short names. */
export const UCP_CAPABILITIES = {
  search: 'dev.ucp.shopping.catalog.search',
  lookup: 'dev.ucp.shopping.catalog.lookup',
  checkout: 'dev.ucp.shopping.checkout',
  permalink: 'dev.ucp.shopping.permalink',
} as const;
export type UcpCapability = keyof typeof UCP_CAPABILITIES;

const Active = z.array(z.object({ version: IsoDate.describe('Version of the capability.') }));

/** Metadata of the protocol that begins every response (`ucp.json#/$defs/base`). */
export const UcpMetadata = z
  .object({
    version: z.literal(UCP_VERSION).describe('Version of the protocol of the response.'),
    status: z.enum(['success', 'error']).describe('Whether the request succeeded; with error, messages say why not.'),
    capabilities: z.record(z.string(), Active).describe('Capabilities that the response belongs to.'),
    payment_handlers: z
      .record(z.string(), z.array(z.unknown()))
      .optional()
      .describe('Payment handlers for agents; empty, because a person pays at continue_url.'),
  })
  .describe('Metadata of the protocol.');
export type UcpMetadata = z.infer<typeof UcpMetadata>;

/** A message about a response (`common/types/message.json`). */
export const UcpMessage = z.object({
  type: z.enum(['error', 'warning', 'info']).describe('Kind of message.'),
  code: z.string().min(1).describe('Subject of the message.'),
  content: z.string().min(1).describe('The message, in plain text.'),
  severity: z
    .enum(['recoverable', 'requires_buyer_input', 'requires_buyer_review', 'unrecoverable'])
    .optional()
    .describe('What to do about an error.'),
  path: z.string().regex(/^\$/).optional().describe('Place in the response, as a JSONPath (RFC 9535).'),
});
export type UcpMessage = z.infer<typeof UcpMessage>;

/** Response without a result (`common/types/error_response.json`, a closed object). */
export const UcpError = z.strictObject({
  ucp: UcpMetadata,
  messages: z.array(UcpMessage).min(1).describe('Why there is no result.'),
  continue_url: Uri.optional().describe('Page on which a person can continue.'),
});
export type UcpError = z.infer<typeof UcpError>;

/** Metadata of a response of some capabilities. */
export function ucpMetadata(status: UcpMetadata['status'], ...capabilities: readonly UcpCapability[]): UcpMetadata {
  return {
    version: UCP_VERSION,
    status,
    capabilities: Object.fromEntries(capabilities.map((name) => [UCP_CAPABILITIES[name], [{ version: UCP_VERSION }]])),
    ...(capabilities.includes('checkout') ? { payment_handlers: {} } : {}),
  };
}
