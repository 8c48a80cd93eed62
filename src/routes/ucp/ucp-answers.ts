import { profileOfHeader } from '../../gateway/commerce/platform-profile.ts';
import type { UcpCatalog } from '../../gateway/commerce/ucp-catalog.ts';
import type { UcpRequest } from '../../gateway/commerce/ucp-checkouts.ts';
import type { SessionAnswer } from '../../gateway/orders/change-session.ts';
import { type CheckoutDependencies, dayOf } from '../../gateway/orders/checkout-sessions.ts';
import type { Result } from '../../gateway/result.ts';
import { UcpCheckoutAnswer } from '../../schemas/ucp-checkout.ts';
import { checkoutDependencies } from '../commerce/checkout-dependencies.ts';
import { sessionOutcome } from '../commerce/session-outcome.ts';
import type { GatewayDependencies, Outcome, RouteAnswer, RouteInput } from '../define-route.ts';

/** The catalog as it is today. */
export function ucpCatalog({ deployment, clock }: GatewayDependencies): UcpCatalog {
  return { offers: deployment.offers, baseUrl: deployment.baseUrl, today: dayOf(clock.nowMs()) };
}

/** Handler of an operation on sessions: gathers what it needs of the request and the deployment, or says why it cannot go on. */
export function onSessions<Path, Body>(
  run: (input: RouteInput<Path, undefined, Body>, request: UcpRequest, deps: CheckoutDependencies) => Promise<Result<SessionAnswer>>,
): (input: RouteInput<Path, undefined, Body>, deps: GatewayDependencies) => Promise<Result<Outcome>> {
  return async (input, deps) => {
    const { headers, idempotencyKey, sentBody } = input;
    const profile = profileOfHeader(headers['ucp-agent']);
    if (!profile.ok) return profile;
    const checkout = checkoutDependencies(deps, input);
    if (!checkout.ok) return checkout;
    return sessionOutcome(await run(input, { profile: profile.value, idempotencyKey, sentBody }, checkout.value));
  };
}

/** Answer with a checkout, or with the reason why there is none. */
export function checkoutAnswer(description: string): RouteAnswer {
  return { status: 200, description, content: { type: 'application/json', schema: UcpCheckoutAnswer } };
}
