import * as z from 'zod';
import { Buyer } from '../../../schemas/commerce/orders.ts';
import { LIMITS } from '../../../schemas/limits.ts';
import { AnyText, IgnoredList, IgnoredObject } from '../../ignored-members.ts';

/*
 * Request bodies of the Agentic Commerce Protocol 2026-04-17. They accept and refuse what its schema (schema.agentic_checkout.json) does,
 * except for unknown members, which are ignored, ignored members, whose content is not checked, and line items, which accept all forms in use:
 * the schema has no quantity, but clients send one.
 */

/** Longest id, in characters. */
const SHORT = LIMITS.shortTextMaxLength;

const NotStored = {
  text: AnyText.optional().describe('Not stored.'),
  object: IgnoredObject.optional().describe('Not stored.'),
  unshipped: IgnoredList.optional().describe('Not stored: nothing is shipped.'),
};
const OrderNotes = z.string().max(5_000).optional().describe('Not stored.');

/** The buyer, who needs an e-mail address in this protocol. */
export const AcpBuyer = Buyer.required({ email: true })
  .extend({
    customer_id: NotStored.text,
    account_type: z.enum(['guest', 'registered', 'business']).optional().describe('Not stored.'),
    authentication_status: z.enum(['authenticated', 'guest', 'requires_signin']).optional().describe('Not stored.'),
    company: NotStored.object,
    loyalty: NotStored.object,
    tax_exemption: NotStored.object,
  })
  .describe('The buyer.');

const OfferId = z.string().min(1).max(SHORT).describe('Id of an offer, or an alias of it.');
const Quoted = z.int().optional().describe('Expected price of one unit, in minor units; refused if it differs from the catalog.');

/** A line item, in any of the forms that clients send. */
export const AcpLineItem = z
  .looseObject({
    id: z.string().min(1).max(SHORT).optional().describe('Id of an offer; with "item", the id of the line, which is ignored.'),
    item: z.looseObject({ id: OfferId, unit_amount: Quoted }).optional().describe('The offer.'),
    name: AnyText.optional().describe('Ignored: the catalog has the name.'),
    quantity: z.int().min(1).optional().describe('Number of units; 1 by default.'),
    unit_amount: Quoted,
  })
  .refine(({ id, item }) => id !== undefined || item !== undefined, 'must name an offer, as "id" or as "item": {"id"}');
export type AcpLineItem = z.infer<typeof AcpLineItem>;

const LineItems = z.array(AcpLineItem).min(1).max(LIMITS.cartItemsMax);

const Codes = z.array(z.string().max(LIMITS.jsonStringMaxLength)).max(LIMITS.jsonMaxKeys);

/** Members of requests that open or change a session. */
const CONTENT = {
  line_items: LineItems.optional().describe('Items to buy.'),
  items: LineItems.optional().describe('The earlier name of "line_items"; read only without it.'),
  buyer: AcpBuyer.nullable().optional().describe('The buyer; null removes the buyer.'),
  coupons: Codes.optional().describe('Discount codes; none is accepted, and the response contains a warning.'),
  discounts: z
    .looseObject({ codes: Codes.optional().describe('Codes.') })
    .optional()
    .describe('Discount codes; none is accepted, and the response contains a warning.'),
  metadata: z
    .looseObject({
      order_webhook_url: z.string().max(LIMITS.urlMaxLength).optional().describe('Address that gets the events of the order.'),
    })
    .optional()
    .describe('Metadata of the agent; only "order_webhook_url" is used and stored.'),
  fulfillment_details: IgnoredObject.optional().describe('Not stored: nothing is shipped.'),
  fulfillment_groups: NotStored.unshipped,
  selected_fulfillment_options: NotStored.unshipped,
  affiliate_attribution: NotStored.object,
  locale: NotStored.text,
  timezone: NotStored.text,
  quote_id: NotStored.text,
  order_notes: OrderNotes,
};

const CURRENCY = 'Currency, ISO 4217 in lower case: one of supported_currencies in the discovery document.';
const CAPABILITIES = 'Capabilities of the agent; not used.';
const Currency = z.string().regex(/^[A-Za-z]{3}$/, 'must be a currency code such as usd');

/** Body that opens a session. */
export const AcpCreateRequest = z
  .looseObject({
    ...CONTENT,
    currency: Currency.describe(CURRENCY),
    capabilities: IgnoredObject.describe(CAPABILITIES),
  })
  .refine(({ line_items, items }) => line_items !== undefined || items !== undefined, { path: ['line_items'], message: 'is missing' });
export type AcpCreateRequest = z.infer<typeof AcpCreateRequest>;

/** Body that changes a session; omitted members keep their values. */
export const AcpUpdateRequest = z.looseObject({
  ...CONTENT,
  currency: Currency.optional().describe(CURRENCY),
  capabilities: IgnoredObject.optional().describe(CAPABILITIES),
});
export type AcpUpdateRequest = z.infer<typeof AcpUpdateRequest>;

/** Body that pays a session. */
export const AcpCompleteRequest = z.looseObject({
  payment_data: z
    .looseObject({
      handler_id: z.string().max(SHORT).optional().describe('Id of a payment handler of the session.'),
      instrument: z
        .looseObject({
          type: z.string().max(SHORT).describe('Kind of the instrument, such as card.'),
          credential: z
            .looseObject({
              type: z.string().max(SHORT).describe('spt: a shared payment token, the only accepted kind.'),
              token: z.string().max(1_024).describe('The token.'),
            })
            .describe('Payment credential.'),
        })
        .optional()
        .describe('Instrument of the handler.'),
      billing_address: IgnoredObject.optional().describe('Not used.'),
      purchase_order_number: AnyText.optional().describe('Number of a purchase order; not accepted.'),
      payment_terms: z.enum(['immediate', 'net_15', 'net_30', 'net_60', 'net_90']).optional().describe('Not used.'),
      due_date: z.iso.datetime({ offset: true, error: 'must be a date-time of RFC 3339' }).max(64).optional().describe('Not used.'),
      approval_required: z.boolean().optional().describe('Not used.'),
    })
    .refine(
      ({ handler_id, instrument, purchase_order_number: order }) =>
        (handler_id !== undefined && instrument !== undefined) || order !== undefined,
      'must have a "handler_id" with an "instrument", or a "purchase_order_number"',
    )
    .describe('The payment; only a shared payment token for a handler of the session is accepted.'),
  buyer: AcpBuyer.optional().describe('The buyer; replaces the buyer of the session.'),
  authentication_result: IgnoredObject.optional().describe('Not used: payments that require it are declined.'),
  affiliate_attribution: NotStored.object,
  risk_signals: IgnoredObject.optional().describe('Not used.'),
  marketing_consents: IgnoredList.optional().describe('Not used.'),
  order_notes: OrderNotes,
});
export type AcpCompleteRequest = z.infer<typeof AcpCompleteRequest>;

/** Body that cancels a session. */
export const AcpCancelRequest = z.looseObject({ intent_trace: IgnoredObject.optional().describe('Reason for canceling; not stored.') });
export type AcpCancelRequest = z.infer<typeof AcpCancelRequest>;
