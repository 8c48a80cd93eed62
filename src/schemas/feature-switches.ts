import * as z from 'zod';
import { hasPrice } from './commerce/currency-and-availability.ts';
import type { Offer, QuoteOnlyOffer } from './commerce/offers.ts';

/** What a publisher may leave switched off: nothing describes it then, and documents that every site must have say that there is nothing. */
export type Features = Readonly<ReturnType<typeof featuresOf>>;
export type FeatureName = keyof Features;

/** Settings that switch features, of a deployment or of publisher.yaml; what is absent counts as on, except payments. */
export interface FeatureSettings {
  readonly intake?: 'open' | 'granted' | 'closed';
  readonly commerce: { readonly acp: boolean; readonly ucp: boolean };
  readonly payments?: { readonly payTo?: string | undefined; readonly pay_to?: string | undefined } | undefined;
}

/** The features that settings and offers switch on. Without a price, nothing can be bought over a protocol. */
export function featuresOf({ intake, commerce, payments }: FeatureSettings, offers: readonly (Offer | QuoteOnlyOffer)[]) {
  const hasPrices = offers.some((offer) => hasPrice(offer));
  const acp = hasPrices && commerce.acp;
  const ucp = hasPrices && commerce.ucp;
  return {
    intake: intake !== 'closed',
    shop: offers.length > 0,
    acp,
    ucp,
    /** Agents may open checkout sessions, by one of the commerce protocols. */
    checkoutSessions: acp || ucp,
    payments: payments !== undefined,
    x402: (payments?.payTo ?? payments?.pay_to) !== undefined,
  };
}

export function deployedFeatures(
  deployment: FeatureSettings & { readonly offers: readonly Offer[]; readonly quoteOnlyOffers?: readonly QuoteOnlyOffer[] | undefined },
): Features {
  return featuresOf(deployment, [...deployment.offers, ...(deployment.quoteOnlyOffers ?? [])]);
}

/** Limits of a feature, by their published names; the others are always in force. */
const LIMITS_OF_FEATURES: Readonly<Partial<Record<FeatureName, readonly string[]>>> = {
  intake: [
    ...['submit', 'submit_keys', 'proposals', 'network_proposals', 'intake_body_max_bytes', 'intake_string_max_length'],
    ...['proposal_text_max_length', 'decision_kept_days', 'intake_queue_max'],
  ],
  shop: [
    ...['query_raised', 'buy', 'checkouts', 'network_checkouts', 'invoice', 'invoices', 'cart_items_max', 'quantity_max'],
    ...['buy_segment_max_length', 'cart_text_max_length', 'session_total_max_minor', 'session_hours', 'session_kept_days'],
    ...['invoice_address_max_length', 'invoice_note_max_length', 'invoice_waits_days', 'invoice_kept_days', 'handled_kept_days'],
    ...['processor_event_max_bytes', 'signature_max_age_seconds'],
  ],
  checkoutSessions: [
    ...['checkout_changes', 'network_checkout_changes', 'charges', 'network_charges', 'free_orders', 'network_free_orders'],
    ...['free_order_kept_days', 'notice_attempts_max'],
  ],
  ucp: ['catalog_page_default', 'catalog_page_max', 'catalog_lookup_max'],
  payments: [
    ...['pay', 'payer_claims', 'payment_claims', 'payment_header_max_length', 'payment_repeat_hours', 'payment_kept_days'],
    'failed_payment_kept_days',
  ],
};

const FEATURE_OF_LIMIT: ReadonlyMap<string, FeatureName> = new Map(
  Object.entries(LIMITS_OF_FEATURES).flatMap(([feature, names]) => names.map((name) => [name, feature as FeatureName])),
);

export function isLimitInUse(name: string, features: Features): boolean {
  const feature = FEATURE_OF_LIMIT.get(name);
  return feature === undefined || features[feature];
}

/** The part of a JSON Schema that is left out while a feature is off: the member itself, or values and words of it. */
type PartOfFeature = 'member' | { readonly values?: readonly string[]; readonly words?: string };

/** Parts of schemas that belong to features. Register the schema as it stands in its object: `optional()` and `describe()` copy it. */
export const FEATURE_PARTS = z.registry<Partial<Record<FeatureName, PartOfFeature>>>();

export function partsWithout(features: Features, schema: z.core.$ZodType | undefined): readonly PartOfFeature[] {
  if (schema instanceof z.ZodOptional && !FEATURE_PARTS.has(schema)) return partsWithout(features, schema.unwrap());
  const parts = schema === undefined ? undefined : FEATURE_PARTS.get(schema);
  return Object.entries(parts ?? {}).flatMap(([name, part]) => (features[name as FeatureName] ? [] : [part]));
}

export function limitValues(names: readonly string[]): Partial<Record<FeatureName, PartOfFeature>> {
  const groups = Map.groupBy(names, (name) => FEATURE_OF_LIMIT.get(name));
  return Object.fromEntries([...groups].flatMap(([feature, values]) => (feature === undefined ? [] : [[feature, { values }]])));
}
