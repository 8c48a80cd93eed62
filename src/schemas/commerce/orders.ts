import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { Id, IsoDateTime, isPlain, PLAIN, plainLine, Uri } from '../primitives.ts';
import { Cadence } from './offers.ts';

/** What opens the page of an order, or of a request for an invoice; nobody can guess it. */
export const OrderReceipt = z.string().regex(/^rct_[0-9a-f]{32}$/);
export const InvoiceReceipt = z.string().regex(/^inv_[0-9a-f]{32}$/);

const minor = z.int().min(0);

/** Pieces of one offer, at the price that it had. */
const OrderedLine = z.object({
  offer_id: Id.describe('Id of the offer.'),
  name: z.string().describe('Name of the offer.'),
  unit_minor: minor.describe('Price of one piece, in minor units of the currency.'),
  quantity: z.int().min(1).describe('How many pieces.'),
  total_minor: minor.describe('Price of all pieces, in minor units.'),
});

/** What an offer says about the time after it is bought. */
const NextStep = z.object({
  offer_id: Id.describe('Id of the offer.'),
  delivery: z.string().describe('What happens now, in the words of the offer.'),
  refund: z.string().describe('When money is given back, in the words of the offer.'),
});

/** What an order and a request for an invoice have in common. */
const shared = {
  url: Uri.describe('This address. Whoever has it can see the order.'),
  created_at: IsoDateTime.describe('When it was made.'),
  updated_at: IsoDateTime.describe('When it last changed.'),
  currency: z.literal('USD').describe('Currency of all amounts, ISO 4217.'),
  total_minor: minor.describe('What all lines cost, in minor units.'),
  next: z
    .array(NextStep)
    .describe(
      'What happens next, by offer; offers that are not sold any more are left out, and nothing comes after the whole price was paid back.',
    ),
  contact: z
    .object({ email: z.string().describe('E-mail address.'), url: Uri.describe('Page with all ways.') })
    .describe('How to reach the publisher.'),
};

/** An order that is paid. */
const PaidOrder = z
  .object({
    kind: z.literal('order').describe('Says that this is an order.'),
    id: z.string().describe('Id of the order, which may be shown; it opens nothing.'),
    receipt: OrderReceipt.describe('What opens this address.'),
    state: z.enum(['confirmed', 'partly_refunded', 'refunded']).describe('Whether it holds, or how much was paid back.'),
    ...shared,
    lines: z.array(OrderedLine.extend({ cadence: Cadence.describe('How often the price is paid.') })).describe('What was bought.'),
    refunded_minor: minor.describe('What was paid back, in minor units.'),
    deliveries: z
      .array(
        z.object({
          name: z.string().describe('Name of the delivery in its address.'),
          kind: z.enum(['file', 'text', 'capsule', 'limit']).describe('A file, a text, a paid capsule, or a key with a raised limit.'),
          title: z.string().describe('What it is, for people.'),
          url: Uri.describe('Where it is taken, again and again; whoever has this address has it.'),
        }),
      )
      .describe('What can be taken at once; nothing after the whole price was paid back.'),
    demo: z.boolean().describe('True if something of it is a demonstration, for which no money is taken and no work is done.'),
  })
  .meta({ title: 'An order' });

/** A request for an invoice, without what its sender said of themselves. */
export const InvoiceRequest = z
  .object({
    kind: z.literal('invoice_request').describe('Says that this is a request for an invoice.'),
    receipt: InvoiceReceipt.describe('What opens this address.'),
    state: z.enum(['new', 'answered', 'closed']).describe('new until the publisher has answered by e-mail.'),
    ...shared,
    lines: z.array(OrderedLine).describe('What the invoice is to be over.'),
    demo: z.boolean().describe('True if something of it is a demonstration, for which no invoice is made.'),
  })
  .meta({ title: 'A request for an invoice' });
export type InvoiceRequest = z.infer<typeof InvoiceRequest>;

/** Answer of `GET /orders/{receipt}`. */
export const OrderResponse = z.discriminatedUnion('kind', [PaidOrder, InvoiceRequest]);
export type OrderResponse = z.infer<typeof OrderResponse>;

/** What the payment processor is told once its message is stored. */
export const ProcessorReceipt = z.strictObject({
  received: z.literal(true).describe('Says that the message is stored and need not be sent again.'),
  outcome: z
    .enum([
      'applied',
      'duplicate',
      'waiting',
      'ignored',
      'no_session',
      'already_paid',
      'session_canceled',
      'amount_differs',
      'currency_differs',
    ])
    .describe(
      'What became of it: applied to an order; a duplicate; waiting for the order of its payment; ignored, because it changes nothing; or kept for the publisher to look at, because the money belongs to no open session, to one that is paid or canceled, or differs from its total, or because money was paid back in another currency than that of the order.',
    ),
});
export type ProcessorReceipt = z.infer<typeof ProcessorReceipt>;

const Line = plainLine(LIMITS.shortTextMaxLength).optional();

/**
 * Who buys, as agents say it in both protocols; nothing else of a buyer is kept. Where there is an e-mail address it must be one, because
 * the payment processor refuses a checkout with another text in its place.
 */
export const Buyer = z.object({
  email: z
    .email('must be an e-mail address')
    .max(254)
    .regex(/@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}$/, 'must be an e-mail address')
    .optional()
    .describe('Address that what was bought is sent to.'),
  full_name: Line.describe('Name.'),
  first_name: Line.describe('First name.'),
  last_name: Line.describe('Last name.'),
  phone_number: Line.describe('Telephone number.'),
});
export type Buyer = z.infer<typeof Buyer>;

/** What is kept of a buyer whose protocol has more members. */
export function keptBuyer({ email, full_name, first_name, last_name, phone_number }: Buyer): Buyer {
  return { email, full_name, first_name, last_name, phone_number };
}

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
