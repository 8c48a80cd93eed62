import type { CheckoutDependencies } from '../../gateway/orders/checkout-sessions.ts';
import { ok, outage, type Result, refuse } from '../../gateway/result.ts';
import type { GatewayDependencies } from '../define-route.ts';

/** What operations on checkout sessions work with, or why they cannot. */
export function checkoutDependencies(deps: GatewayDependencies): Result<CheckoutDependencies> {
  const { commerce, quotas, deployment, clock, randomness } = deps;
  if (commerce.orders === undefined) return outage('state_unavailable', 'No database is bound to this deployment.');
  if (quotas === undefined) return refuse('not_configured', 'This deployment has no signing secret, so it counts no quotas.');
  if (commerce.processor !== undefined && 'missing' in commerce.processor) return refuse('not_configured', commerce.processor.missing);
  return ok({ deployment, store: commerce.orders, clock, randomness, quotas, processor: commerce.processor });
}
