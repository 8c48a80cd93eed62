import * as z from 'zod';
import { Uri } from '../../../schemas/primitives.ts';
import { UCP_VERSION } from './metadata.ts';

const Entity = z.object({
  version: z.literal(UCP_VERSION).describe('Version of this part.'),
  spec: Uri.describe('Specification.'),
  schema: Uri.describe('Machine-readable description.'),
});

/** `/.well-known/ucp`: what of UCP a deployment offers (`profile.json#/$defs/business_schema`). */
export const UcpProfile = z.object({
  ucp: z
    .object({
      version: z.literal(UCP_VERSION).describe('Version of the protocol.'),
      services: z
        .record(
          z.string(),
          z.array(
            Entity.extend({
              transport: z.enum(['rest', 'mcp']).describe('How the service is reached.'),
              endpoint: Uri.describe('Where it is reached.'),
            }),
          ),
        )
        .describe('Services, by name.'),
      capabilities: z
        .record(
          z.string(),
          z.array(
            Entity.extend({
              config: z
                .object({ endpoint: Uri.describe('Address that permalinks begin with.') })
                .optional()
                .describe('Settings of the capability.'),
            }),
          ),
        )
        .describe('Capabilities, by name.'),
      payment_handlers: z
        .record(z.string(), z.array(z.unknown()))
        .describe('Ways in which an agent could pay by the API; empty, because a person pays at continue_url.'),
    })
    .describe('Metadata of the protocol.'),
});
export type UcpProfile = z.infer<typeof UcpProfile>;
