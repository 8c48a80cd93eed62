import { profileOfHeader } from './platform-profile.ts';
import type { UcpCatalog } from './catalog.ts';
import type { UcpRequest } from './checkouts.ts';
import type { SessionResponse } from '../../gateway/commerce/sessions/change-session.ts';
import { type CheckoutDependencies, dayOf } from '../../gateway/commerce/sessions/checkout-sessions.ts';
import type { Result } from '../../gateway/result.ts';
import { UcpCheckoutAnswer } from './schemas/checkout.ts';
import { checkoutDependencies, sessionOutcome } from '../../http/checkout-dependencies.ts';
import type { Outcome, RouteResponse, RouteInput } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';

/** The catalog as it is today. */
export function ucpCatalog({ deployment, clock }: GatewayDependencies): UcpCatalog {
  return { offers: deployment.offers, baseUrl: deployment.baseUrl, today: dayOf(clock.nowMs()) };
}

/** Handler of an operation on sessions: gathers what it needs of the request and the deployment, or says why it cannot go on. */
export function onSessions<Path, Body>(
  run: (input: RouteInput<Path, undefined, Body>, request: UcpRequest, deps: CheckoutDependencies) => Promise<Result<SessionResponse>>,
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
export function checkoutAnswer(description: string): RouteResponse {
  return { status: 200, description, content: { type: 'application/json', schema: UcpCheckoutAnswer } };
}
