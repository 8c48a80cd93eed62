import type { Features } from '../../src/schemas/feature-switches.ts';

export const ALL_FEATURES: Features = {
  intake: true,
  shop: true,
  acp: true,
  ucp: true,
  checkoutSessions: true,
  payments: true,
  x402: true,
};

export const NO_FEATURES: Features = {
  intake: false,
  shop: false,
  acp: false,
  ucp: false,
  checkoutSessions: false,
  payments: false,
  x402: false,
};
