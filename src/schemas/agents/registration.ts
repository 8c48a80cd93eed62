import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { IsoDateTime, isPlain, PLAIN, Uri } from '../primitives.ts';
import { PublishedRateLimit } from './published-limits.ts';

/** The only kind of challenge: find a text that gives the SHA-256 of `token + "." + solution` enough leading zero bits. */
export const CHALLENGE_ALGORITHM = 'sha256-leading-zero-bits';

/** A challenge as it comes back in a registration. */
export const SolvedChallenge = z.object({
  token: z.string().min(16).max(256).describe('Token of the challenge, unchanged.'),
  solution: z
    .string()
    .regex(/^[0-9A-Za-z_-]{1,64}$/, 'must be 1 to 64 letters, digits, hyphens or underscores')
    .describe('Text with which the digest of token, a full stop and it begins with enough zero bits.'),
});
export type SolvedChallenge = z.infer<typeof SolvedChallenge>;

/** Answer of `GET …/challenge`. Nothing is stored: the token proves itself, and one token leads to one agent at most. */
export const Challenge = z.object({
  token: z.string().describe('Token to send back with the solution.'),
  algorithm: z.literal(CHALLENGE_ALGORITHM).describe('What is to be solved.'),
  difficulty_bits: z
    .int()
    .min(LIMITS.challengeBitsMin)
    .max(LIMITS.challengeBitsMax)
    .describe('Leading zero bits that the SHA-256 of token + "." + solution (UTF-8) must have.'),
  expires_at: IsoDateTime.describe('When the token stops being taken.'),
});
export type Challenge = z.infer<typeof Challenge>;

/**
 * What a key may do. `read` is given by default, `buy` on request, `submit` on request after a challenge or by the publisher, `metrics`
 * by the publisher.
 */
export const Scope = z.enum(['read', 'submit', 'buy', 'metrics']);
export type Scope = z.infer<typeof Scope>;

const shortText = z.string().trim().min(1).max(LIMITS.shortTextMaxLength).refine(isPlain, PLAIN);

/** Body of `POST …/register`. Members that are not listed are ignored. */
export const RegistrationRequest = z.object({
  agent_name: z
    .string()
    .trim()
    .min(1)
    .max(LIMITS.agentNameMaxLength)
    .refine(isPlain, PLAIN)
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
