import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { IsoDateTime } from '../primitives.ts';
import { AgentId, KeyId, Registration, Scope } from './registration.ts';

/** Answer of `GET …/keys/self`: what a key is, never the key. */
export const KeyDetails = z.object({
  agent_id: AgentId.describe('Agent that the key belongs to.'),
  key_id: KeyId.describe('Id of the key.'),
  scopes: z.array(Scope).describe('What the key may do, scopes that the publisher granted to the agent included.'),
  issued_at: IsoDateTime.describe('When the key was issued, to the minute.'),
  expires_at: IsoDateTime.describe('When the key stops working, if it is not revoked before: sooner once it was replaced by a rotation.'),
  agent: z
    .object({
      name: z.string().describe('Name of the agent.'),
      platform: z.string().optional().describe('Software or service that it runs on.'),
      contact: z.string().optional().describe('Where its makers can be reached.'),
      registered_at: IsoDateTime.describe('When it registered.'),
      rotated_at: IsoDateTime.optional().describe('When a key of it was rotated last.'),
    })
    .nullable()
    .describe('What the registry holds of the agent; null if it holds nothing, or cannot be read at the moment.'),
});
export type KeyDetails = z.infer<typeof KeyDetails>;

/** Body of `POST …/keys/rotate`. */
export const RotateRequest = z.strictObject({
  scopes: z.array(Scope).min(1).max(4).optional().describe('Scopes of the new key; those of the present one by default, and no others.'),
  overlap_minutes: z
    .int()
    .min(0)
    .max(LIMITS.keyOverlapMinutesMax)
    .default(LIMITS.keyOverlapMinutesDefault)
    .describe('How long the present key goes on working, so that nothing fails in between and a lost answer can be asked for again.'),
});
export type RotateRequest = z.infer<typeof RotateRequest>;

/** Answer of `POST …/keys/rotate`: the new key, shown here only, and what becomes of the present one. */
export const RotatedKey = Registration.extend({
  previous_key: z
    .object({ key_id: KeyId.describe('Id of the replaced key.'), works_until: IsoDateTime.describe('When it stops working.') })
    .describe('The key that was replaced.'),
});
export type RotatedKey = z.infer<typeof RotatedKey>;

/** Body of `POST …/keys/revoke`. */
export const RevokeRequest = z.strictObject({
  keys: z.enum(['this', 'all']).default('this').describe('The key that is sent, or every key of the agent that was issued until now.'),
});
export type RevokeRequest = z.infer<typeof RevokeRequest>;

/** Answer of `POST …/keys/revoke`. */
export const RevokedKeys = z.object({
  agent_id: AgentId.describe('Agent that the keys belonged to.'),
  key_id: KeyId.describe('Id of the key that was sent.'),
  revoked: z.enum(['this', 'all']).describe('What was revoked.'),
  revoked_at: IsoDateTime.describe('Since when it is refused here.'),
  refused_everywhere_at: IsoDateTime.describe('Since when it is refused in every location, if the database can be reached.'),
});
export type RevokedKeys = z.infer<typeof RevokedKeys>;
