import * as z from 'zod';
import { Buyer } from '../../../schemas/commerce/orders.ts';
import { LIMITS } from '../../../schemas/limits.ts';
import { AnyText } from '../../ignored-members.ts';
import {
  ACP_BUYER_MEMBERS,
  ACP_COMPLETION_MEMBERS,
  ACP_CONTENT_MEMBERS,
  ACP_PAYMENT_MEMBERS,
  AcpAgentCapabilities,
  AcpIntentTrace,
} from './ignored-members.ts';

/*
 * Bodies of requests of the Agentic Commerce Protocol 2026-04-17. All that its schema (schema.agentic_checkout.json) allows is accepted,
 * and what it refuses is refused, but for members that it does not name and for line items: those have no quantity there, although clients
 * send one, so the forms in use are taken beside it.
 */

/** Longest id, in characters. */
const SHORT = LIMITS.shortTextMaxLength;

/** Who buys: here with an e-mail address. */
export const AcpBuyer = Buyer.required({ email: true }).extend(ACP_BUYER_MEMBERS);

const OfferId = z.string().min(1).max(SHORT).describe('Id of an offer, or an alias of it.');
const Quoted = z
  .int()
  .optional()
  .describe('Price of one piece as the caller knows it, in minor units; refused if it is not the price of the catalog.');

/** One thing that is wanted, in any of the forms that clients send. */
export const AcpLineItem = z
  .looseObject({
    id: z
      .string()
      .min(1)
      .max(SHORT)
      .optional()
      .describe('Id of an offer; where there is an "item", the id of the line, which is not used.'),
    item: z.looseObject({ id: OfferId, unit_amount: Quoted }).optional().describe('The offer.'),
    name: AnyText.optional().describe('Not used: the name is that of the catalog.'),
    quantity: z.int().min(1).optional().describe('Pieces; 1 without it.'),
    unit_amount: Quoted,
  })
  .refine(({ id, item }) => id !== undefined || item !== undefined, 'must name an offer, as "id" or as "item": {"id"}');
export type AcpLineItem = z.infer<typeof AcpLineItem>;

const LineItems = z.array(AcpLineItem).min(1).max(LIMITS.cartItemsMax);

const Codes = z.array(z.string().max(LIMITS.jsonStringMaxLength)).max(LIMITS.jsonMaxKeys);

/**
 * Members that a request to open and one to change a session share. The protocol has no currency, capabilities and metadata in the latter;
 * where they are sent all the same, they mean what they mean in the former.
 */
const CONTENT = {
  line_items: LineItems.optional().describe('What is wanted.'),
  items: LineItems.optional().describe('The earlier name of "line_items"; read only without it.'),
  buyer: AcpBuyer.nullable().optional().describe('Who buys; null removes the buyer.'),
  coupons: Codes.optional().describe('Codes; none are accepted, and the response says so.'),
  discounts: z
    .looseObject({ codes: Codes.optional().describe('Codes.') })
    .optional()
    .describe('Codes; none are accepted, and the response says so.'),
  metadata: z
    .looseObject({
      order_webhook_url: z.string().max(LIMITS.urlMaxLength).optional().describe('Address that gets the events of the order.'),
    })
    .optional()
    .describe('Values of the agent; "order_webhook_url" has a meaning here, and is all that is kept.'),
  ...ACP_CONTENT_MEMBERS,
};

const CURRENCY = 'Currency, ISO 4217 in lower case: usd, the only one.';
const CAPABILITIES = 'What the agent can do; none of it is needed here.';
const Currency = z.string().regex(/^[uU][sS][dD]$/, 'must be usd');

/** Body that opens a session. */
export const AcpCreateRequest = z
  .looseObject({
    ...CONTENT,
    currency: Currency.describe(CURRENCY),
    capabilities: AcpAgentCapabilities.describe(CAPABILITIES),
  })
  .refine(({ line_items, items }) => line_items !== undefined || items !== undefined, { path: ['line_items'], message: 'is missing' });
export type AcpCreateRequest = z.infer<typeof AcpCreateRequest>;

/** Body that changes a session; what is left out stays. */
export const AcpUpdateRequest = z.looseObject({
  ...CONTENT,
  currency: Currency.optional().describe(CURRENCY),
  capabilities: AcpAgentCapabilities.optional().describe(CAPABILITIES),
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
              type: z.string().max(SHORT).describe('spt: a shared payment token, the only kind that is taken.'),
              token: z.string().max(1_024).describe('The token.'),
            })
            .describe('What pays.'),
        })
        .optional()
        .describe('Instrument of the handler.'),
      ...ACP_PAYMENT_MEMBERS,
    })
    .refine(
      ({ handler_id, instrument, purchase_order_number: order }) =>
        (handler_id !== undefined && instrument !== undefined) || order !== undefined,
      'must have a "handler_id" with an "instrument", or a "purchase_order_number"',
    )
    .describe('How it is paid; anything but a shared payment token for a handler of the session is refused.'),
  buyer: AcpBuyer.optional().describe('Who buys, in the place of the buyer that the session has.'),
  ...ACP_COMPLETION_MEMBERS,
});
export type AcpCompleteRequest = z.infer<typeof AcpCompleteRequest>;

/** Body that cancels a session. Why it is given up is not kept. */
export const AcpCancelRequest = z.looseObject({ intent_trace: AcpIntentTrace.optional().describe('Why it is given up; not kept.') });
export type AcpCancelRequest = z.infer<typeof AcpCancelRequest>;
