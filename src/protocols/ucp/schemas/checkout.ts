import * as z from 'zod';
import { Buyer, OrderId, SessionId } from '../../../schemas/commerce/orders.ts';
import { LIMITS } from '../../../schemas/limits.ts';
import { CurrencyCode, Id, IsoDateTime, Uri } from '../../../schemas/primitives.ts';
import { AnyText } from '../../ignored-members.ts';
import { UcpError, UcpMessage, UcpMetadata } from './metadata.ts';
import { UCP_REQUEST_MEMBERS, UcpContext, UcpPayment } from './request-members.ts';

const ShortText = z.string().max(LIMITS.shortTextMaxLength);

/** Body of `POST …/checkout-sessions` and of `PUT …/checkout-sessions/{id}` (`checkout.json`, as a request). */
export const UcpCheckoutRequest = z.looseObject({
  line_items: z
    .array(
      z.looseObject({
        item: z
          .looseObject({
            id: ShortText.describe('Id or alias of an offer.'),
            quantity_unit: z
              .looseObject({
                unit: ShortText.describe('Unit (UN/ECE Recommendation 20).'),
                scale: z.int().min(0).max(15).optional().describe('Decimal places.'),
                display_text: ShortText.describe('Text to show.'),
                increment: z.int().min(1).optional().describe('Smallest step.'),
              })
              .optional()
              .describe('Unit of the quantity. Offers are sold by the piece (C62): anything else is refused.'),
          })
          .describe('What is bought.'),
        quantity: z.int().min(1).describe('Number of units.'),
        id: AnyText.optional().describe('Id of the line; ignored, because the lines replace all earlier ones.'),
        parent_id: AnyText.optional().describe('Ignored: lines have no parents.'),
      }),
    )
    .min(1)
    .max(LIMITS.cartItemsMax)
    .describe('What is bought. An update replaces all lines.'),
  buyer: Buyer.optional().describe('The buyer, optional. Only name, e-mail address and telephone number are stored.'),
  context: UcpContext.optional().describe('Context of the buyer; of it, only the preferred currency is used.'),
  currency: z.string().max(16).optional().describe('Preferred currency, as requests of earlier versions name it; context.currency wins.'),
  payment: UcpPayment.optional().describe('Payment; neither stored nor used.'),
  ...UCP_REQUEST_MEMBERS,
});
export type UcpCheckoutRequest = z.infer<typeof UcpCheckoutRequest>;

/** Body of `POST …/checkout-sessions/{id}/complete` (`checkout.json`, as a request to complete). */
export const UcpCompleteRequest = z.looseObject({
  payment: UcpPayment.optional().describe('Payment; neither stored nor used.'),
  ...UCP_REQUEST_MEMBERS,
});
export type UcpCompleteRequest = z.infer<typeof UcpCompleteRequest>;

/** Body of a request without content; unknown members are ignored. */
export const UcpNothing = z.looseObject({});

const Total = z.object({
  type: z.enum(['subtotal', 'total']).describe('Kind of amount.'),
  display_text: z.string().min(1).describe('Text to show with it.'),
  amount: z.int().min(0).max(LIMITS.sessionTotalMaxMinor).describe('Amount in minor units of the currency.'),
});

/** A checkout (`checkout.json`). */
export const UcpCheckout = z.object({
  ucp: UcpMetadata,
  id: SessionId.describe('Id of the session. Anyone who knows it can read and change the session.'),
  status: z
    .enum(['requires_escalation', 'complete_in_progress', 'completed', 'canceled'])
    .describe('State: requires_escalation until a person has paid at continue_url.'),
  currency: CurrencyCode.describe('Currency of all amounts, ISO 4217.'),
  line_items: z
    .array(
      z.object({
        id: z.string().min(1).describe('Id of the line in the session.'),
        item: z
          .object({
            id: Id.describe('Id of the offer.'),
            title: z.string().min(1).describe('Name of the offer.'),
            price: z.int().min(0).describe('Price of one unit, in minor units.'),
          })
          .describe('What is bought.'),
        quantity: z.int().min(1).describe('Number of units.'),
        totals: z.array(Total).min(1).describe('Amounts of the line.'),
      }),
    )
    .min(1)
    .max(LIMITS.cartItemsMax)
    .describe('What is bought, at the prices of the catalog.'),
  totals: z.array(Total).min(1).describe('Amounts of the session.'),
  buyer: Buyer.optional().describe('The buyer, as sent.'),
  messages: z.array(UcpMessage).optional().describe('Problems and notes.'),
  links: z
    .array(z.object({ type: z.string().min(1).describe('Kind of page.'), url: Uri.describe('Address of the page.') }))
    .describe('Pages with the terms.'),
  expires_at: IsoDateTime.optional().describe('Expiry of the session, RFC 3339.'),
  continue_url: Uri.optional().describe('Hosted checkout on which a person pays exactly the total of this session.'),
  order: z
    .object({
      id: OrderId.describe('Id of the order.'),
      permalink_url: Uri.describe('Page of the order. Anyone who knows the address can open it.'),
    })
    .optional()
    .describe('The order, once the session is completed.'),
});
export type UcpCheckout = z.infer<typeof UcpCheckout>;

/** A checkout, or why there is none. */
export const UcpCheckoutResponse = z.union([UcpCheckout, UcpError]);
