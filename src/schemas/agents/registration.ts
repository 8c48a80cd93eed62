import * as z from 'zod';
import { SolvedChallenge } from './challenge.ts';
import { LIMITS, QUOTAS, RATE_LIMITS } from '../limits.ts';
import { IsoDateTime, Uri } from '../primitives.ts';

/**
 * What a key may do. `read` is given by default, `buy` on request, `submit` on request after a challenge or by the publisher, `metrics`
 * by the publisher.
 */
export const Scope = z.enum(['read', 'submit', 'buy', 'metrics']);
export type Scope = z.infer<typeof Scope>;

/** Whether a text is free of control and formatting characters, which hide or turn what a reader sees; U+200D joins emoji. */
function isVisible(text: string): boolean {
  return !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?!\u200d)\p{Cf}/u.test(text);
}

const VISIBLE = 'must hold no control characters and no invisible ones';

const shortText = z.string().trim().min(1).max(LIMITS.shortTextMaxLength).refine(isVisible, VISIBLE);

/** Body of `POST …/register`. Members that are not listed are ignored. */
export const RegistrationRequest = z.object({
  agent_name: z
    .string()
    .trim()
    .min(1)
    .max(LIMITS.agentNameMaxLength)
    .refine(isVisible, VISIBLE)
    .describe('Name of the agent, as the publisher will see it.'),
  platform: shortText.optional().describe('Software or service that the agent runs on.'),
  contact: shortText.optional().describe('E-mail address or web page of the person or team behind the agent.'),
  scopes: z.array(Scope).max(4).optional().describe('Scopes asked for; the answer says which were given.'),
  type: shortText.optional().describe('Kind of registration; `anonymous` is what is given.'),
  challenge: SolvedChallenge.optional().describe(
    'A solved challenge: needed for the scope submit, and lets a registration through while its network has used up its limit.',
  ),
  requested_credential_type: shortText.optional().describe('Kind of credential; `api_key` is what is given.'),
});
export type RegistrationRequest = z.infer<typeof RegistrationRequest>;

/** Text form of an agent id. */
export const AgentId = z.string().regex(/^agt_[0-9a-f]{16}$/);

/** Text form of the id of a key, which may be shown: agent, serial number and minute of issue, none of which opens anything. */
export const KeyId = z.string().regex(/^key_[0-9a-f]{16}_[0-9a-f]{4}_[0-9a-f]{8}$/);

/** Names of all limits, of both kinds. */
const LIMIT_NAMES = [...Object.keys(RATE_LIMITS), ...Object.keys(QUOTAS)] as [
  keyof typeof RATE_LIMITS | keyof typeof QUOTAS,
  ...(keyof typeof RATE_LIMITS | keyof typeof QUOTAS)[],
];

/** A rate limit or quota as it is published. */
export const PublishedRateLimit = z.object({
  name: z.enum(LIMIT_NAMES).describe('Name of the limit.'),
  requests: z.int().min(1).describe('Requests allowed in a window.'),
  window_seconds: z.int().min(1).describe('Length of the window, in seconds.'),
  per: z
    .enum(['key', 'agent', 'network', 'payer', 'challenge'])
    .describe(
      'What is counted: the API key, together with the other keys of its agent; the agent; the network that the request comes from (IPv4 /24, IPv6 /64); who pays; or one solved challenge.',
    ),
  enforcement: z
    .enum(['isolate', 'location', 'exact'])
    .describe(
      'Where it is counted: in the memory of one process and so approximately, in a location of the network as well, or exactly in the database.',
    ),
});

/** Answer to a registration. The only place where the key is ever sent. */
export const Registration = z.object({
  agent_id: AgentId.describe('Permanent id of the agent.'),
  registration_id: AgentId.describe('The same id, under the name that auth.md clients expect.'),
  key_id: KeyId.describe('Id of the key, which may be shown and logged.'),
  api_key: z.string().describe('The key. Send it as "Authorization: Bearer <api_key>"; it is not shown again and not stored here.'),
  credential_type: z.literal('api_key').describe('Kind of credential.'),
  credential: z.string().describe('The same key, under the name that auth.md clients expect.'),
  scopes: z.array(Scope).describe('Scopes of the key.'),
  issued_at: IsoDateTime.describe('When the key was issued, to the minute.'),
  expires_at: IsoDateTime.describe('When the key stops working.'),
  rate_limits: z
    .array(PublishedRateLimit)
    .describe('Limits that apply to the key. Where each is counted at present is told by capabilities.'),
  links: z.object({ query: Uri, capabilities: Uri, openapi: Uri }).describe('Where to go next.'),
});
export type Registration = z.infer<typeof Registration>;
