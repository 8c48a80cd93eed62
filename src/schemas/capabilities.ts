import * as z from 'zod';
import { PublishedBudget, PublishedRateLimit } from './agents/published-limits.ts';
import { Scope } from './agents/registration.ts';
import { CorpusStats } from './knowledge/corpus-lists.ts';
import { Uri } from './primitives.ts';
import { Origin } from './publisher.ts';

/** Answer of `GET …/capabilities`: what this deployment offers, from the same table that its routes come from. */
export const Capabilities = z.object({
  name: z.string().describe('Name of the publication.'),
  description: z.string().describe('What it holds.'),
  base_url: Origin.describe('Address that all paths start from.'),
  deployment: z.enum(['static', 'live']).describe('Whether only files answer, or functions too.'),
  gateway_version: z.string().describe('Date of the interface, as in the Gateway-Version header.'),
  operations: z
    .array(
      z.object({
        id: z.string().describe('operationId in the OpenAPI document.'),
        method: z.enum(['GET', 'POST', 'PUT']).describe('HTTP method.'),
        path: z.string().describe('Path, with parameters in braces.'),
        summary: z.string().describe('What the operation does.'),
        capability: z.string().describe('Group of the operation.'),
        access: z.enum(['open', 'key']).describe('Whether an API key is needed.'),
        scope: Scope.optional().describe('Scope that the key must have.'),
      }),
    )
    .describe('Every operation that answers here.'),
  authentication: z
    .object({
      type: z.enum(['none', 'bearer']).describe('How callers prove who they are.'),
      header: z.string().optional().describe('Header to send.'),
      register: Uri.optional().describe('Where a key is issued.'),
      key_pattern: z.string().optional().describe('Pattern of every key, for scanners that look for leaked keys.'),
      key_ttl_days: z.int().optional().describe('Life of a key, in days.'),
      scopes: z
        .array(z.object({ scope: Scope, granted: z.enum(['by_default', 'on_request', 'by_publisher']), description: z.string() }))
        .describe('Scopes of keys.'),
    })
    .describe('Authentication.'),
  limits: z.record(z.string(), z.number()).describe('Bounds of requests, by name.'),
  rate_limits: z
    .object({
      enforcement: z
        .enum(['none', 'isolate', 'location', 'exact', 'lifted'])
        .describe(
          'Strongest layer that counts rate limits at present; each limit names its own. isolate counts in one process and is approximate, location over all processes of a location; lifted is a benchmark on a loopback address, none a site of files only.',
        ),
      policies: z.array(PublishedRateLimit).describe('Rate limits and quotas in force.'),
    })
    .describe('Rate limits.'),
  budgets: z.array(PublishedBudget).describe('Budgets of what all callers together can store in a day.'),
  protocols: z
    .array(
      z.object({
        name: z.string().describe('Name of the protocol.'),
        version: z.string().describe('Version spoken.'),
        document: Uri.describe('Its discovery document.'),
        services: z.array(z.string()).describe('Services switched on; empty if none.'),
      }),
    )
    .describe('Agent-commerce protocols, with what is switched on.'),
  corpus: CorpusStats.describe('What is published.'),
  documents: z.record(z.string(), Uri).describe('Machine-readable documents of this site.'),
});
export type Capabilities = z.infer<typeof Capabilities>;
