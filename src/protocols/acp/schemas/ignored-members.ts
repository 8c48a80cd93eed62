import * as z from 'zod';
import { AbsoluteUri, AnyText, checkedList, checkedObject, Instant } from '../../ignored-members.ts';

/*
 * Request members of the Agentic Commerce Protocol 2026-04-17 that are ignored here: what is sold needs no address. Their forms are those of
 * its schema (schema.agentic_checkout.json), except that unknown members are ignored, so that extensions and newer minor versions work.
 */

const Text = AnyText.optional();
const Texts = z.array(z.string());

const Address = z.looseObject({
  name: z.string(),
  line_one: z.string(),
  line_two: Text,
  city: z.string(),
  state: z.string(),
  country: z.string(),
  postal_code: z.string(),
  company: Text,
});

const FulfillmentDetails = z.looseObject({
  name: Text,
  phone_number: Text,
  email: z.email('must be an e-mail address').optional(),
  address: Address.optional(),
});

const PaymentHandler = z.looseObject({
  id: z.string(),
  name: z.string(),
  display_name: Text,
  version: z.string().regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date'),
  spec: AbsoluteUri,
  requires_delegate_payment: z.boolean(),
  requires_pci_compliance: z.boolean(),
  psp: z.string(),
  config_schema: AbsoluteUri,
  instrument_schemas: z.array(AbsoluteUri),
  config: z.looseObject({}),
  display_order: z.int().optional(),
});

const Interventions = z.looseObject({
  supported: z.array(z.enum(['3ds', 'biometric', 'address_verification'])).optional(),
  required: z.array(z.enum(['3ds', 'biometric'])).optional(),
  enforcement: z.enum(['always', 'conditional', 'optional']).optional(),
  display_context: z.enum(['native', 'webview', 'modal', 'redirect']).optional(),
  redirect_context: z.enum(['in_app', 'external_browser', 'none']).optional(),
  max_redirects: z.int().min(0).optional(),
  max_interaction_depth: z.int().min(1).optional(),
});

const isUnique = (values: readonly unknown[]): boolean => new Set(values.map((value) => JSON.stringify(value))).size === values.length;
const EXTENSION_NAME = /^[a-z][a-z0-9_-]*(@\d{4}-\d{2}-\d{2})?$|^[a-z][a-z0-9]*(?:\.[a-z][a-z0-9_-]*)+(@\d{4}-\d{2}-\d{2})?$/;
const ExtensionDeclaration = z.looseObject({
  name: z.string().regex(EXTENSION_NAME, 'must be a name of an extension'),
  extends: z
    .array(z.string().regex(/^\$\.[A-Za-z][A-Za-z0-9]*(\.[A-Za-z][A-Za-z0-9_]*)*$/, 'must be a JSONPath of names'))
    .refine(isUnique, 'must name each path once')
    .optional(),
  schema: AbsoluteUri.optional(),
  spec: AbsoluteUri.optional(),
});
const Extensions = z
  .union([Texts, z.array(ExtensionDeclaration)], 'must be a list of names, or a list of declarations')
  .refine(isUnique, 'must name each extension once');

/** Capabilities of an agent. */
export const AcpAgentCapabilities = checkedObject(
  z.looseObject({
    payment: z.looseObject({ handlers: z.array(PaymentHandler) }).optional(),
    interventions: Interventions.optional(),
    extensions: Extensions.optional(),
  }),
);

const AffiliateAttribution = z
  .looseObject({
    provider: z.string(),
    token: Text,
    publisher_id: Text,
    campaign_id: Text,
    creative_id: Text,
    sub_id: Text,
    source: z.looseObject({ type: z.enum(['url', 'platform', 'unknown']), url: AbsoluteUri.optional() }).optional(),
    issued_at: Instant.optional(),
    expires_at: Instant.optional(),
    metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()], 'must be a string, a number, true or false')).optional(),
    touchpoint: z.enum(['first', 'last']).optional(),
  })
  .refine(({ token, publisher_id: id }) => token !== undefined || id !== undefined, 'must have a "token" or a "publisher_id"');

const FulfillmentGroup = z.looseObject({
  id: z.string(),
  item_ids: Texts,
  destination_type: z.enum(['shipping', 'pickup', 'local_delivery', 'digital']),
  fulfillment_details: FulfillmentDetails.optional(),
  location_id: Text,
  instructions: Text,
});

const SelectedFulfillmentOption = z.looseObject({
  type: z.enum(['shipping', 'digital', 'pickup', 'local_delivery']),
  option_id: z.string(),
  item_ids: Texts,
});

/** Members of a buyer besides those that are stored. */
export const ACP_BUYER_MEMBERS = {
  customer_id: Text.describe('Not stored.'),
  account_type: z.enum(['guest', 'registered', 'business']).optional().describe('Not stored.'),
  authentication_status: z.enum(['authenticated', 'guest', 'requires_signin']).optional().describe('Not stored.'),
  company: checkedObject(z.looseObject({ name: z.string(), tax_id: Text, department: Text, cost_center: Text }))
    .optional()
    .describe('Not stored.'),
  loyalty: checkedObject(z.looseObject({ tier: Text, points_balance: z.int().optional(), member_since: Instant.optional() }))
    .optional()
    .describe('Not stored.'),
  tax_exemption: checkedObject(
    z.looseObject({
      certificate_id: z.string(),
      certificate_type: z.enum(['resale', 'exempt_organization', 'government']),
      exempt_regions: Texts.optional(),
      expires_at: Instant.optional(),
    }),
  )
    .optional()
    .describe('Not stored.'),
};

const OrderNotes = z.string().max(5_000).optional().describe('Not stored.');

/** Members of requests that open or change a session. */
export const ACP_CONTENT_MEMBERS = {
  fulfillment_details: checkedObject(FulfillmentDetails).optional().describe('Not stored: nothing is shipped.'),
  fulfillment_groups: checkedList(FulfillmentGroup).optional().describe('Not stored: nothing is shipped.'),
  selected_fulfillment_options: checkedList(SelectedFulfillmentOption).optional().describe('Not stored: nothing is shipped.'),
  affiliate_attribution: checkedObject(AffiliateAttribution).optional().describe('Not stored.'),
  locale: Text.describe('Not stored.'),
  timezone: Text.describe('Not stored.'),
  quote_id: Text.describe('Not stored.'),
  order_notes: OrderNotes,
};

const OUTCOMES = [
  'abandoned',
  'attempt_acknowledged',
  'authenticated',
  'canceled',
  'denied',
  'informational',
  'internal_error',
  'not_supported',
  'processing_error',
  'rejected',
] as const;
/** Outcomes of an authentication that come with their details. */
const DETAILED: readonly string[] = ['authenticated', 'informational', 'attempt_acknowledged'];
const AuthenticationResult = z
  .looseObject({
    outcome: z.enum(OUTCOMES),
    outcome_details: z
      .looseObject({
        three_ds_cryptogram: z.string(),
        electronic_commerce_indicator: z.enum(['01', '02', '05', '06', '07']),
        transaction_id: z.string(),
        version: z.string(),
      })
      .optional(),
  })
  .refine(({ outcome, outcome_details: details }) => details !== undefined || !DETAILED.includes(outcome), {
    path: ['outcome_details'],
    message: 'is missing',
  });

/** Members of a request that pays a session. */
export const ACP_COMPLETION_MEMBERS = {
  authentication_result: checkedObject(AuthenticationResult).optional().describe('Not used: payments that require it are declined.'),
  affiliate_attribution: ACP_CONTENT_MEMBERS.affiliate_attribution,
  risk_signals: checkedObject(
    z.looseObject({ ip_address: Text, user_agent: Text, accept_language: Text, session_id: Text, device_fingerprint: Text }),
  )
    .optional()
    .describe('Not used.'),
  marketing_consents: checkedList(z.looseObject({ channel: z.string(), opted_in: z.boolean() }))
    .optional()
    .describe('Not used.'),
  order_notes: OrderNotes,
};

/** Members of the payment besides its handler and instrument. */
export const ACP_PAYMENT_MEMBERS = {
  billing_address: checkedObject(Address).optional().describe('Not used.'),
  purchase_order_number: Text.describe('Number of a purchase order; not accepted.'),
  payment_terms: z.enum(['immediate', 'net_15', 'net_30', 'net_60', 'net_90']).optional().describe('Not used.'),
  due_date: Instant.optional().describe('Not used.'),
  approval_required: z.boolean().optional().describe('Not used.'),
};

const REASONS = [
  'price_sensitivity',
  'shipping_cost',
  'shipping_speed',
  'product_fit',
  'trust_security',
  'returns_policy',
  'payment_options',
  'comparison',
  'timing_deferred',
  'other',
] as const;
/** Why a session is canceled. */
export const AcpIntentTrace = checkedObject(
  z.looseObject({
    reason_code: z.enum(REASONS),
    trace_summary: z.string().max(500).optional(),
    metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()], 'must be a string, a number, true or false')).optional(),
  }),
);
