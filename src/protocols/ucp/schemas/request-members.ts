import * as z from 'zod';
import { LIMITS } from '../../../schemas/limits.ts';
import { checkedList, checkedObject, reportIssues } from '../../ignored-members.ts';

/* Request members of the Universal Commerce Protocol 2026-08-25 that are ignored here. Their forms are those of its schemas. */

const Text = z.string().optional();
const REVERSE_DOMAIN_NAME = /^[a-z](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9_-]*[a-z0-9_])?)+$/;
const ReverseDomainName = z.string().regex(REVERSE_DOMAIN_NAME, 'must be a reverse domain name');
const isUnique = (values: readonly unknown[]): boolean => new Set(values).size === values.length;

/** `common/types/context.json`, which includes `common/types/locality.json`. */
const ContextForm = z.looseObject({
  address_country: Text,
  address_region: Text,
  postal_code: Text,
  location: Text,
  intent: Text,
  language: Text,
  eligibility: z.array(ReverseDomainName).refine(isUnique, 'must name each once').optional(),
  payment: z.array(z.looseObject({ handler: ReverseDomainName, types: z.array(z.string()).optional() })).optional(),
});

/** `shopping/types/payment_instrument.json#/$defs/selected_payment_instrument` */
const PaymentInstrument = z.looseObject({
  id: z.string(),
  handler_id: z.string(),
  type: z.string(),
  billing_address: z
    .looseObject({
      extended_address: Text,
      street_address: Text,
      address_locality: Text,
      address_region: Text,
      address_country: Text,
      postal_code: Text,
      first_name: Text,
      last_name: Text,
      phone_number: Text,
    })
    .optional(),
  credential: z.looseObject({ type: z.string() }).optional(),
  display: z.looseObject({}).optional(),
  selected: z.boolean().optional(),
});

/** Context of the buyer; only the currency is used. */
export const UcpContext = z
  .looseObject({ currency: z.string().max(16).optional().describe('Preferred currency, ISO 4217, also that of a price filter.') })
  .superRefine((value, context) => reportIssues(ContextForm, value, context))
  .describe('Context of the buyer. Only the currency is used.');
export type UcpContext = z.infer<typeof UcpContext>;

/** Payment (`shopping/payment.json`). */
export const UcpPayment = z.looseObject({
  instruments: checkedList(PaymentInstrument).max(LIMITS.cartItemsMax).optional().describe('Instruments; none is accepted.'),
});

/** Members that every request with a body may have. */
export const UCP_REQUEST_MEMBERS = {
  signals: checkedObject(
    z
      .looseObject({ 'dev.ucp.buyer_ip': Text, 'dev.ucp.user_agent': Text })
      .refine((signals) => Object.keys(signals).every((name) => REVERSE_DOMAIN_NAME.test(name)), 'must have reverse domain names'),
  )
    .optional()
    .describe('Ignored.'),
  attribution: checkedObject(z.record(z.string(), z.string())).optional().describe('Ignored.'),
};
