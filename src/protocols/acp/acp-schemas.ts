import * as z from 'zod';
import { Buyer, OrderId, SessionId } from '../../schemas/commerce/orders.ts';
import { LIMITS } from '../../schemas/limits.ts';
import { Id, IsoDateTime, Uri } from '../../schemas/primitives.ts';
import { AnyText, IgnoredList, IgnoredObject } from '../protocol-module.ts';

/** Supported version of the Agentic Commerce Protocol (OpenAI/Stripe, agenticcommerce.dev). */
export const ACP_VERSION = '2026-04-17';

/*
 * Requests accept and refuse what schema.agentic_checkout.json does, except for unknown members (ignored), ignored members (not checked),
 * and line items, which accept all forms in use: the schema has no quantity, but clients send one.
 */

const SHORT = LIMITS.shortTextMaxLength;

const NotStored = {
  text: AnyText.optional().describe('Not stored.'),
  object: IgnoredObject.optional().describe('Not stored.'),
  unshipped: IgnoredList.optional().describe('Not stored: nothing is shipped.'),
};
const OrderNotes = z.string().max(5_000).optional().describe('Not stored.');

const AcpBuyer = Buyer.required({ email: true })
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

export const AcpCreateRequest = z
  .looseObject({ ...CONTENT, currency: Currency.describe(CURRENCY), capabilities: IgnoredObject.describe(CAPABILITIES) })
  .refine(({ line_items, items }) => line_items !== undefined || items !== undefined, { path: ['line_items'], message: 'is missing' });
export type AcpCreateRequest = z.infer<typeof AcpCreateRequest>;

export const AcpUpdateRequest = z.looseObject({
  ...CONTENT,
  currency: Currency.optional().describe(CURRENCY),
  capabilities: IgnoredObject.optional().describe(CAPABILITIES),
});
export type AcpUpdateRequest = z.infer<typeof AcpUpdateRequest>;

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

export const AcpCancelRequest = z.looseObject({ intent_trace: IgnoredObject.optional().describe('Reason for canceling; not stored.') });

export const LowerCurrency = z.string().regex(/^[a-z]{3}$/);

export const AcpTotal = z.strictObject({
  type: z.enum(['items_base_amount', 'subtotal', 'discount', 'total', 'amount_refunded']).describe('What the amount is.'),
  display_text: z.string().min(1).describe('Name of the amount for a person.'),
  amount: z.int().min(0).describe('Minor units of the currency; a discount is subtracted.'),
});
export type AcpTotal = z.infer<typeof AcpTotal>;

const OrderLineItem = z.strictObject({
  id: z.string().min(1).describe('Id of the line in its session.'),
  title: z.string().min(1).describe('Name of the offer, marked if it is a demonstration.'),
  product_id: Id.describe('Id of the offer.'),
  quantity: z
    .strictObject({
      ordered: z.int().min(1).describe('Pieces.'),
      current: z.int().min(0).describe('The same; 0 once all of it is refunded.'),
    })
    .describe('Pieces.'),
  unit_price: z.int().min(0).describe('Price of one unit, in minor units.'),
  subtotal: z.int().min(0).describe('Price of the line, in minor units.'),
});

const Adjustment = z.strictObject({
  id: z.string().min(1).describe('Id of the adjustment.'),
  type: z.literal('refund').describe('Money was refunded.'),
  occurred_at: IsoDateTime.describe('When it was recorded.'),
  status: z.literal('completed').describe('The refund is complete.'),
  amount: z.int().min(1).describe('Total refunded so far, in minor units.'),
  currency: LowerCurrency.describe('Currency.'),
});

export const AcpOrder = z
  .strictObject({
    type: z.literal('order').describe('Kind of the object.'),
    id: OrderId.describe('Id of the order.'),
    checkout_session_id: SessionId.describe('Session that it came from.'),
    permalink_url: Uri.describe('Page of the order; anyone who has this address can open it.'),
    status: z
      .enum(['confirmed', 'completed', 'canceled'])
      .describe('confirmed: paid, or free. completed: its page delivers all of it. canceled: all of it was refunded.'),
    confirmation: z
      .strictObject({
        confirmation_number: z.string().min(1).describe('Id of the order.'),
        receipt_url: Uri.describe('Page of the order.'),
      })
      .describe('What a buyer keeps.'),
    support: z.strictObject({ help_center_url: Uri.describe('Contact page of the publisher.') }).describe('Support.'),
    line_items: z.array(OrderLineItem).describe('What was bought.'),
    adjustments: z.array(Adjustment).describe('Refunds: one entry, or none.'),
    totals: z.array(AcpTotal).min(1).describe('Amounts paid and refunded.'),
  })
  .describe('An order of the Agentic Commerce Protocol.');
export type AcpOrder = z.infer<typeof AcpOrder>;

/* Responses (schema.agentic_checkout.json): of its closed objects, the members that this service sends. */

const Handler = z.strictObject({
  id: z.string().min(1).describe('Id to name in payment_data.handler_id.'),
  name: z.string().min(1).describe('Specification of the handler.'),
  display_name: z.string().min(1).describe('Name for a person.'),
  version: z.iso.date().describe('Version of the handler.'),
  spec: Uri.describe('Address of its specification.'),
  requires_delegate_payment: z.boolean().describe('Whether a shared payment token is needed.'),
  requires_pci_compliance: z.boolean().describe('Whether card numbers are handled.'),
  psp: z.literal('stripe').describe('Payment processor.'),
  config_schema: Uri.describe('Schema of "config".'),
  instrument_schemas: z.array(Uri).min(1).describe('Schemas of instruments.'),
  config: z
    .strictObject({
      merchant_id: z.string().min(1).describe('Merchant account of the token.'),
      psp: z.literal('stripe').describe('Payment processor.'),
      accepted_brands: z.array(z.string().min(1)).describe('Card brands.'),
      supports_3ds: z.literal(false).describe('A card that requires it is declined; the hosted checkout supports it.'),
    })
    .describe('Settings for requesting a token.'),
});

const CustomAttribute = z.strictObject({
  display_name: z.string().min(1).describe('Name of the attribute.'),
  value: z.string().min(1).describe('Value.'),
});

const Disclosure = z.strictObject({
  type: z.literal('disclaimer').describe('Kind.'),
  content_type: z.literal('plain').describe('Plain text.'),
  content: z.string().min(1).describe('The text.'),
});

const LineItem = z.strictObject({
  id: z.string().min(1).describe('Id of the line.'),
  item: z
    .strictObject({
      id: Id.describe('Id of the offer.'),
      name: z.string().min(1).describe('Name.'),
      unit_amount: z.int().min(0).describe('Price of one unit, in minor units.'),
    })
    .describe('The offer.'),
  quantity: z.int().min(1).describe('Pieces.'),
  name: z.string().min(1).describe('Name of the offer.'),
  unit_amount: z.int().min(0).describe('Price of one unit by the catalog, in minor units.'),
  custom_attributes: z.array(CustomAttribute).describe('Billing interval.'),
  disclosures: z.array(Disclosure).optional().describe('Notices for the buyer, such as that an offer is a demonstration.'),
  totals: z.array(AcpTotal).min(1).describe('Price of the line.'),
});

const Message = z.strictObject({
  type: z.enum(['info', 'warning', 'error']).describe('Kind.'),
  code: z.enum(['approval_required', 'expired', 'discount_code_invalid']).optional().describe('Subject of the message; an info has none.'),
  resolution: z.enum(['recoverable', 'requires_buyer_review']).optional().describe('Who can act on it.'),
  param: z.string().min(1).optional().describe('JSONPath of the member concerned.'),
  content_type: z.literal('plain').describe('Plain text.'),
  content: z.string().min(1).describe('The text.'),
});
export type AcpMessage = z.infer<typeof Message>;

const FulfillmentOption = z.strictObject({
  type: z.literal('digital').describe('Nothing is shipped.'),
  id: z.literal('digital').describe('Id.'),
  title: z.string().min(1).describe('Name.'),
  totals: z.array(AcpTotal).min(1).describe('What it costs.'),
});

const SelectedOption = z.strictObject({
  type: z.literal('digital').describe('Kind.'),
  option_id: z.literal('digital').describe('Id of the option.'),
  item_ids: z.array(Id).min(1).max(LIMITS.cartItemsMax).describe('Offers.'),
});

const PolicyLink = z.strictObject({
  type: z.enum(['terms_of_use', 'privacy_policy', 'return_policy', 'contact_us']).describe('Kind of page.'),
  title: z.string().min(1).describe('Name of the page.'),
  url: Uri.describe('Address.'),
});

const AcpStatus = z.enum(['requires_escalation', 'ready_for_payment', 'complete_in_progress', 'completed', 'canceled', 'expired']);
export type AcpStatus = z.infer<typeof AcpStatus>;

export const AcpCheckoutSession = z.strictObject({
  id: SessionId.describe('Id of the session.'),
  protocol: z.strictObject({ version: z.literal(ACP_VERSION).describe('Version.') }).describe('The protocol.'),
  status: AcpStatus.describe(
    'requires_escalation: the buyer pays at continue_url. ready_for_payment: a shared payment token is accepted, too. complete_in_progress: a payment is in progress.',
  ),
  currency: LowerCurrency.describe('Currency of all amounts.'),
  capabilities: z
    .strictObject({ payment: z.strictObject({ handlers: z.array(Handler).max(1).describe('Payment handlers.') }).describe('Payment.') })
    .describe('Capabilities of this session.'),
  buyer: AcpBuyer.optional().describe('The buyer as sent: name, e-mail address and telephone number.'),
  line_items: z.array(LineItem).min(1).max(LIMITS.cartItemsMax).describe('What is bought, at the prices of the catalog.'),
  fulfillment_options: z.array(FulfillmentOption).describe('Delivery options: only one.'),
  selected_fulfillment_options: z.array(SelectedOption).describe('The only option, which is always selected.'),
  totals: z.array(AcpTotal).min(1).describe('Price of all lines.'),
  messages: z.array(Message).describe('Messages for agent or buyer.'),
  links: z.array(PolicyLink).describe('Pages of the publisher.'),
  continue_url: Uri.optional().describe('Page on which a person pays; present while the session can be paid.'),
  metadata: z
    .strictObject({ order_webhook_url: z.string().min(1).describe('Address that gets the events of the order.') })
    .optional()
    .describe('The stored metadata.'),
  created_at: IsoDateTime.describe('When it was opened.'),
  updated_at: IsoDateTime.describe('Last change.'),
  expires_at: IsoDateTime.describe('When it can no longer be changed or paid by API.'),
  order: AcpOrder.optional().describe('The order of a completed session.'),
});
export type AcpCheckoutSession = z.infer<typeof AcpCheckoutSession>;

export const AcpError = z.strictObject({
  type: z.enum(['invalid_request', 'processing_error', 'service_unavailable']).describe('Kind of the error.'),
  code: z.string().min(1).describe('Code of the error.'),
  message: z.string().min(1).describe('What went wrong.'),
  param: z.string().min(1).optional().describe('JSONPath of the invalid member.'),
  supported_versions: z.array(z.literal(ACP_VERSION)).optional().describe('Supported versions.'),
});
export type AcpError = z.infer<typeof AcpError>;

/** What an agent needs to get events of its orders. Defined by this project. */
export const AcpOrderWebhook = z.object({
  object: z.literal('order_webhook').describe('Kind of the response.'),
  request_member: z.literal('metadata.order_webhook_url').describe('Member that names the address, in the request that opens a session.'),
  allowed_hosts: z.array(z.string().min(1)).describe('Hosts that events may be sent to; empty if no events are sent.'),
  signature_header: z
    .literal('Merchant-Signature')
    .describe('Header "t=<seconds>,v1=<HMAC-SHA256 in hexadecimal over "<seconds>.<body>">".'),
  headers: z.array(z.string().min(1)).describe('Headers of every event.'),
  signing_secret: z.string().min(1).describe('HMAC key of this agent: all characters, as ASCII bytes.'),
});
export type AcpOrderWebhook = z.infer<typeof AcpOrderWebhook>;

export const ACP_REQUESTS = { AcpCreateRequest, AcpUpdateRequest, AcpCompleteRequest, AcpLineItem, AcpBuyer };
export const ACP_RESPONSES = { AcpCheckoutSession, AcpOrder, AcpTotal, AcpError, AcpOrderWebhook };
