import * as z from 'zod';
import { PublishedBudgets, PublishedRateLimits } from './agents.ts';
import { KEY_PATTERN, Scope } from './api-keys.ts';
import { FEATURE_PARTS } from './feature-switches.ts';
import { CorpusStats } from './knowledge/corpus-responses.ts';
import { IsoDate, RootPath, Uri } from './primitives.ts';
import { BaseUrl, Publisher } from './publisher.ts';

export const Capability = z
  .enum(['agents', 'knowledge', 'capsules', 'commerce', 'documents'])
  .describe('Group of the operation.')
  .register(FEATURE_PARTS, { shop: { values: ['commerce'] } });
export type Capability = z.infer<typeof Capability>;

export const Capabilities = z.object({
  name: Publisher.shape.name.describe('Name of the publication.'),
  description: Publisher.shape.description.describe('What the publication contains.'),
  base_url: BaseUrl.describe('URL that all paths are relative to.'),
  deployment: z.enum(['static', 'live']).describe('static: files only. live: functions too.'),
  gateway_version: IsoDate.describe('Date of the interface, as in the Gateway-Version header.'),
  operations: z
    .array(
      z.object({
        id: z
          .string()
          .regex(/^[A-Za-z0-9]+$/)
          .describe('operationId in the OpenAPI document.'),
        method: z.enum(['GET', 'POST', 'PUT']).describe('HTTP method.'),
        path: RootPath.describe('Path, with parameters in braces.'),
        summary: z.string().min(1).describe('What the operation does.'),
        capability: Capability,
        access: z.enum(['open', 'key']).describe('Whether an API key is needed.'),
        scope: Scope.optional().describe('Required scope of the key.'),
      }),
    )
    .min(1)
    .describe('All operations of this deployment.'),
  authentication: z
    .object({
      type: z.enum(['none', 'bearer']).describe('Authentication scheme.'),
      header: z.literal('Authorization: Bearer <api_key>').optional().describe('Header to send.'),
      register: Uri.optional().describe('URL that issues keys.'),
      key_pattern: z.literal(KEY_PATTERN).optional().describe('Pattern of every key, for secret scanners.'),
      key_ttl_days: z.int().min(1).optional().describe('Lifetime of a key, in days.'),
      scopes: z
        .array(
          z.object({
            scope: Scope.describe('Name of the scope.'),
            granted: z
              .enum(['by_default', 'on_request', 'by_publisher'])
              .describe('Whether a registration gets it by default, if it asks, or only from the publisher.'),
            description: z.string().min(1).describe('What the scope permits.'),
          }),
        )
        .max(Scope.options.length)
        .describe('Scopes of keys.'),
    })
    .describe('Authentication.'),
  limits: z.record(z.string(), z.number()).describe('Limits of requests, by name.'),
  rate_limits: z
    .object({
      enforcement: z
        .enum(['none', 'isolate', 'location', 'exact', 'lifted'])
        .describe(
          'Strongest layer that currently counts rate limits; each limit names its own. isolate counts in one process, approximately; location counts over all processes of a location; lifted is a benchmark on a loopback address; none is a site of files.',
        ),
      policies: PublishedRateLimits.describe('Rate limits and quotas in force.'),
    })
    .describe('Rate limits.'),
  budgets: PublishedBudgets.describe('Daily budgets of what all callers together can store.'),
  protocols: z
    .array(
      z.object({
        name: z.string().min(1).describe('Name of the protocol.'),
        version: z.string().min(1).describe('Supported version.'),
        document: Uri.describe('Its discovery document.'),
        services: z.array(z.string().min(1)).describe('Enabled services.'),
        demo: z.literal(true).optional().describe('If true, a demonstration: no money is taken.'),
      }),
    )
    .describe('Protocols in force, with their enabled services.'),
  corpus: CorpusStats.describe('The published corpus.'),
  documents: z.record(z.string(), Uri).describe('Machine-readable documents of this site.'),
});
export type Capabilities = z.infer<typeof Capabilities>;
