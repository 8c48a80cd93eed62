/** What a publisher may leave switched off. Nothing describes a feature that is off, except the documents that every site must have. */
export interface Features {
  /** Agents may propose texts. */
  readonly intake: boolean;
  /** Something is for sale. */
  readonly shop: boolean;
  /** Agents may open checkout sessions, by one of the commerce protocols. */
  readonly checkoutSessions: boolean;
  /** Agents may pay for texts. */
  readonly payments: boolean;
}

/** Settings that switch features, of a deployment or of publisher.yaml; what is absent counts as on, except payments. */
export interface FeatureSettings {
  readonly intake?: 'open' | 'granted' | 'closed';
  readonly commerce: { readonly acp: boolean; readonly ucp: boolean };
  readonly payments?: object | undefined;
}

/** The features of a deployment. */
export function featuresOf({ intake, commerce, payments }: FeatureSettings, hasOffers = true): Features {
  return {
    intake: intake !== 'closed',
    shop: hasOffers,
    checkoutSessions: hasOffers && (commerce.acp || commerce.ucp),
    payments: payments !== undefined,
  };
}

/** The feature that a rate limit, quota or budget belongs to; the others are always in force. */
const FEATURE_OF_LIMIT: Readonly<Record<string, keyof Features>> = {
  submit: 'intake',
  submit_keys: 'intake',
  proposals: 'intake',
  network_proposals: 'intake',
  buy: 'checkoutSessions',
  checkouts: 'checkoutSessions',
  checkout_changes: 'checkoutSessions',
  charges: 'checkoutSessions',
  network_checkouts: 'checkoutSessions',
  network_checkout_changes: 'checkoutSessions',
  network_charges: 'checkoutSessions',
  free_orders: 'checkoutSessions',
  network_free_orders: 'checkoutSessions',
  invoice: 'shop',
  invoices: 'shop',
  pay: 'payments',
  payer_claims: 'payments',
  payment_claims: 'payments',
};

/** Whether a rate limit, quota or budget belongs to what is switched on. */
export function isLimitInUse(name: string, features: Features): boolean {
  const feature = FEATURE_OF_LIMIT[name];
  return feature === undefined || features[feature];
}
