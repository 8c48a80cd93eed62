import * as z from 'zod';
import { LIMITS } from './limits.ts';
import { Id } from './primitives.ts';

/** Whether a text is free of control and formatting characters, which hide or turn what a reader sees. U+200C and U+200D join letters. */
function isPlain(text: string): boolean {
  return !/[\p{Cc}\p{Cs}\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u.test(text);
}

const PLAIN = 'must hold no control characters and no invisible ones';

/** One line of text. */
const line = z.string().trim().min(1).max(LIMITS.shortTextMaxLength).refine(isPlain, PLAIN);

/** Lines of text. */
const lines = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => isPlain(text.replace(/[\n\t]/g, ' ')), PLAIN);

/** An e-mail address as people have them: what RFC 5321 allows, without quoted names and addresses of machines. */
const EmailAddress = z
  .string()
  .trim()
  .max(254)
  .regex(/^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63}){1,8}$/, 'must be an e-mail address');

/** Body of a request for an invoice. */
export const InvoiceRequestBody = z.strictObject({
  items: z
    .array(
      z.strictObject({
        id: Id.describe('Id or alias of an offer.'),
        quantity: z.int().min(1).max(LIMITS.quantityMax).describe('How many pieces.'),
      }),
    )
    .min(1, 'must name at least one offer')
    .max(LIMITS.cartItemsMax)
    .describe('What the invoice is to be over. Prices come from the catalog.'),
  name: line.describe('Name of the person who asks.'),
  email: EmailAddress.describe('Address that the invoice is sent to.'),
  company: line.optional().describe('Legal name of the buyer, where it is not the person.'),
  address: lines(LIMITS.invoiceAddressMaxLength).optional().describe('Postal address of the buyer, in lines.'),
  tax_id: line.optional().describe('Tax number of the buyer, where one applies.'),
  note: lines(LIMITS.invoiceNoteMaxLength)
    .optional()
    .describe('Anything else: a purchase order number, or the day a subscription shall start.'),
});
export type InvoiceRequestBody = z.infer<typeof InvoiceRequestBody>;
