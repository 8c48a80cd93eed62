import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { Id, isPlain, PLAIN } from '../primitives.ts';

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

const QUANTITY = `must be a whole number from 1 to ${LIMITS.quantityMax}`;

/** One wording for whatever a quantity is not; one that is left out is missing, which is said otherwise. */
const quantityFault: z.core.$ZodErrorMap = ({ input }) => (input === undefined ? undefined : QUANTITY);

/** Body of a request for an invoice. */
export const InvoiceRequestBody = z.strictObject({
  items: z
    .array(
      z.strictObject({
        id: Id.describe('Id or alias of an offer.'),
        quantity: z.int({ error: quantityFault }).min(1, QUANTITY).max(LIMITS.quantityMax, QUANTITY).describe('How many pieces.'),
      }),
    )
    .min(1, 'must name at least one offer, with its quantity')
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
