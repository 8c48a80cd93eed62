import * as z from 'zod';
import { SignedAuthorization } from '../../schemas/commerce/payments.ts';
import { X402_VERSION } from '../versions.ts';

/** Bounds of a payment's identifier (x402, extension payment-identifier). */
export const PAYMENT_IDENTIFIER = { minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' } as const;
const PaymentIdentifier = z
  .string()
  .min(PAYMENT_IDENTIFIER.minLength)
  .max(PAYMENT_IDENTIFIER.maxLength)
  .regex(/^[a-zA-Z0-9_-]+$/);

/** Terms that a seller offers and a buyer accepts (x402 version 2, `PaymentRequirements`). */
export const PaymentRequirements = z.object({
  scheme: z.string().describe('exact: a transfer of exactly this amount.'),
  network: z.string().describe('Network, as a CAIP-2 id.'),
  amount: z.string().describe('Price in the smallest unit of the token.'),
  asset: z.string().describe('Contract of the token.'),
  payTo: z.string().describe('Address that receives the payment.'),
  maxTimeoutSeconds: z.number().describe('How long an authorization must be valid, in seconds.'),
  extra: z
    .record(z.string(), z.unknown())
    .optional()
    .describe('Name and version of the token, for the signature; upfront: the payment is settled before the response.'),
});
export type PaymentRequirements = z.infer<typeof PaymentRequirements>;

/** What is sold (x402 version 2, `ResourceInfo`). */
export const ResourceInfo = z.object({
  url: z.string().describe('Address of the resource.'),
  description: z.string().optional().describe('What is sold.'),
  mimeType: z.string().optional().describe('Media type of the response.'),
  serviceName: z.string().optional().describe('Name of the seller.'),
  tags: z.array(z.string()).optional().describe('Tags: the subjects.'),
});

/** Challenge of x402 version 2 (`PaymentRequired`), in the header PAYMENT-REQUIRED and in the body. */
export const PaymentRequired = z.object({
  x402Version: z.literal(X402_VERSION).describe('Version of x402.'),
  error: z.string().describe('Why a payment is required.'),
  resource: ResourceInfo.describe('What is sold.'),
  accepts: z.array(PaymentRequirements).describe('Terms; one of them is accepted.'),
  extensions: z
    .record(z.string(), z.unknown())
    .describe('Extensions of x402: how to request the resource, and the identifier of a payment.'),
});
export type PaymentRequired = z.infer<typeof PaymentRequired>;

/** A payment (x402 version 2, `PaymentPayload`), without unneeded members. */
export const PaymentPayload = z.object({
  x402Version: z.literal(X402_VERSION),
  resource: z.object({ url: z.string() }).nullish(),
  accepted: z.object({ scheme: z.string(), network: z.string(), amount: z.string(), asset: z.string(), payTo: z.string() }),
  payload: SignedAuthorization,
  extensions: z
    .object({
      'payment-identifier': z.object({ info: z.object({ id: PaymentIdentifier.optional() }) }).optional(),
    })
    .nullish(),
});
export type PaymentPayload = z.infer<typeof PaymentPayload>;

/** Response of a facilitator to `/verify`. */
export const VerifyResponse = z.object({ isValid: z.boolean(), invalidReason: z.string().nullish() });

/** Response of a facilitator to `/settle`. */
export const SettleResponse = z.object({
  success: z.boolean(),
  transaction: z.string().nullish(),
  errorReason: z.string().nullish(),
});
