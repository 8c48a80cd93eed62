import * as z from 'zod';
import { KEY_PATTERN, KeyScopes, Scope, SolvedChallenge } from './api-keys.ts';
import { FEATURE_PARTS, limitValues } from './feature-switches.ts';
import { BUDGETS, type BudgetName, LIMITS, QUOTAS, RATE_LIMITS } from './limits.ts';
import { IsoDateTime, isPlain, PLAIN, PlainLine, Uri } from './primitives.ts';

/** A protected resource, for clients that look for credentials (RFC 9728 section 2). */
export const ProtectedResource = z
  .object({
    resource: Uri.describe('Identifier of the resource, from which the address of this document is formed (section 3).'),
    resource_name: z.string().min(1).describe('Name of the site.'),
    scopes_supported: KeyScopes.describe('Scopes of keys.'),
    bearer_methods_supported: z.array(z.literal('header')).describe('How keys are sent: in the Authorization header.'),
    resource_documentation: Uri.describe('How agents get and use keys.'),
  })
  .describe('Scopes and use of API keys. Keys are not OAuth tokens, so no authorization server is named.');
export type ProtectedResource = z.infer<typeof ProtectedResource>;

export const RegistrationRequest = z.object({
  agent_name: z
    .string()
    .trim()
    .min(1)
    .max(LIMITS.agentNameMaxLength)
    .refine(isPlain, PLAIN)
    .describe('Name of the agent, shown to the publisher.'),
  platform: PlainLine.optional().describe('Software or service that the agent runs on.'),
  contact: PlainLine.optional().describe('E-mail address or web page of the person or team behind the agent.'),
  scopes: z.array(Scope).max(4).optional().describe('Requested scopes; the response lists those granted.'),
  ttl_days: z.int().min(1).max(LIMITS.keyTtlDays).optional().describe(`Days until the key expires; ${LIMITS.keyTtlDays} by default.`),
  type: PlainLine.optional().describe('Kind of registration; only `anonymous` is supported.'),
  challenge: SolvedChallenge.optional().describe(
    'A solved challenge: required for some scopes, and admits a registration while its network has used up its limit.',
  ),
  requested_credential_type: PlainLine.optional().describe('Kind of credential; only `api_key` is supported.'),
});
export type RegistrationRequest = z.infer<typeof RegistrationRequest>;

const ApiKey = z.string().regex(new RegExp(KEY_PATTERN));

export const AgentId = z.string().regex(/^agt_[0-9a-f]{16}$/);

/** Id of a key, from agent, serial number and minute of issue; not secret. */
const KeyId = z.string().regex(/^key_[0-9a-f]{16}_[0-9a-f]{4}_[0-9a-f]{8}$/);

type LimitName = keyof typeof RATE_LIMITS | keyof typeof QUOTAS;
const LIMIT_NAMES = [...Object.keys(RATE_LIMITS), ...Object.keys(QUOTAS)] as [LimitName, ...LimitName[]];

export const PublishedRateLimit = z
  .object({
    name: z.enum(LIMIT_NAMES).describe('Name of the limit.').register(FEATURE_PARTS, limitValues(LIMIT_NAMES)),
    requests: z.int().min(1).describe('Requests allowed in a window.'),
    window_seconds: z.int().min(1).describe('Length of the window, in seconds.'),
    per: z
      .enum(['key', 'agent', 'network', 'payer', 'challenge'])
      .describe(
        'What the limit applies to: the API key, together with the other keys of its agent; the agent; the network of the request (IPv4 /24, IPv6 /64); the payer; or one solved challenge.',
      )
      .register(FEATURE_PARTS, { payments: { values: ['payer'], words: ' the payer;' } }),
    enforcement: z
      .enum(['isolate', 'location', 'exact'])
      .describe(
        'Where it is counted: isolate is the memory of one process, approximately; location adds a count for the whole network location; exact is the database.',
      ),
  })
  .describe('A rate limit or quota.');

export const PublishedRateLimits = z.array(PublishedRateLimit).max(LIMIT_NAMES.length);

export const IgnoredMembers = z
  .array(
    z.object({
      pointer: z.string().min(1).describe('JSON Pointer to the member, or the name of the parameter.'),
      did_you_mean: z.string().min(1).optional().describe('Member that may have been meant, or the only value that is supported.'),
    }),
  )
  .min(1)
  .max(LIMITS.jsonMaxKeys)
  .optional()
  .describe(
    'Parts of the request that were ignored, because this service does not know them or supports another value only; absent without any.',
  );

export const Registration = z
  .object({
    agent_id: AgentId.describe('Permanent id of the agent.'),
    registration_id: AgentId.describe('The same id, under the name that auth.md clients expect.'),
    key_id: KeyId.describe('Id of the key; not secret.'),
    api_key: ApiKey.describe('The key. Send it as "Authorization: Bearer <api_key>"; it is neither shown again nor stored by the service.'),
    credential_type: z.literal('api_key').describe('Kind of credential.'),
    credential: ApiKey.describe('The same key, under the name that auth.md clients expect.'),
    scopes: KeyScopes.describe('Scopes of the key.'),
    issued_at: IsoDateTime.describe('When the key was issued, to the minute.'),
    expires_at: IsoDateTime.describe('When the key stops working.'),
    rate_limits: PublishedRateLimits.describe('Limits of the key. Capabilities states where each is currently counted.'),
    ignored: IgnoredMembers,
    links: z
      .object({
        query: Uri.describe('URL for queries.'),
        capabilities: Uri.describe('Operations and limits.'),
        openapi: Uri.describe('OpenAPI document of this service.'),
      })
      .describe('Next URLs.'),
  })
  .describe('An agent with its new key.');
export type Registration = z.infer<typeof Registration>;

export const KeyDetails = z.object({
  agent_id: AgentId.describe('Agent that the key belongs to.'),
  key_id: KeyId.describe('Id of the key.'),
  scopes: KeyScopes.describe('Scopes of the key, including those that the publisher granted to the agent.'),
  issued_at: IsoDateTime.describe('When the key was issued, to the minute.'),
  expires_at: IsoDateTime.describe('When the key expires; earlier once it was replaced by a rotation.'),
  agent: z
    .object({
      name: RegistrationRequest.shape.agent_name.describe('Name of the agent.'),
      platform: RegistrationRequest.shape.platform.describe('Software or service that the agent runs on.'),
      contact: RegistrationRequest.shape.contact.describe('Contact of the team behind the agent.'),
      registered_at: IsoDateTime.describe('When it registered.'),
      rotated_at: IsoDateTime.optional().describe('When a key of the agent was last rotated.'),
    })
    .nullable()
    .describe('Registry entry of the agent; null if there is none, or the registry cannot be read.'),
  passes: z
    .array(
      z.object({
        opens: z.string().describe('all, tag:…, or credit.'),
        ends_at: IsoDateTime.optional().describe('When it ends.'),
        left_minor: z.int().optional().describe('Credit left, in US cents.'),
      }),
    )
    .optional()
    .describe('Passes and credit.')
    .register(FEATURE_PARTS, { payments: 'member' }),
});
export type KeyDetails = z.infer<typeof KeyDetails>;

export const RotateRequest = z.strictObject({
  scopes: KeyScopes.min(1).optional().describe('Scopes of the new key, a subset of those of the current key; all of them by default.'),
  overlap_minutes: z
    .int()
    .min(0)
    .max(LIMITS.keyOverlapMinutesMax)
    .default(LIMITS.keyOverlapMinutesDefault)
    .describe('How long the current key continues to work, so that a lost response can be requested again.'),
});
export type RotateRequest = z.infer<typeof RotateRequest>;

export const RotatedKey = Registration.extend({
  previous_key: z
    .object({ key_id: KeyId.describe('Id of the replaced key.'), works_until: IsoDateTime.describe('When it stops working.') })
    .describe('The key that was replaced.'),
});
export type RotatedKey = z.infer<typeof RotatedKey>;

export const RevokeRequest = z.strictObject({
  keys: z.enum(['this', 'all']).default('this').describe('this: the key in the request. all: every key issued to the agent until now.'),
});
export type RevokeRequest = z.infer<typeof RevokeRequest>;

export const RevokedKeys = z.object({
  agent_id: AgentId.describe('Agent of the keys.'),
  key_id: KeyId.describe('Id of the key in the request.'),
  revoked: z.enum(['this', 'all']).describe('What was revoked.'),
  revoked_at: IsoDateTime.describe('When this location started to refuse it.'),
  refused_everywhere_at: IsoDateTime.describe('When every location refuses it at the latest, while the database can be reached.'),
});
export type RevokedKeys = z.infer<typeof RevokedKeys>;

const BudgetLevel = z
  .enum(['open', 'challenge_required', 'used_up', 'unknown'])
  .describe(
    'open: requests are accepted. challenge_required: only with a solved challenge. used_up: not before the window ends or rows are removed. unknown: the database cannot be reached. Up to half a minute old.',
  );

const BUDGET_NAMES = Object.keys(BUDGETS) as [BudgetName, ...BudgetName[]];

export const PublishedBudget = z.object({
  name: z.enum(BUDGET_NAMES).describe('Name of the budget.').register(FEATURE_PARTS, limitValues(BUDGET_NAMES)),
  requests: z.int().min(1).describe('Requests accepted in a window, of all callers together.'),
  requests_without_challenge: z.int().min(0).describe('Requests accepted without a solved challenge.'),
  window_seconds: z.int().min(1).describe('Length of the window, in seconds; windows begin at midnight UTC.'),
  rows_stored_max: z.int().min(1).optional().describe('Most stored rows of this kind.'),
  level: BudgetLevel,
});
export type PublishedBudget = z.infer<typeof PublishedBudget>;

export const PublishedBudgetLevels = z.array(PublishedBudget.pick({ name: true, level: true })).max(BUDGET_NAMES.length);

export const PublishedBudgets = z.array(PublishedBudget).max(BUDGET_NAMES.length);
