import { canonicalDigest } from '../../../provenance/digest.ts';
import type { Deployment } from '../../../schemas/deployment.ts';
import { checkoutSessionPath } from '../../../schemas/paths.ts';
import { continueUrl } from './continue-url.ts';
import type { Clock } from '../../ports.ts';
import { ok, outage, type Result, refuse } from '../../result.ts';
import type { Missing } from './commerce-dependencies.ts';
import { wouldChargeForDemo, NO_MONEY_FOR_DEMONSTRATIONS } from './complete-session.ts';
import type { OrderStore, PaymentProcessor } from '../orders/order-ports.ts';
import type { Order } from '../orders/order.ts';
import { isExpired, type Session } from './session.ts';

/** What opening the checkout of a session needs. */
export interface OpeningDependencies {
  readonly deployment: Pick<Deployment, 'offers' | 'baseUrl' | 'commerce'>;
  readonly store: OrderStore;
  readonly clock: Clock;
  readonly processor: PaymentProcessor | Missing | undefined;
}

/** Where a session is paid, or what it became. */
export type OpenedCheckout =
  | { readonly kind: 'leave'; readonly location: string }
  | { readonly kind: 'show'; readonly state: Session['state'] | 'expired'; readonly session: Session; readonly order: Order | undefined };

/** How a checkout is looked at. */
export interface CheckoutVisit {
  /** Whether nothing may be made: the caller wants headers alone, or comes back from the checkout. */
  readonly onlyLooks: boolean;
}

/**
 * Where an open session is paid: on the hosted link of its offer where that charges exactly the session, else on a checkout that the
 * processor makes for it. The processor is asked under a key that follows from the session and what is to be paid, so that however often
 * this is called, one cart has one checkout: it need not be stored, and a session ends before the processor forgets its keys (24 hours,
 * docs.stripe.com/api/idempotent_requests). Nothing is charged.
 */
export async function openCheckout(id: string, { onlyLooks }: CheckoutVisit, deps: OpeningDependencies): Promise<Result<OpenedCheckout>> {
  const { deployment, store, clock, processor } = deps;
  const nowMs = clock.nowMs();
  const known = await store.look(undefined, id, nowMs).catch(() => undefined);
  if (known === undefined) return outage('state_unavailable', 'The database did not answer.');
  const { session, order } = known;
  if (session === undefined) return refuse('session_not_found', 'No checkout session has this id.');
  const state = isExpired(session, nowMs) ? 'expired' : session.state;
  if (state !== 'open' || onlyLooks) return ok({ kind: 'show', state, session, order });
  const way = continueUrl(session, deployment);
  if (way !== deployment.baseUrl + checkoutSessionPath(id)) return ok({ kind: 'leave', location: way });
  if (processor === undefined) return refuse('not_configured', 'This deployment makes no checkouts.');
  if ('missing' in processor) return refuse('not_configured', processor.missing);
  if (wouldChargeForDemo(session, processor)) return refuse('not_configured', NO_MONEY_FOR_DEMONSTRATIONS);
  const payable = { lines: session.lines, currency: session.currency, email: session.buyer?.email };
  const digest = (await canonicalDigest({ ...payable, email: payable.email ?? null })).slice('sha256:'.length);
  const hosted = await processor
    .openCheckout({
      ...payable,
      sessionId: id,
      returnUrl: `${deployment.baseUrl}${checkoutSessionPath(id)}?returned`,
      idempotencyKey: `${id}-${digest.slice(0, 32)}`,
    })
    .catch(() => undefined);
  if (hosted === undefined) return refuse('processor_unavailable', 'The processor made no checkout; nothing was charged.');
  return ok({ kind: 'leave', location: hosted.url });
}
