import { profileOfHeader } from '../../gateway/commerce/platform-profile.ts';
import type { UcpCatalog } from '../../gateway/commerce/ucp-catalog.ts';
import type { UcpRequest } from '../../gateway/commerce/ucp-checkouts.ts';
import type { SessionAnswer } from '../../gateway/orders/change-session.ts';
import { dayOf } from '../../gateway/orders/checkout-sessions.ts';
import { ok, type Result } from '../../gateway/result.ts';
import { UcpCheckoutAnswer } from '../../schemas/ucp-checkout.ts';
import type { GatewayDependencies, Outcome, RouteAnswer, RouteInput } from '../define-route.ts';

/** The catalog as it is today. */
export function ucpCatalog({ deployment, clock }: GatewayDependencies): UcpCatalog {
  return { offers: deployment.offers, baseUrl: deployment.baseUrl, today: dayOf(clock.nowMs()) };
}

/** A request of a platform whose header was admitted. */
export function ucpRequest({
  headers,
  network,
  idempotencyKey,
  sentBody,
}: Pick<RouteInput<unknown, unknown, unknown>, 'headers' | 'network' | 'idempotencyKey' | 'sentBody'>): Result<UcpRequest> {
  const profile = profileOfHeader(headers['ucp-agent']);
  return profile.ok ? ok({ profile: profile.value, network, idempotencyKey, sentBody }) : profile;
}

/** HTTP answer of a session. */
export function sessionOutcome(answer: Result<SessionAnswer>): Result<Outcome> {
  if (!answer.ok) return answer;
  const { status, body, isReplay } = answer.value;
  return ok({
    kind: 'text',
    status: status === 201 ? 201 : 200,
    contentType: 'application/json',
    body,
    ...(isReplay ? { headers: { 'Idempotent-Replayed': 'true' } } : {}),
  });
}

/** Answer with a checkout, or with the reason why there is none. */
export function checkoutAnswer(description: string): RouteAnswer {
  return { status: 200, description, content: { type: 'application/json', schema: UcpCheckoutAnswer } };
}
