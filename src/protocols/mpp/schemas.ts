import * as z from 'zod';
import { Authorization, PaymentSignature } from '../x402/schemas.ts';

/** A challenge of the scheme Payment as a buyer sends it back (draft-httpauth-payment-00): the texts that it had in the header. */
export const EchoedChallenge = z.object({
  id: z.string(),
  realm: z.string(),
  method: z.string(),
  intent: z.string(),
  /** Terms as canonical JSON in base64url. */
  request: z.string(),
  /** End of the challenge, RFC 3339. */
  expires: z.string(),
  /** What the server put in for itself, as canonical JSON in base64url. */
  opaque: z.string(),
  digest: z.undefined().optional(),
});
export type EchoedChallenge = z.infer<typeof EchoedChallenge>;

/** `Authorization: Payment …` of the method evm and the intent charge: the challenge, and an authorization by EIP-3009 for it. */
export const PaymentCredential = z.object({
  challenge: EchoedChallenge,
  payload: Authorization.extend({ type: z.literal('authorization'), signature: PaymentSignature }),
});
export type PaymentCredential = z.infer<typeof PaymentCredential>;
