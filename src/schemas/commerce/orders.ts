import * as z from 'zod';
import { FEATURE_PARTS } from '../feature-switches.ts';
import { LIMITS } from '../limits.ts';
import { Cadence, CurrencyCode, Id, IsoDateTime, isPlain, PLAIN, PlainLine, SESSION_ID_PATTERN, Uri } from '../primitives.ts';

/** Id of a checkout session. Whoever knows it can open the checkout. */
export const SessionId = z
  .string()
  .regex(new RegExp(SESSION_ID_PATTERN), 'must be the id of a checkout session, such as cs_0123456789abcdef0123456789abcdef');

export const OrderId = z.string().regex(/^ord_[0-9a-f]{24}$/);

export const OrderReceipt = z.string().regex(/^rct_[0-9a-f]{32}$/);
export const InvoiceReceipt = z.string().regex(/^inv_[0-9a-f]{32}$/);

const minor = z.int().min(0);

const OrderedLine = z.object({
  offer_id: Id.describe('Id of the offer.'),
  name: z.string().min(1).describe('Name of the offer.'),
  unit_minor: minor.describe('Price of one unit, in minor units of the currency.'),
  quantity: z.int().min(1).describe('Number of units.'),
  total_minor: minor.describe('Price of all units, in minor units.'),
});

const NextStep = z.object({
  offer_id: Id.describe('Id of the offer.'),
  delivery: z.string().min(1).optional().describe('How the offer is delivered, in its words.'),
  refund: z.string().min(1).optional().describe('Refund policy, in the words of the offer.'),
});

const shared = {
  url: Uri.describe('URL of this page. Anyone who has it can see the order.'),
  created_at: IsoDateTime.describe('When it was created.'),
  updated_at: IsoDateTime.describe('When it last changed.'),
  currency: CurrencyCode.describe('Currency of all amounts, ISO 4217.'),
  total_minor: minor.describe('Total of all lines with a price, in minor units.'),
  next: z
    .array(NextStep)
    .max(LIMITS.cartItemsMax)
    .describe('What happens next, by offer; empty after a full refund, and without offers that are no longer sold.'),
  contact: z
    .object({ email: z.email().describe('E-mail address.'), url: Uri.describe('Contact page.') })
    .describe('How to reach the publisher.'),
};

const PaidOrder = z
  .object({
    kind: z.literal('order').describe('Marks an order.'),
    id: OrderId.describe('Id of the order; not secret.'),
    receipt: OrderReceipt.describe('Secret in the URL of the order.'),
    state: z.enum(['confirmed', 'partly_refunded', 'refunded']).describe('Whether the order was refunded.'),
    ...shared,
    lines: z
      .array(OrderedLine.extend({ cadence: Cadence.describe('How often the price is paid.') }))
      .min(1)
      .max(LIMITS.cartItemsMax)
      .describe('What was bought.'),
    adjustments: z
      .array(
        z.object({
          reason: z.literal('demonstration').describe('A demonstration, for which nothing is charged.'),
          amount_minor: z.int().max(-1).describe('Amount in minor units.'),
        }),
      )
      .describe('What else the total consists of: the sum of the lines and these amounts.'),
    refunded_minor: minor.describe('Total of all refunds, in minor units.'),
    deliveries: z
      .array(
        z.object({
          name: Id.describe('Name of the delivery in its URL.'),
          kind: z
            .enum(['file', 'text', 'capsule', 'pass', 'credit', 'limit'])
            .describe('A file, a text, a paid capsule, a pass for several, credit for them, or a key with a raised limit.')
            .register(FEATURE_PARTS, {
              payments: { values: ['capsule', 'pass', 'credit'], words: ' a paid capsule, a pass for several, credit for them,' },
            }),
          title: z.string().min(1).describe('Title of the delivery.'),
          url: Uri.describe('URL of the delivery, which can be requested repeatedly by anyone who has it.'),
        }),
      )
      .describe('Available deliveries; none after a full refund.'),
    demo: z.boolean().describe('Whether it contains a demonstration, which is neither charged nor delivered.'),
  })
  .meta({ title: 'An order' });

export const InvoiceRequest = z
  .object({
    kind: z.literal('invoice_request').describe('Marks an invoice request.'),
    receipt: InvoiceReceipt.describe('Secret in the URL of the request.'),
    state: z.enum(['new', 'answered', 'closed']).describe('new until the publisher has replied by e-mail.'),
    ...shared,
    lines: z
      .array(OrderedLine.partial({ unit_minor: true, total_minor: true }))
      .min(1)
      .max(LIMITS.cartItemsMax)
      .describe('Requested items; those without a price are quoted.'),
    demo: z.boolean().describe('Whether it contains a demonstration, which is not invoiced.'),
  })
  .meta({ title: 'A request for an invoice' });
export type InvoiceRequest = z.infer<typeof InvoiceRequest>;

export const OrderResponse = z.discriminatedUnion('kind', [PaidOrder, InvoiceRequest]);
export type OrderResponse = z.infer<typeof OrderResponse>;

export const ProcessorReceipt = z.strictObject({
  received: z.literal(true).describe('The event is stored and need not be sent again.'),
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
      'Outcome: applied to an order; duplicate; waiting for the order of its payment; ignored, because it changes nothing; or stored for review by the publisher, because the payment has no open session, the session is already paid or canceled, the amount differs from its total, or the refund is in another currency than the order.',
    ),
});
export type ProcessorReceipt = z.infer<typeof ProcessorReceipt>;

const Line = z.string().max(LIMITS.shortTextMaxLength).refine(isPlain, PLAIN).optional();

/** A buyer, as agents describe it in both protocols. The payment processor refuses checkouts with an invalid e-mail address. */
export const Buyer = z.object({
  email: z
    .email('must be an e-mail address')
    .max(254)
    .regex(/@(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+[A-Za-z]{2,}$/, 'must be an e-mail address')
    .optional()
    .describe('E-mail address for delivery.'),
  full_name: Line.describe('Name.'),
  first_name: Line.describe('First name.'),
  last_name: Line.describe('Last name.'),
  phone_number: Line.describe('Telephone number.'),
});
export type Buyer = z.infer<typeof Buyer>;

export function storedBuyer({ email, full_name, first_name, last_name, phone_number }: Buyer): Buyer {
  return { email, full_name, first_name, last_name, phone_number };
}

const lines = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => isPlain(text.replace(/[\n\t]/g, ' ')), PLAIN);

/** An e-mail address (RFC 5321), without quoted local parts and address literals. */
const EmailAddress = z
  .string()
  .trim()
  .max(254)
  .regex(/^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(\.[A-Za-z0-9-]{1,63}){1,8}$/, 'must be an e-mail address');

const QUANTITY = `must be a whole number from 1 to ${LIMITS.quantityMax}`;

const quantityError: z.core.$ZodErrorMap = ({ input }) => (input === undefined ? undefined : QUANTITY);

export const InvoiceRequestBody = z.strictObject({
  items: z
    .array(
      z.strictObject({
        id: Id.describe('Id or alias of an offer.'),
        quantity: z.int({ error: quantityError }).min(1, QUANTITY).max(LIMITS.quantityMax, QUANTITY).describe('Number of units.'),
      }),
    )
    .min(1, 'must name at least one offer, with its quantity')
    .max(LIMITS.cartItemsMax)
    .describe('Items of the invoice, at the prices of the catalog. Offers whose price is on request are quoted.'),
  currency: CurrencyCode.optional().describe(
    'Currency of the prices, ISO 4217. Every item must have a price in it. The default is the currency that pages show, or else USD.',
  ),
  name: PlainLine.describe('Name of the sender.'),
  email: EmailAddress.describe('E-mail address for the invoice.'),
  company: PlainLine.optional().describe('Legal name of the buyer, if different.'),
  address: lines(LIMITS.invoiceAddressMaxLength).optional().describe('Postal address of the buyer, on several lines.'),
  tax_id: PlainLine.optional().describe('Tax number of the buyer, if any.'),
  note: lines(LIMITS.invoiceNoteMaxLength)
    .optional()
    .describe('Anything else, such as a purchase order number or the start of a subscription.'),
});
export type InvoiceRequestBody = z.infer<typeof InvoiceRequestBody>;

/** Receipt of a message. No page shows it. */
export const MessageReceipt = z.string().regex(/^msg_[0-9a-f]{32}$/);

export const MessageBody = z.strictObject({
  name: PlainLine.describe('Name of the sender.'),
  email: EmailAddress.describe('E-mail address for the reply.'),
  message: lines(LIMITS.invoiceNoteMaxLength).describe('The message.'),
});
export type MessageBody = z.infer<typeof MessageBody>;

export const StoredMessage = z
  .object({
    receipt: MessageReceipt.describe('Names the message, for questions about it.'),
    created_at: IsoDateTime.describe('When it was stored.'),
  })
  .meta({ title: 'A stored message' });
