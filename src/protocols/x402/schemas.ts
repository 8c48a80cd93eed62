import * as z from 'zod';

/** Version of x402 that is spoken. */
export const X402_VERSION = 2;

/** Bounds of the identifier that a buyer may give a payment (x402, extension payment-identifier). */
export const PAYMENT_IDENTIFIER = { minLength: 16, maxLength: 128, pattern: '^[a-zA-Z0-9_-]+$' } as const;
const PaymentIdentifier = z
  .string()
  .min(PAYMENT_IDENTIFIER.minLength)
  .max(PAYMENT_IDENTIFIER.maxLength)
  .regex(/^[a-zA-Z0-9_-]+$/);

const Address = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address');
const Bytes32 = z.string().regex(/^0x[0-9a-fA-F]{64}$/, 'must be 32 bytes in hexadecimal');
/** A uint256 in decimal, without zeros before it, so that one number has one text. */
const Uint256 = z.string().regex(/^(0|[1-9]\d{0,77})$/, 'must be an integer in decimal');

/** An authorization of EIP-3009: who pays whom how much, and when. */
export const Authorization = z.object({
  from: Address,
  to: Address,
  value: Uint256,
  validAfter: Uint256,
  validBefore: Uint256,
  nonce: Bytes32,
});
export type Authorization = z.infer<typeof Authorization>;

/** A signature by a key (65 bytes) or by a contract (EIP-1271, EIP-6492), which may be longer. */
export const PaymentSignature = z.string().regex(/^0x(?:[0-9a-fA-F]{2}){65,2048}$/, 'must be a signature in hexadecimal');

/** What a buyer signed: the `payload` of the scheme exact on an EVM network. */
export const SignedAuthorization = z.object({ signature: PaymentSignature, authorization: Authorization });
export type SignedAuthorization = z.infer<typeof SignedAuthorization>;

/** Terms that a seller offers and a buyer accepts (x402 version 2, `PaymentRequirements`). */
export const PaymentRequirements = z.object({
  scheme: z.string().describe('How is paid: exact is a transfer of exactly this amount.'),
  network: z.string().describe('Network by CAIP-2.'),
  amount: z.string().describe('Price in the smallest unit of the token.'),
  asset: z.string().describe('Contract of the token.'),
  payTo: z.string().describe('Address that is paid.'),
  maxTimeoutSeconds: z.number().describe('How long an authorization has to be good, in seconds.'),
  extra: z.record(z.string(), z.unknown()).optional().describe('Name and version of the token for the signature; upfront: settled first.'),
});
export type PaymentRequirements = z.infer<typeof PaymentRequirements>;

/** What is sold (x402 version 2, `ResourceInfo`). */
export const ResourceInfo = z.object({
  url: z.string().describe('Address that answers once it is paid.'),
  description: z.string().optional().describe('What is sold.'),
  mimeType: z.string().optional().describe('Media type of the answer.'),
  serviceName: z.string().optional().describe('Who sells.'),
  tags: z.array(z.string()).optional().describe('Subjects.'),
});

/** What an unpaid request is told (x402 version 2, `PaymentRequired`), in the header PAYMENT-REQUIRED and in the body. */
export const PaymentRequired = z.object({
  x402Version: z.literal(X402_VERSION).describe('Version of x402.'),
  error: z.string().describe('Why the payment is asked for.'),
  resource: ResourceInfo.describe('What is sold.'),
  accepts: z.array(PaymentRequirements).describe('Terms; one of them is accepted.'),
  extensions: z
    .record(z.string(), z.unknown())
    .describe('Extensions of x402: how the resource is asked for, and the identifier of a payment.'),
});
export type PaymentRequired = z.infer<typeof PaymentRequired>;

/** A payment as a buyer presents it (x402 version 2, `PaymentPayload`): members that nothing here needs are let go. */
export const PaymentPayload = z.object({
  x402Version: z.literal(X402_VERSION),
  resource: z.object({ url: z.string() }).nullish(),
  accepted: z.object({ scheme: z.string(), network: z.string(), amount: z.string(), asset: z.string(), payTo: z.string() }),
  payload: SignedAuthorization,
  extensions: z
    .object({
      'payment-identifier': z
        .object({
          info: z.object({
            id: PaymentIdentifier.optional(),
          }),
        })
        .optional(),
    })
    .nullish(),
});
export type PaymentPayload = z.infer<typeof PaymentPayload>;

/** Hash of a transaction of an EVM network. */
export const TransactionHash = Bytes32;

/** What a facilitator answers to `/verify`. */
export const VerifyAnswer = z.object({ isValid: z.boolean(), invalidReason: z.string().nullish() });

/** What a facilitator answers to `/settle`. */
export const SettleAnswer = z.object({
  success: z.boolean(),
  transaction: z.string().nullish(),
  errorReason: z.string().nullish(),
});
