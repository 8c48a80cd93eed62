import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { IsoDateTime } from '../primitives.ts';
import { AgentId, KeyId, KeyScopes, Registration, RegistrationRequest } from './registration.ts';

/** Response of `GET …/keys/self`. */
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
});
export type KeyDetails = z.infer<typeof KeyDetails>;

/** Body of `POST …/keys/rotate`. */
export const RotateRequest = z.strictObject({
  scopes: KeyScopes.min(1).optional().describe('Scopes of the new key, a subset of those of the current key; all of them by default.'),
  overlap_minutes: z
    .int()
    .min(0)
    .max(LIMITS.keyOverlapMinutesMax)
    .default(LIMITS.keyOverlapMinutesDefault)
    .describe('How long the current key continues to work, so that no request fails and a lost response can be requested again.'),
});
export type RotateRequest = z.infer<typeof RotateRequest>;

/** Response of `POST …/keys/rotate`. */
export const RotatedKey = Registration.extend({
  previous_key: z
    .object({ key_id: KeyId.describe('Id of the replaced key.'), works_until: IsoDateTime.describe('When it stops working.') })
    .describe('The key that was replaced.'),
});
export type RotatedKey = z.infer<typeof RotatedKey>;

/** Body of `POST …/keys/revoke`. */
export const RevokeRequest = z.strictObject({
  keys: z.enum(['this', 'all']).default('this').describe('this: the key in the request. all: every key issued to the agent until now.'),
});
export type RevokeRequest = z.infer<typeof RevokeRequest>;

/** Response of `POST …/keys/revoke`. */
export const RevokedKeys = z.object({
  agent_id: AgentId.describe('Agent of the keys.'),
  key_id: KeyId.describe('Id of the key in the request.'),
  revoked: z.enum(['this', 'all']).describe('What was revoked.'),
  revoked_at: IsoDateTime.describe('When this location started to refuse it.'),
  refused_everywhere_at: IsoDateTime.describe('When every location refuses it at the latest, while the database can be reached.'),
});
export type RevokedKeys = z.infer<typeof RevokedKeys>;
