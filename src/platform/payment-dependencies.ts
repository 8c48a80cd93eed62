import type { PaymentDependencies } from '../gateway/payments/pay-for.ts';
import { paymentTerms } from '../gateway/payments/payment-terms.ts';
import type { SigningSecrets } from '../gateway/ports.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { paymentClaims } from './d1/payment-claims.ts';
import { httpFacilitator } from './facilitator.ts';
import type { World } from './world.ts';

/**
 * What selling capsules works with on Cloudflare, or why it cannot; `undefined` while payments are off. Without secrets there is no
 * challenge of MPP, and x402 works.
 */
export function paymentDependencies(
  database: D1Database | undefined,
  secrets: SigningSecrets | { readonly missing: string },
  deployment: Deployment,
  { clock, randomness, timers }: World,
): PaymentDependencies | { readonly missing: string } | undefined {
  const terms = paymentTerms(deployment);
  if (terms === undefined || deployment.payments === undefined) return undefined;
  if (database === undefined) return { missing: 'This deployment has no database, so it can take no payments.' };
  return {
    terms,
    facilitator: httpFacilitator(deployment.payments.facilitator, timers),
    claims: paymentClaims(database),
    secrets: 'missing' in secrets ? undefined : secrets,
    clock,
    randomness,
    seller: deployment.name,
  };
}
